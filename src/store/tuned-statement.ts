/**
 * Statements that are written for one database. Each is a string whose TypeScript type contains the type of
 * its rows, and a connection takes no other string. The rows stay as the driver returns them, so a statement
 * costs nothing more than its text. `test/store/statements.test.ts` compares the description of the rows with
 * the columns that the database reports.
 */
import type { Dialect } from "./cold/kit/dialect.ts";
import type { Columns, RowOf, SqlText } from "./cold/kit/statement.ts";

interface TunedStatement {
  readonly dialect: Dialect;
  readonly columns: Columns;
  readonly texts: () => readonly string[];
}
/** All of them, for the test that checks them. */
export const tunedStatements: TunedStatement[] = [];

/** How a store declares its statements, with the parameters of its database: `?` or `$1`. */
export function tunedFor(dialect: Dialect) {
  /** Statements that differ in a name or an expression; the test checks the examples. */
  function family<const C extends Columns, Part>(
    columns: C,
    examples: readonly Part[],
    sql: (part: Part) => string,
  ): (part: Part) => SqlText<RowOf<C>> {
    tunedStatements.push({ dialect, columns, texts: () => examples.map((part) => sql(part)) });
    return sql as (part: Part) => SqlText<RowOf<C>>;
  }
  const statement = <const C extends Columns>(columns: C, sql: string): SqlText<RowOf<C>> =>
    family(columns, [null], () => sql)(null);
  /** A change that returns no rows. */
  const change = (sql: string): SqlText => statement({}, sql);
  return { family, statement, change };
}
