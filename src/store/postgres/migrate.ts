/**
 * Numbered migrations, each applied once, in order. Nodes that start together take turns by a lock that ends with the
 * transaction. A database that a newer version has migrated further is refused: this version does not know what it
 * would break.
 */
import { StoreRefused } from "../../domain/ports.ts";
import { newestOf, readMigrations, refuseNewer, requireCurrent } from "../migrations.ts";
import type { Connection } from "./connection.ts";
import { INSTALLATION_LOCK } from "./locks.ts";

const folder = new URL("./migrations/", import.meta.url);

/** Brings the schema up to date, within the caller's transaction; gives back its version. */
export async function migrate(db: Connection, now: number): Promise<number> {
  const known = readMigrations(folder);
  const newest = newestOf(known);
  await db.exec(INSTALLATION_LOCK);
  await checkEncoding(db);
  // Asked first, because whoever may not make tables may run a version whose tables are there.
  if (!(await isMigrated(db)))
    await db.exec(
      "CREATE TABLE schema_migration (number integer PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL)",
    );
  const applied = await appliedTo(db);
  refuseNewer("the database", applied, newest);
  for (const { number, name, sql } of known.filter((migration) => migration.number > applied)) {
    await db.run(
      "INSERT INTO schema_migration (number, name, applied_at) VALUES ($1, $2, $3)",
      number,
      name,
      now,
    );
    await db.exec(sql);
  }
  return newest;
}

const isMigrated = async (db: Connection): Promise<boolean> =>
  (await db.get<{ name: string | null }>("SELECT to_regclass('schema_migration')::text AS name"))?.name !==
  null;
export const appliedTo = async (db: Connection): Promise<number> =>
  (await db.get<{ n: number | null }>("SELECT max(number) AS n FROM schema_migration"))?.n ?? 0;

/** Refuses a database that this version could not read as it is; changes nothing. */
export async function checkSchema(db: Connection, name: string): Promise<void> {
  requireCurrent(name, (await isMigrated(db)) ? await appliedTo(db) : 0, newestOf(readMigrations(folder)));
}

async function checkEncoding(db: Connection): Promise<void> {
  const row = await db.get<{ encoding: string }>("SELECT current_setting('server_encoding') AS encoding");
  if (row?.encoding !== "UTF8")
    throw new StoreRefused(
      `the database keeps text as ${row?.encoding}; make one with: CREATE DATABASE … ENCODING 'UTF8'`,
    );
}
