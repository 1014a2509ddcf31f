/**
 * SQL statements as declared values. The description of a row gives the TypeScript type of the row and
 * decodes it on both databases. `test/store/statements.test.ts` prepares every statement on both databases
 * and compares its columns with the description.
 */
import type { ColumnType, Dialect } from "./dialect.ts";

/** What node:sqlite returns for a value; PostgreSQL's values arrive as text. */
export type SqliteValue = null | number | bigint | string | Uint8Array;

/** A column and how each database's representation of it becomes a value of the domain. */
export interface Column<T> {
  readonly type: ColumnType;
  readonly isNullable: boolean;
  /** Its name in the database, or an expression, if that does not follow from the name in the row. */
  readonly column?: string;
  readonly fromSqlite: (value: SqliteValue) => T;
  readonly fromText: (value: string) => T;
}

const columnOfType = <T>(
  type: ColumnType,
  fromSqlite: Column<T>["fromSqlite"],
  fromText: Column<T>["fromText"],
): Column<T> => ({ type, isNullable: false, fromSqlite, fromText });

/** A number that JavaScript represents exactly: counts, times in milliseconds, most ids. */
export const integer = columnOfType<number>("integer", Number, Number);
/** An id of 64 bits. */
export const bigint = columnOfType("bigint", (value) => BigInt(value as bigint), BigInt);
export const text = columnOfType("text", String, (value) => value);
export const boolean = columnOfType(
  "boolean",
  (value) => Number(value) !== 0,
  (value) => value === "t",
);
export const bytes = columnOfType<Uint8Array<ArrayBuffer>>(
  "bytes",
  (value) => value as Uint8Array<ArrayBuffer>,
  (value) => Buffer.from(value.slice("\\x".length), "hex"),
);
/** Text that is one of some words; `stored` is the text of a word if the database has another one. */
export function oneOf<const Word extends string>(
  words: readonly Word[],
  stored: (word: Word) => string = String,
): Column<Word> {
  const known = new Map(words.map((word) => [stored(word), word]));
  const decode = (value: SqliteValue): Word => {
    const word = known.get(String(value));
    if (word === undefined) throw new Error(`"${String(value)}" is none of ${words.join(", ")}`);
    return word;
  };
  return columnOfType("text", decode, decode);
}
/** Text that contains JSON of a type which only this program writes. */
export const json = <T>(): Column<T> => {
  const parse = (value: SqliteValue): T => JSON.parse(String(value)) as T;
  return columnOfType("text", parse, parse);
};
/** A column that may be NULL. */
export const nullable = <T>(column: Column<T>): Column<T | null> => ({ ...column, isNullable: true });
export const column = <T>(name: string, of: Column<T>): Column<T> => ({ ...of, column: name });

export type Columns = Readonly<Record<string, Column<unknown>>>;

/** The name in the database of a column of a row. */
export const columnOf = (row: Columns, member: string): string =>
  row[member]?.column ?? member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** For SELECT and RETURNING: `id AS "id", created_at AS "createdAt"`; `of` is the alias of a table. */
export const selectList = (row: Columns, of = ""): string =>
  Object.keys(row)
    .map((member) => `${of === "" ? "" : `${of}.`}${columnOf(row, member)} AS "${member}"`)
    .join(", ");

export type RowOf<C extends Columns> = {
  readonly [Name in keyof C]: C[Name] extends Column<infer T> ? T : never;
};

declare const row: unique symbol;
/**
 * The text of a declared statement, for one database. The type keeps plain strings from being used instead.
 * `Row` is the row as the driver returns it.
 */
export type SqlText<Row = unknown> = string & { readonly [row]: Row };

/** With parameters `$1`, `$2`; a function where the databases need different text. */
export type Sql = string | ((dialect: Dialect) => string);

/** A change that returns no rows. */
export class Change {
  readonly #sql: Sql;
  readonly #texts = new Map<Dialect, SqlText>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  textFor(dialect: Dialect): SqlText {
    let made = this.#texts.get(dialect);
    if (made === undefined) {
      const sql = typeof this.#sql === "string" ? this.#sql : this.#sql(dialect);
      made = dialect.numbered(sql) as SqlText;
      this.#texts.set(dialect, made);
    }
    return made;
  }
}

/** A statement that returns rows; their columns come in the order of the description. */
export class Statement<Row> extends Change {
  readonly columns: Columns;
  /** Whether integers must be read from SQLite as bigints. */
  readonly isExact: boolean;
  readonly fromSqlite: (values: readonly SqliteValue[]) => Row;
  readonly fromText: (values: readonly (string | null)[]) => Row;

  constructor(columns: Columns, sql: Sql) {
    super(sql);
    this.columns = columns;
    this.isExact = Object.values(columns).some(({ type }) => type === "bigint");
    this.fromSqlite = decoder(columns, ({ fromSqlite }) => fromSqlite);
    this.fromText = decoder(columns, ({ fromText }) => fromText);
  }
}

/** Rows of one statement are objects of one shape: their names are set in the same order. */
function decoder<Raw, Row>(
  columns: Columns,
  decodeOf: (column: Column<unknown>) => (value: Raw) => unknown,
): (values: readonly (Raw | null)[]) => Row {
  const parts = Object.entries(columns).map(
    ([name, column]) => ({ name, isNullable: column.isNullable, decode: decodeOf(column) }) as const,
  );
  return (values) => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < parts.length; index += 1) {
      const part = parts[index];
      const value = values[index];
      if (part === undefined || value === undefined)
        throw new Error("the statement returned too few columns");
      if (value !== null) row[part.name] = part.decode(value);
      else if (part.isNullable) row[part.name] = null;
      else throw new Error(`the column ${part.name} is NULL`);
    }
    return row as Row;
  };
}

/** All statements that were declared, for the test that checks them. */
export const declared: Change[] = [];

export function statement<const C extends Columns>(columns: C, sql: Sql): Statement<RowOf<C>> {
  const made = new Statement<RowOf<C>>(columns, sql);
  declared.push(made);
  return made;
}

export function change(sql: Sql): Change {
  const made = new Change(sql);
  declared.push(made);
  return made;
}
