/**
 * Statements that are written for one database. Each is a string whose TypeScript type contains the type of
 * its rows. The rows stay as the driver returns them, so a statement costs nothing more than its text.
 * `test/store/statements.test.ts` compares the description of the rows with the columns that the database
 * reports.
 */
import type { Dialect } from "./cold/dialect.ts";
import { type Columns, type RowOf, Statement } from "./cold/statement.ts";

declare const row: unique symbol;
/** A plain string is accepted where the caller names the type. */
export type RowText<Row> = string & { readonly [row]?: Row };

/** All of them, for the test that checks them. */
export const tunedStatements: { readonly dialect: Dialect; readonly statement: Statement<unknown> }[] = [];

/** With the parameters of that database: `?` or `$1`. */
export function tuned<const C extends Columns>(dialect: Dialect, columns: C, sql: string): RowText<RowOf<C>> {
  tunedStatements.push({ dialect, statement: new Statement(columns, sql) });
  return sql;
}
