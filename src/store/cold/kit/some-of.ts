/** Finds things of an account by their ids, in order of id: where records have ids and names are needed. */
import type { OfAccount } from "#domain/ports/command.ts";
import type { Db } from "./db.ts";
import { type Operation, read } from "./feature.ts";
import { type Columns, type RowOf, statement } from "./statement.ts";

interface Things<C extends Columns> {
  readonly row: C;
  readonly columns: string;
  /** Table and condition, with the account as `$1`. */
  readonly from: string;
}

export function someOf<const C extends Columns, Id extends number | bigint>({
  row,
  columns,
  from,
}: Things<C>): Operation<OfAccount & { readonly ids: readonly Id[] }, readonly RowOf<C>[]> {
  const found = statement(
    row,
    ({ isIn }) => `SELECT ${columns} FROM ${from} AND ${isIn("id", "$2")} ORDER BY id`,
  );
  return read(async (db: Db, { account, ids }) =>
    ids.length === 0 ? [] : await db.all(found, account, ids),
  );
}
