/** Everything that is in a database, read by other ways than the copy's. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { temporaryTables } from "#store/tables/tables.ts";
import { query } from "../store/postgres-account.ts";

/** Per table its rows as texts, sorted. */
export type Contents = Readonly<Record<string, readonly string[]>>;

const text = (value: unknown): string => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return typeof value === "boolean" ? String(Number(value)) : String(value);
};
/** What a store computes from others, each in its own way. */
const computed = new Set(["needs_escape", "at_text", "joined_text"]);
/** Of the running program, not of its data: when it was backed up, and where it is served. */
const ofProgram = new Set(["backed_up_at", "address"]);
/** Every other value; null and the text "null" differ. */
const shown = (table: string, row: object): string =>
  JSON.stringify(
    Object.entries(row)
      .filter(([name]) => !computed.has(name) && !(table === "program" && ofProgram.has(name)))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, value === null ? null : text(value)]),
  );

/** Ids of rows that are not copied may start anew. */
const isKept = ({ name }: { readonly name?: unknown }): boolean =>
  typeof name !== "string" || !temporaryTables.includes(name);

/** Of every table but the record of migrations. */
export function contentsOfFile(file: string): Contents {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const names = db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'schema_migration'")
      .all() as { name: string }[];
    return Object.fromEntries(
      names.map(({ name }) => {
        const statement = db.prepare(`SELECT * FROM ${name}`);
        statement.setReadBigInts(true);
        const rows = statement.all();
        return [
          name,
          (name === "sqlite_sequence" ? rows.filter(isKept) : rows).map((row) => shown(name, row)).sort(),
        ];
      }),
    );
  } finally {
    db.close();
  }
}

export async function contentsOfServer(url: string): Promise<Contents> {
  const names = await query<{ name: string }>(
    url,
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_migration'",
  );
  const found: Record<string, readonly string[]> = {};
  for (const { name } of names)
    found[name] = (await query(url, `SELECT * FROM ${name}`)).map((row) => shown(name, row)).sort();
  return found;
}

export const isEmpty = (contents: Contents): boolean =>
  Object.values(contents).every(({ length }) => length === 0);

/** Names the first row that differs, rather than showing thousands. Temporary rows are not copied. */
export function assertSame(found: Contents, expected: Contents): void {
  assert.deepEqual(Object.keys(found).sort(), Object.keys(expected).sort());
  for (const [table, rows] of Object.entries(expected)) {
    if (temporaryTables.includes(table)) continue;
    const other = found[table] ?? [];
    const at = rows.findIndex((row, index) => row !== other[index]);
    if (at >= 0) assert.equal(other[at], rows[at], table);
    assert.equal(other.length, rows.length, table);
  }
}

/** Changes a file past the program. */
export function changeFile(file: string, sql: string): void {
  const db = new DatabaseSync(file, { timeout: 5000 });
  try {
    db.exec(sql);
  } finally {
    db.close();
  }
}
