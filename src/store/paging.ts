/** Pages by key: each starts after the last row of the one before, so a slow reader holds nothing open. */
import type { EncodedPage } from "../domain/encoded-rows.ts";

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

/** What a store found of a listing that it writes itself; nobody else has the memory that the bytes are in. */
export interface WrittenRows {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly rows: number;
  readonly next: Cursor | null;
}

/**
 * The next page is read while one is being sent, never more: a reader that stops costs two pages. A page is good until the
 * next is asked for, and its memory is given back then: left to the garbage collector, hundreds of pages would wait for it.
 */
export async function* oneAhead(
  read: (after: Cursor | null) => Promise<WrittenRows>,
): AsyncGenerator<EncodedPage> {
  let page = await read(null);
  while (page.next !== null) {
    const following = read(page.next);
    // Whoever has stopped reading does not hear how the next page went.
    following.catch(() => {});
    yield { bytes: page.bytes, isLast: false };
    page.bytes.buffer.transfer(0);
    page = await following;
  }
  if (page.bytes.length > 0) yield { bytes: page.bytes, isLast: true };
}
