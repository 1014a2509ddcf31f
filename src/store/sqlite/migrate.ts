/**
 * Numbered migrations, each applied once, in order. Those that a database needs are one transaction: however
 * it is interrupted, the database is as it was. A database that a newer version has migrated is refused: this
 * version cannot know what it would break.
 */
import { shippedFile } from "#shipped.ts";
import { integer, nullable } from "../cold/kit/statement.ts";
import { newestOf, readMigrations, refuseNewer, requireCurrent } from "../migrations.ts";
import type { Connection } from "./connection.ts";
import { tablesOf } from "./contents.ts";
import { change, statement } from "./statement.ts";

const folder = shippedFile("store/sqlite/migrations/");
const APPLIED = statement({ n: nullable(integer) }, "SELECT max(number) AS n FROM schema_migration");
const INSERT = change("INSERT INTO schema_migration (number, name, applied_at) VALUES (?, ?, ?)");

export const appliedTo = (db: Connection): number => db.get(APPLIED)?.n ?? 0;

/** Returns the version of the schema: the newest one, unless an older one is requested. */
export function migrate(
  db: Connection,
  file: string,
  now: number,
  upTo: number = Number.MAX_SAFE_INTEGER,
): number {
  const known = readMigrations(folder).filter(({ number }) => number <= upTo);
  const newest = newestOf(known);
  const version = versionOf(db);
  refuseNewer(file, version, newest);
  // A current schema needs no write lock, so a process can open and read while another one writes.
  if (version === newest) return newest;
  db.transaction(() => {
    db.exec(
      `CREATE TABLE IF NOT EXISTS schema_migration (
         number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL
       ) STRICT`,
    );
    // Another process may have migrated it meanwhile.
    const applied = appliedTo(db);
    refuseNewer(file, applied, newest);
    for (const { number, name, sql } of known.filter((one) => one.number > applied)) {
      db.exec(sql);
      db.run(INSERT, number, name, now);
    }
  });
  return newest;
}

export const newestSchema = (): number => newestOf(readMigrations(folder));

const versionOf = (db: Connection): number => (tablesOf(db).has("schema_migration") ? appliedTo(db) : 0);

/** Whether the database has no tables of ours yet. */
export const isEmpty = (db: Connection): boolean => versionOf(db) === 0;

/** Whether the database must be migrated before this version can read it. */
export function isOlder(db: Connection): boolean {
  const version = versionOf(db);
  return version > 0 && version < newestSchema();
}

/** Refuses a schema that this version cannot read as it is, and changes nothing. */
export const checkSchema = (db: Connection, file: string): void =>
  requireCurrent(file, versionOf(db), newestSchema());
