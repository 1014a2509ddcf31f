/** Pages by key: each starts after the last row of the one before, so a slow reader holds nothing open. */

export interface Page<Row, Cursor> {
  readonly rows: readonly Row[];
  /** null: there is nothing after these rows. */
  readonly next: Cursor | null;
}

/** A few hundred rows are one short answer; more are sent in pages of this size. */
export const PAGE_SIZE = 500;

/** Where a page ends: a time and an id; listings in order of id leave the time at 0. */
export type Cursor = readonly [time: number, id: number | bigint];

/** The cursor after these rows, where there may be more. */
export function pageOf<Row>(
  rows: readonly Row[],
  size: number,
  cursorOf: (row: Row) => Cursor,
): Page<Row, Cursor> {
  const last = rows.at(-1);
  return { rows, next: last === undefined || rows.length < size ? null : cursorOf(last) };
}
