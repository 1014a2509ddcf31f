/** Rows that a statement is given: one array per column, which the statement reads as the table `n`. */
import type { SqlText } from "../../cold/kit/statement.ts";
import type { Scalar, Statement } from "../sessions/connection.ts";

export type Column<Row> = readonly [
  type: "bigint" | "text" | "boolean" | "bytea",
  value: (row: Row) => Scalar,
];

/** By name. */
export type Columns<Row> = Readonly<Record<string, Column<Row>>>;

export class RowArrays<Row> {
  readonly names: string;
  readonly table: string;
  readonly #values: readonly ((row: Row) => Scalar)[];

  constructor(columns: Columns<Row>) {
    this.names = Object.keys(columns).join(", ");
    const arrays = Object.values(columns).map(([type], index) => `$${index + 1}::${type}[]`);
    this.table = `unnest(${arrays.join(", ")}) AS n (${this.names})`;
    this.#values = Object.values(columns).map(([, value]) => value);
  }

  /** No statement if there are no rows. */
  to(sql: SqlText, rows: readonly Row[]): readonly Statement[] {
    return rows.length === 0 ? [] : [{ sql, values: this.#values.map((value) => rows.map(value)) }];
  }
}
