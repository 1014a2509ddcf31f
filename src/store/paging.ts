/**
 * Keyset pagination: each page starts after the last row of the one before, so a slow reader keeps nothing
 * open.
 */
import type { EncodedPage } from "../domain/encoded-rows.ts";

export interface Page<Row, Cursor> {
  readonly rows: readonly Row[];
  /** null if no rows follow. */
  readonly next: Cursor | null;
}

/** A few hundred rows are one short response. Longer listings are sent in pages of this size. */
export const PAGE_SIZE = 500;

/** Where a page ends: a time and an id. Listings in order of id leave the time at 0. */
export type Cursor = readonly [time: number, id: number | bigint];

/** The cursor after these rows, if more may follow. */
export function pageOf<Row>(
  rows: readonly Row[],
  size: number,
  cursorOf: (row: Row) => Cursor,
): Page<Row, Cursor> {
  const last = rows.at(-1);
  return { rows, next: last === undefined || rows.length < size ? null : cursorOf(last) };
}

/** The rows of a listing, page by page. */
export async function* inPages<Row>(
  read: (after: Cursor | null) => Promise<Page<Row, Cursor>>,
): AsyncGenerator<readonly Row[]> {
  let after: Cursor | null = null;
  do {
    const page: Page<Row, Cursor> = await read(after);
    if (page.rows.length > 0) yield page.rows;
    after = page.next;
  } while (after !== null);
}

/** Pre-encoded rows of a listing. The receiver owns the memory of the bytes. */
export interface WrittenRows {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly rows: number;
  readonly next: Cursor | null;
}

/**
 * Reads one page ahead while a page is being sent, so a reader that stops costs two pages. A page is valid
 * until the next one is requested. Its memory is released then: the garbage collector would let hundreds of
 * pages pile up.
 */
export async function* oneAhead(
  read: (after: Cursor | null) => Promise<WrittenRows>,
): AsyncGenerator<EncodedPage> {
  let page = await read(null);
  while (page.next !== null) {
    const following = read(page.next);
    // A reader that has stopped does not await the next page. Its failure must not count as unhandled.
    following.catch(() => {});
    yield { bytes: page.bytes, isLast: false };
    page.bytes.buffer.transfer(0);
    page = await following;
  }
  if (page.bytes.length > 0) yield { bytes: page.bytes, isLast: true };
}
