/** What a file contains: the tables of whatever program, and the rows of ours. */
import { integer, text } from "../cold/kit/statement.ts";
import type { Table } from "../tables/entity.ts";
import { tables } from "../tables/tables.ts";
import type { Connection } from "./connection.ts";
import { family, statement } from "./statement.ts";

const TABLES = statement({ name: text }, "SELECT name FROM sqlite_schema WHERE type = 'table'");
export const tablesOf = (db: Connection): ReadonlySet<string> =>
  new Set(db.all(TABLES).map(({ name }) => name));

const COUNT = family({ n: integer }, tables, ({ name }) => `SELECT count(*) AS n FROM ${name}`);
export const countRows = (db: Connection, table: Table): number => db.get(COUNT(table))?.n ?? 0;

const ANY_ROW = statement({ one: integer }, "SELECT 1 AS one FROM schema_migration LIMIT 1");
/** Begins a read-only transaction. A deferred one takes its snapshot at the first statement. */
export function beginSnapshot(db: Connection): void {
  db.exec("BEGIN");
  db.get(ANY_ROW);
}
