/** Statements that the entities of an account have in common. `which`: a condition on the rows. */
import type { Beginning, OfAccount } from "#domain/ports/command.ts";
import { spellingsOf } from "#domain/subscriber/search.ts";
import type { Entity, Selected } from "#store/tables/entity.ts";
import { type ListingOperation, type Operation, read } from "./feature.ts";
import { listing, type Sort } from "./listing.ts";
import { type Columns, type RowOf, type Statement, statement } from "./statement.ts";

const selectOf = ({ table, columns }: Selected<Columns>, which: string): string =>
  `SELECT ${columns} FROM ${table.name} WHERE account_id = $1 AND ${which}`;

/** With the account and the id as parameters. */
export const byIdOf = <C extends Columns>(of: Selected<C>, which = "true"): Statement<RowOf<C>> =>
  statement(of.row, `${selectOf(of, which)} AND id = $2`);

/** In order of id, unless another one is given. */
export const allOf = <const C extends Columns>(
  of: Selected<C>,
  { which, by = ["id"], descending = false }: Partial<Sort<C>> & { readonly which?: string } = {},
): ListingOperation<OfAccount, RowOf<C>> =>
  listing({
    row: of.row,
    select: (condition) => selectOf(of, which === undefined ? condition : `${which} AND ${condition}`),
    by,
    descending,
    parameters: ({ account }: OfAccount) => [account],
  });

/** Returns the new row. The parameters are `first`, which are columns, and the values of the entity. */
export const insertOf = <C extends Columns>(
  of: Entity<C, string>,
  ...first: readonly string[]
): Statement<RowOf<C>> =>
  statement(
    of.row,
    `INSERT INTO ${of.table.name} (${[...first, of.changeable].join(", ")})
     VALUES (${first.map((_, index) => `$${index + 1}, `).join("")}${of.placeholders(first.length + 1)})
     RETURNING ${of.columns}`,
  );

/** Returns the changed row. The parameters are the account, the id and the values of the entity. */
export const updateOf = <C extends Columns>(of: Entity<C, string>, which = "true"): Statement<RowOf<C>> =>
  statement(
    of.row,
    `UPDATE ${of.table.name} SET ${of.assignments(3)}
     WHERE account_id = $1 AND id = $2 AND ${which}
     RETURNING ${of.columns}`,
  );

/** By their ids, in order of id: where records have ids and names are needed. */
export function someOf<C extends Columns, Id extends number | bigint>(
  of: Selected<C>,
  which = "true",
): Operation<OfAccount & { readonly ids: readonly Id[] }, readonly RowOf<C>[]> {
  const found = statement(of.row, ({ isIn }) => `${selectOf(of, which)} AND ${isIn("id", "$2")} ORDER BY id`);
  return read(async (db, { account, ids }) => (ids.length === 0 ? [] : await db.all(found, account, ids)));
}

/** The most rows that a search by name visits. */
const MAX_VISITS = 10_000;

interface Names {
  readonly which?: string;
  /** By an index. */
  readonly order: string;
  /** The columns that may begin with the text. */
  readonly names: readonly string[];
}
/**
 * The few whose names begin with a text. Names have no index: a bounded number of rows of an existing index
 * is visited, and the names filter them. Letter case is ignored as in a search for subscribers
 * (`spellingsOf`).
 */
export function byName<C extends Columns>(
  { table, row, columns }: Selected<C>,
  { which = "true", order, names }: Names,
): Operation<Beginning, readonly RowOf<C>[]> {
  const found = statement(row, ({ isIn, lowerAscii }) => {
    const begins = names.map((name) => isIn(lowerAscii(`substr(${name}, 1, $2)`), "$3"));
    return `
     SELECT ${columns}
     FROM (
       SELECT * FROM ${table.name} WHERE account_id = $1 AND ${which} ORDER BY ${order} LIMIT $5 + 0
     ) AS visited
     WHERE ${begins.join(" OR ")}
     ORDER BY ${order}
     LIMIT $4 + 0`;
  });
  return read(async (db, { account, text, limit }) => {
    const spellings = spellingsOf(text);
    return await db.all(found, account, [...(spellings[0] ?? "")].length, spellings, limit, MAX_VISITS);
  });
}
