/**
 * Keyset pagination in both directions, from the columns by which a listing is sorted. A cursor has the
 * values of these columns in the row at the end of a page.
 */
import { InvalidCursor } from "#domain/ports/errors.ts";
import type { Cursor, Page, PageRange } from "#domain/ports/listing.ts";
import type { Db, Parameter } from "./db.ts";
import { type Dialect, postgresDialect } from "./dialect.ts";
import type { ListingOperation } from "./feature.ts";
import { type Columns, columnOf, integer, type RowOf, type Statement, statement } from "./statement.ts";

export interface Sort<C extends Columns> {
  /**
   * Names in the row, each with the column that it is read from unless that follows from the name. Together
   * they are unique and never NULL.
   */
  readonly by: readonly ((keyof C & string) | readonly [name: keyof C & string, column: string])[];
  readonly descending?: boolean;
}
interface Definition<Args, C extends Columns> extends Sort<C> {
  readonly row: C;
  /** The statement without its order, with a further condition. `parameters` are its parameters. */
  readonly select: (condition: string, dialect: Dialect) => string;
  readonly parameters: (args: Args) => readonly Parameter[];
}
/** Completes the rows of a page from other tables. */
type Complete<Args, C extends Columns, Row> = (
  db: Db,
  args: Args,
  rows: readonly RowOf<C>[],
) => Promise<readonly Row[]>;

type Direction = "forward" | "backward";

/** A listing of the rows that a statement returns. */
export const listing = <Args, const C extends Columns>(
  definition: Definition<Args, C>,
): ListingOperation<Args, RowOf<C>> => completedListing(definition, async (_db, _args, rows) => rows);

/** A listing whose rows are completed from other tables. */
export function completedListing<Args, const C extends Columns, Row>(
  definition: Definition<Args, C>,
  complete: Complete<Args, C, Row>,
): ListingOperation<Args, Row> {
  const { by, parameters } = definition;
  const own = countParameters(definition.select);
  const first = pageStatement(definition, "forward", null);
  const last = pageStatement(definition, "backward", null);
  const after = pageStatement(definition, "forward", own);
  const before = pageStatement(definition, "backward", own);
  const cursors = cursorsOf(definition.row, by);

  return {
    kind: "listing",
    // An index leads to each of its rows.
    mayWalk: () => false,
    async page(db: Db, args: Args, range: PageRange): Promise<Page<Row>> {
      const isForward = "after" in range;
      const cursor = isForward ? range.after : range.before;
      const [whole, continued] = isForward ? [first, after] : [last, before];
      // One row more tells whether there is a further page.
      const limit = range.limit + 1;
      const given = parameters(args);
      const found =
        cursor === null
          ? await db.all(whole, ...given, limit)
          : await db.all(continued, ...given, ...cursors.read(cursor), limit);
      const hasMore = found.length > range.limit;
      const rows = found.slice(0, range.limit);
      if (!isForward) rows.reverse();
      const [start, end] = [rows.at(0), rows.at(-1)];
      const hasPrevious = isForward ? cursor !== null : hasMore;
      const hasNext = isForward ? hasMore : cursor !== null;
      return {
        rows: await complete(db, args, rows),
        previous: hasPrevious && start !== undefined ? cursors.of(start) : null,
        next: hasNext && end !== undefined ? cursors.of(end) : null,
      };
    },
  };
}

const namesOf = <C extends Columns>(by: Sort<C>["by"]): readonly (keyof C & string)[] =>
  by.map((key) => (typeof key === "string" ? key : key[0]));

/** The highest number of a parameter in the statement, which is the same on both databases. */
const countParameters = (select: Definition<never, Columns>["select"]): number =>
  Math.max(
    0,
    ...[...select("true", postgresDialect).matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)),
  );

/**
 * `own` is how many parameters come before the parameters of the cursor; null: no cursor. The limit comes
 * last.
 */
function pageStatement<C extends Columns>(
  { row, select, by, descending = false }: Omit<Definition<never, C>, "parameters">,
  direction: Direction,
  own: number | null,
): Statement<RowOf<C>> {
  const isDescending = descending !== (direction === "backward");
  const order = namesOf(by)
    .map((name) => `"${name}"${isDescending ? " DESC" : ""}`)
    .join(", ");
  const cursorAt = own ?? countParameters(select);
  const limitAt = cursorAt + (own === null ? 0 : by.length) + 1;
  const keys = by.map((key, index) => ({
    column: typeof key === "string" ? columnOf(row, key) : key[1],
    parameter: `$${cursorAt + index + 1}`,
  }));
  return statement(row, (dialect) => {
    const where = (condition: string): string => select(condition, dialect);
    const selected = own === null ? where("true") : beyond(where, keys, isDescending ? "<" : ">", dialect);
    // SQLite prepares a statement again each time if its limit is a parameter alone.
    return `${selected} ORDER BY ${order} LIMIT $${limitAt} + 0`;
  });
}

/**
 * The rows beyond a cursor. For `(a, b) > ($1, $2)` SQLite uses only `a` in the index. If many rows have the
 * same time, such as rows of an import, it would read all of them again for every page. So on SQLite the
 * statement merges two index seeks: the remaining rows with that time, and the later rows.
 */
function beyond(
  select: (condition: string, dialect: Dialect) => string,
  keys: readonly { readonly column: string; readonly parameter: string }[],
  sign: "<" | ">",
  dialect: Dialect,
): string {
  if (dialect.seeksByRows || keys.length === 1) {
    const [columns, values] = [keys.map(({ column }) => column), keys.map(({ parameter }) => parameter)];
    return select(`(${columns.join(", ")}) ${sign} (${values.join(", ")})`, dialect);
  }
  return keys
    .map((_, depth) =>
      keys
        .slice(0, keys.length - depth)
        .map(({ column, parameter }, index, used) =>
          index === used.length - 1 ? `${column} ${sign} ${parameter}` : `${column} = ${parameter}`,
        )
        .join(" AND "),
    )
    .map((condition) => select(condition, dialect))
    .join(" UNION ALL ");
}

interface Cursors<Row> {
  of(row: Row): Cursor;
  read(cursor: Cursor): readonly Parameter[];
}

/** JSON in base64url, which a URL can contain. JSON cannot represent ids of 64 bits, so they are text. */
function cursorsOf<C extends Columns>(row: C, by: Sort<C>["by"]): Cursors<RowOf<C>> {
  const columns = namesOf(by).map((name) => ({ name, type: (row[name] ?? integer).type }));
  const parse = (value: unknown, type: string): Parameter | undefined => {
    if (type === "integer") return Number.isSafeInteger(value) ? (value as number) : undefined;
    // PostgreSQL has no NUL character in text.
    if (typeof value !== "string" || value.includes("\0")) return undefined;
    if (type !== "bigint") return value;
    return /^-?\d{1,19}$/.test(value) ? BigInt.asIntN(64, BigInt(value)) : undefined;
  };
  return {
    of: (found) => {
      const values = columns.map(({ name, type }) => (type === "bigint" ? String(found[name]) : found[name]));
      return encodeCursor(values);
    },
    read: (cursor) => {
      const values = decodeCursor(cursor);
      const parsed = columns.map(({ type }, index) => parse(values[index], type));
      if (values.length === columns.length && parsed.every((value) => value !== undefined)) return parsed;
      throw new InvalidCursor("the cursor is not one of this listing; start again from the first page");
    },
  };
}
export const encodeCursor = (values: readonly unknown[]): Cursor =>
  Buffer.from(JSON.stringify(values)).toString("base64url");
/** Empty if it is none. */
export function decodeCursor(cursor: Cursor): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}
