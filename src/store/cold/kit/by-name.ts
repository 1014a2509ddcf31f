/**
 * Finds the few things of an account whose names begin with a text. Names have no index: a bounded number of
 * rows of an existing index is visited, and the names filter them. Letter case is ignored as in a search for
 * subscribers (`spellingsOf`).
 */
import type { Beginning } from "#domain/ports/command.ts";
import { spellingsOf } from "#domain/subscriber/search.ts";
import type { Db } from "./db.ts";
import { type Operation, read } from "./feature.ts";
import { type Columns, type RowOf, statement } from "./statement.ts";

/** The most rows that are visited. */
const MAX_VISITS = 10_000;

interface Names<C extends Columns> {
  readonly row: C;
  readonly columns: string;
  /** Table and condition, with the account as `$1`. */
  readonly from: string;
  /** By an index. */
  readonly order: string;
  /** The columns that may begin with the text. */
  readonly names: readonly string[];
}

export function byName<const C extends Columns>({
  row,
  columns,
  from,
  order,
  names,
}: Names<C>): Operation<Beginning, readonly RowOf<C>[]> {
  const found = statement(row, ({ isIn, lowerAscii }) => {
    const begins = names.map((name) => isIn(lowerAscii(`substr(${name}, 1, $2)`), "$3"));
    return `
     SELECT ${columns}
     FROM (SELECT * FROM ${from} ORDER BY ${order} LIMIT $5 + 0) AS visited
     WHERE ${begins.join(" OR ")}
     ORDER BY ${order}
     LIMIT $4 + 0`;
  });
  return read(async (db: Db, { account, text, limit }: Beginning) => {
    const spellings = spellingsOf(text);
    return await db.all(found, account, [...(spellings[0] ?? "")].length, spellings, limit, MAX_VISITS);
  });
}
