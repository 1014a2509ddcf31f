/**
 * Opens a store as the service does, and is killed before the statement of that number of all migrations.
 * Without a number it prints how many statements there are. Usage: migrate-and-die.ts ADDRESS [NUMBER]
 */
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { MAY_MIGRATE, readMigrations } from "#store/migrations.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";

const [address = "", given] = process.argv.slice(2);
const dieAt = given === undefined ? Number.POSITIVE_INFINITY : Number(given);
const kind = address.startsWith("sqlite:") ? "sqlite" : "postgres";
const migrations = new Map(
  readMigrations(new URL(`../../src/store/${kind}/migrations/`, import.meta.url)).map(({ sql }) => [
    sql,
    sql
      .replaceAll(/^\s*--.*$/gm, "")
      .split(/;\s*$/m)
      .filter((one) => one.trim() !== ""),
  ]),
);
let count = 0;
/** The statements of a migration; anything else is one. */
function* statementsOf(sql: string): Generator<string> {
  for (const statement of migrations.get(sql) ?? []) {
    if (count === dieAt) process.kill(process.pid, "SIGKILL");
    count += 1;
    yield statement;
  }
  // Also after the last one, before it is recorded or committed.
  if (migrations.has(sql) && count === dieAt) process.kill(process.pid, "SIGKILL");
}

const exec = Reflect.get(DatabaseSync.prototype, "exec") as (this: DatabaseSync, sql: string) => void;
DatabaseSync.prototype.exec = function execEach(sql: string): void {
  if (!migrations.has(sql)) return exec.call(this, sql);
  for (const statement of statementsOf(sql)) exec.call(this, statement);
};
const query = Reflect.get(pg.Client.prototype, "query") as (
  this: pg.Client,
  ...args: readonly unknown[]
) => Promise<unknown>;
pg.Client.prototype.query = async function queryEach(this: pg.Client, ...args: readonly unknown[]) {
  const [config] = args as [{ readonly text?: string } | string];
  const text = typeof config === "string" ? config : (config.text ?? "");
  if (!migrations.has(text)) return query.call(this, ...args);
  let result: unknown;
  for (const statement of statementsOf(text)) result = await query.call(this, statement);
  return result;
} as typeof pg.Client.prototype.query;

const retention = { days: 36_500, rows: 1000, bytes: 2 ** 28 };
const store =
  kind === "sqlite"
    ? await SqliteStore.open(address.slice("sqlite:".length), retention, null, {
        ...MAY_MIGRATE,
        hasThreads: false,
      })
    : await PostgresStore.open(address, retention, null, null, MAY_MIGRATE);
await store.close();
process.stdout.write(String(count));
