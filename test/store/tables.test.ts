/** The list of tables for copies is compared with the schemas, so that no migration is forgotten. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { SqliteStore } from "#store/sqlite/store.ts";
import type { ColumnKind } from "#store/tables/entity.ts";
import { givesIds, tables, temporaryTables } from "#store/tables/tables.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { query } from "./postgres-account.ts";

const retention = { days: 90, rows: 100, bytes: 2 ** 28 };
/** The first describes the database itself, and must not be copied from another one. */
const notCopied = ["schema_migration", ...temporaryTables];

type Columns = Readonly<Record<string, readonly string[]>>;
const declared = (types: Readonly<Record<ColumnKind, string>>): Columns =>
  Object.fromEntries(
    tables.map(({ name, columns }) => [
      name,
      Object.entries(columns)
        .map(([column, kind]) => `${column} ${types[kind]}`)
        .sort(),
    ]),
  );
const grouped = (columns: readonly { table: string; name: string; type: string }[]): Columns =>
  Object.fromEntries(
    [...Map.groupBy(columns, ({ table }) => table)]
      .filter(([table]) => !notCopied.includes(table))
      .map(([table, found]) => [table, found.map(({ name, type }) => `${name} ${type}`).sort()]),
  );
const withIds = tables
  .filter(givesIds)
  .map(({ name }) => name)
  .sort();

test("copies every table and column of the SQLite schema", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-tables-"));
  const file = join(folder, "m.db");
  await (await SqliteStore.open(file, retention)).close();
  const db = new DatabaseSync(file);
  const all = (sql: string) => db.prepare(sql).all() as unknown[];
  try {
    // Generated columns are hidden here, and by PostgreSQL's is_generated: the database computes them.
    const columns = all(
      "SELECT t.name AS \"table\", c.name, c.type FROM sqlite_master AS t JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'",
    ) as { table: string; name: string; type: string }[];
    assert.deepEqual(
      grouped(columns),
      declared({ integer: "INTEGER", boolean: "INTEGER", text: "TEXT", bytes: "BLOB" }),
    );
    const numbered = all(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%' ORDER BY name",
    ) as { name: string }[];
    assert.deepEqual(
      numbered.map(({ name }) => name).filter((name) => !temporaryTables.includes(name)),
      withIds,
    );
    for (const { name, key } of tables) {
      const plan = all(`EXPLAIN QUERY PLAN SELECT * FROM ${name} ORDER BY ${key.join(", ")}`);
      assert.doesNotMatch(JSON.stringify(plan), /TEMP B-TREE/, `${name} is read in the order of its key`);
    }
  } finally {
    db.close();
    rmSync(folder, { recursive: true });
  }
});

const server = await sharedPostgres();

test("has the account first in every key of the PostgreSQL schema, so that tables can be distributed by it", async () => {
  const url = await server.newDatabase();
  const keys = await query<{ table: string; first: string }>(
    url,
    `SELECT t.relname AS "table", a.attname AS first FROM pg_index AS i
     JOIN pg_class AS t ON t.oid = i.indrelid AND t.relnamespace = 'public'::regnamespace
     JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
     WHERE i.indisunique`,
  );
  // Small tables that every shard of a distributed database contains completely.
  const everywhere = new Set([
    ...["account", "api_key", "audit", "job", "schema_migration", "installation_secret", "program", "pace"],
    ...["app_user", "user_role", "user_token", "recovery_code"],
    ...temporaryTables,
  ]);
  const distributed = keys.filter(({ table }) => !everywhere.has(table));
  assert.deepEqual(
    [...new Set(distributed.map(({ table }) => table))].sort(),
    [...tables.map(({ name }) => name), ...temporaryTables].filter((name) => !everywhere.has(name)).sort(),
  );
  for (const { table, first } of distributed) assert.equal(first, "account_id", table);
});

test("copies every table and column of the PostgreSQL schema", async () => {
  const url = await server.newDatabase();
  const columns = await query<{ table: string; name: string; type: string }>(
    url,
    "SELECT table_name AS \"table\", column_name AS name, data_type AS type FROM information_schema.columns WHERE table_schema = 'public' AND is_generated = 'NEVER'",
  );
  // The ledger has a row per recipient, so its numbers are as short as they can be.
  const isShort = ({ table, type }: { table: string; type: string }): boolean =>
    (table === "recipient" || table === "recipient_earlier") && (type === "smallint" || type === "integer");
  assert.deepEqual(
    grouped(columns.map((column) => (isShort(column) ? { ...column, type: "bigint" } : column))),
    declared({ integer: "bigint", boolean: "boolean", text: "text", bytes: "bytea" }),
  );
  const sequences = await query<{ name: string }>(
    url,
    "SELECT t.relname AS name FROM pg_depend AS d JOIN pg_class AS s ON s.oid = d.objid AND s.relkind = 'S' JOIN pg_class AS t ON t.oid = d.refobjid AND t.relkind = 'r' ORDER BY t.relname",
  );
  assert.deepEqual(
    [...new Set(sequences.map(({ name }) => name))].filter((name) => !temporaryTables.includes(name)),
    withIds,
    "and no sequence is without its table",
  );
  const sorted = await query<{ name: string }>(
    url,
    "SELECT c.relname || '.' || a.attname AS name FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid JOIN pg_collation AS o ON o.oid = a.attcollation WHERE o.collname = 'C'",
  );
  for (const { name, key, columns: kinds } of tables)
    for (const column of key.filter((each) => kinds[each] === "text"))
      assert.ok(
        sorted.some((found) => found.name === `${name}.${column}`),
        `${name}.${column} is sorted by its bytes, as SQLite does`,
      );
});
