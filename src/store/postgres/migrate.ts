/**
 * Numbered migrations, each applied once, in order. A lock that ends with the transaction serialises nodes
 * that start together. A database that a newer version has migrated is refused: this version cannot know what
 * it would break.
 */

import { setTimeout as delay } from "node:timers/promises";
import { StoreRefused } from "#domain/ports/errors.ts";
import { shippedFile } from "#shipped.ts";
import { boolean, integer, nullable, text } from "../cold/kit/statement.ts";
import {
  MAY_MIGRATE,
  newestOf,
  type OpenOptions,
  readMigrations,
  refuseNewer,
  requireCurrent,
} from "../migrations.ts";
import { tables, temporaryTables } from "../tables/tables.ts";
import type { Connection } from "./sessions/connection.ts";
import { LOCK_NOT_AVAILABLE, sqlState } from "./sessions/failures.ts";
import { INSTALLATION_LOCK } from "./sessions/locks.ts";
import { change, statement } from "./statement.ts";

const folder = shippedFile("store/postgres/migrations/");

/**
 * A statement that waits for a table lock blocks all later ones, which time out after two seconds. So the
 * migration gives up before that, lets them run and retries.
 */
const LOCK_MS = 1000;
const PAUSE_MS = 500;
const MAX_ATTEMPTS = 5;

/**
 * Every write of every version begins with the row of its account. Nodes of an older version wait there, and
 * then find that the database is newer. Tables first would be a deadlock with transactions that are half-way.
 */
const STOP_WRITES = "LOCK TABLE account IN EXCLUSIVE MODE";

type InTransaction = <T>(work: (db: Connection) => Promise<T>) => Promise<T>;

/** Like `migrate`, in its own transactions. Refuses with one line if another session keeps a table locked. */
export async function migratePatiently(
  inTransaction: InTransaction,
  now: number,
  options: OpenOptions,
): Promise<number> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await inTransaction((db) => migrate(db, now, options));
    } catch (error) {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
      const held = await inTransaction(holders);
      if (attempt === MAX_ATTEMPTS)
        throw new StoreRefused(
          `the database cannot be migrated, because tables are in use: ${held}; end those sessions and start again. Nothing was changed`,
          { cause: error },
        );
      await delay(PAUSE_MS);
    }
}

/**
 * Sessions that have locked one of our tables for longer than a call does. Only privileged users see what a
 * session is running.
 */
const HOLDERS = statement(
  { holder: text },
  `SELECT
     l.relation::regclass || ' by session ' || l.pid || coalesce(' of ' || a.usename, '')
       || coalesce(' (' || nullif(a.application_name, '') || ')', '') AS holder
   FROM pg_locks AS l
   JOIN pg_class AS c ON c.oid = l.relation
   LEFT JOIN pg_stat_activity AS a USING (pid)
   WHERE l.granted AND l.pid <> pg_backend_pid()
     AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
     AND c.relname = ANY ($1::text[]) AND coalesce(a.xact_start < now() - interval '2 seconds', true)
   GROUP BY l.relation, l.pid, a.usename, a.application_name
   ORDER BY l.relation, l.pid`,
);
async function holders(db: Connection): Promise<string> {
  const rows = await db.all(HOLDERS, [...tables.map(({ name }) => name), ...temporaryTables]);
  return rows.map(({ holder }) => holder).join(", ") || "by sessions that could not be identified";
}

const INSERT = change("INSERT INTO schema_migration (number, name, applied_at) VALUES ($1, $2, $3)");
/** Migrates the schema if allowed, within the caller's transaction. Returns its version. */
export async function migrate(
  db: Connection,
  now: number,
  { mayMigrate, onMigrate }: OpenOptions = MAY_MIGRATE,
): Promise<number> {
  const known = readMigrations(folder);
  const newest = newestOf(known);
  await db.exec(INSTALLATION_LOCK);
  await checkEncoding(db);
  // Checked first: a role without the right to create tables may run a version whose tables exist.
  if (!(await isMigrated(db)))
    await db.exec(
      `CREATE TABLE schema_migration (
         number integer PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL
       )`,
    );
  const applied = await appliedTo(db);
  refuseNewer("the database", applied, newest);
  if (!mayMigrate && applied > 0) requireCurrent("the database", applied, newest);
  const pending = known.filter(({ number }) => number > applied);
  if (pending.length > 0 && applied > 0) onMigrate?.({ from: applied, to: newest });
  // Not set earlier: nodes that start together wait for the node that migrates.
  if (pending.length > 0) await db.exec(`SET LOCAL lock_timeout = ${LOCK_MS}`);
  if (pending.length > 0 && applied > 0) await db.exec(STOP_WRITES);
  for (const { number, name, sql } of pending) {
    await db.run(INSERT, number, name, now);
    await db.exec(sql);
  }
  return newest;
}

const HAS_TABLE = statement({ present: boolean }, "SELECT to_regclass($1) IS NOT NULL AS present");
export const hasTable = async (db: Connection, name: string): Promise<boolean> =>
  (await db.get(HAS_TABLE, name))?.present === true;
const isMigrated = (db: Connection): Promise<boolean> => hasTable(db, "schema_migration");

const APPLIED = statement({ n: nullable(integer) }, "SELECT max(number) AS n FROM schema_migration");
export const appliedTo = async (db: Connection): Promise<number> => (await db.get(APPLIED))?.n ?? 0;

/** Refuses a schema that this version cannot read as it is, and changes nothing. Returns its version. */
export async function checkSchema(db: Connection, name: string, mayBeOlder: boolean): Promise<number> {
  const newest = newestOf(readMigrations(folder));
  const applied = (await isMigrated(db)) ? await appliedTo(db) : 0;
  requireCurrent(name, applied, mayBeOlder && applied > 0 ? Math.min(applied, newest) : newest);
  return applied;
}

const ENCODING = statement({ encoding: text }, "SELECT current_setting('server_encoding') AS encoding");
async function checkEncoding(db: Connection): Promise<void> {
  const row = await db.get(ENCODING);
  if (row?.encoding !== "UTF8")
    throw new StoreRefused(
      `the encoding of the database is ${row?.encoding}, not UTF8; create one with: CREATE DATABASE … ENCODING 'UTF8'`,
    );
}
