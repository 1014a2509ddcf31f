/**
 * Numbered migrations, each applied once, in order. Nodes that start together take turns by a lock that ends with the
 * transaction. A database that a newer version has migrated further is refused: this version does not know what it
 * would break.
 */
import { StoreRefused } from "../../domain/ports.ts";
import { readMigrations } from "../migrations.ts";
import type { Connection } from "./connection.ts";
import { INSTALLATION_LOCK } from "./locks.ts";

const folder = new URL("./migrations/", import.meta.url);

/** Brings the schema up to date, within the caller's transaction; gives back its version. */
export async function migrate(db: Connection, now: number): Promise<number> {
  const known = readMigrations(folder);
  const newest = known.at(-1)?.number ?? 0;
  await db.exec(INSTALLATION_LOCK);
  await checkEncoding(db);
  // Asked first, because whoever may not make tables may run a version whose tables are there.
  const found = await db.get<{ name: string | null }>("SELECT to_regclass('schema_migration')::text AS name");
  if ((found?.name ?? null) === null)
    await db.exec(
      "CREATE TABLE schema_migration (number integer PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL)",
    );
  const applied =
    (await db.get<{ n: number | null }>("SELECT max(number) AS n FROM schema_migration"))?.n ?? 0;
  if (applied > newest)
    throw new StoreRefused(
      `the database was written by a newer Mailroll (schema ${applied}, this one knows ${newest}); run that version, or restore a backup`,
    );
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

async function checkEncoding(db: Connection): Promise<void> {
  const row = await db.get<{ encoding: string }>("SELECT current_setting('server_encoding') AS encoding");
  if (row?.encoding !== "UTF8")
    throw new StoreRefused(
      `the database keeps text as ${row?.encoding}; make one with: CREATE DATABASE … ENCODING 'UTF8'`,
    );
}
