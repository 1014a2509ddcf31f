/**
 * Tables as copies know them, and entities: tables of which operators see rows. An entity is declared once,
 * in `entities.ts`; from that follow its row and the names and lists for its SQL. A statement contains them
 * as text; it is never made of them.
 */
import type { Parameter } from "../cold/kit/db.ts";
import { type Columns, columnOf, selectList } from "../cold/kit/statement.ts";

export type ColumnKind = "integer" | "text" | "boolean" | "bytes";

export interface Table {
  readonly name: string;
  /** Unique within an installation; rows are read in this order. */
  readonly key: readonly string[];
  readonly columns: Readonly<Record<string, ColumnKind>>;
}

interface Declaration<Row extends Columns, Name extends string> {
  readonly table: string;
  readonly key?: readonly string[];
  readonly row: Row;
  /** What users set and change, in the order of `parameters`; it need not be part of the row. */
  readonly changeable?: readonly Name[];
  /** The columns that are not part of the row. */
  readonly others?: Table["columns"];
}

type Values<Name extends string> = { readonly [N in Name]?: Parameter | undefined };

/** For reading. */
export interface Selected<Row extends Columns> {
  readonly table: Table;
  /** For `statement`: the row of `columns`. */
  readonly row: Row;
  /** `SELECT ${list.columns} FROM list`, and after RETURNING. */
  readonly columns: string;
}
/** And for writing. */
export interface Entity<Row extends Columns, Name extends string> extends Selected<Row> {
  /** `INSERT INTO list (account_id, ${list.changeable}) VALUES ($1, ${list.placeholders(2)})` */
  readonly changeable: string;
  /** From the parameter with this number. */
  readonly placeholders: (first: number) => string;
  /** `UPDATE list SET ${list.assignments(3)} WHERE account_id = $1 AND id = $2` */
  readonly assignments: (first: number) => string;
  /** What is not given is NULL. A change that is undefined keeps the value. */
  readonly parameters: (values: Values<Name>, changes?: Values<Name>) => readonly Parameter[];
}

export function entity<const Row extends Columns, const Name extends string = never>({
  table: name,
  key = ["id"],
  row,
  changeable = [],
  others = {},
}: Declaration<Row, Name>): Entity<Row, Name> {
  const kinds = Object.entries(row).map(
    ([member, { type }]) => [columnOf(row, member), type === "bigint" ? "integer" : type] as const,
  );
  const changed = changeable.map((member) => columnOf(row, member));
  return {
    table: { name, key, columns: { ...Object.fromEntries(kinds), ...others } },
    row,
    columns: selectList(row),
    changeable: changed.join(", "),
    placeholders: (first) => changed.map((_, index) => `$${first + index}`).join(", "),
    assignments: (first) => changed.map((column, index) => `${column} = $${first + index}`).join(", "),
    parameters: (values, changes) =>
      changeable.map((member) => {
        const given = changes?.[member];
        return given === undefined ? (values[member] ?? null) : given;
      }),
  };
}
