/**
 * Keyset pagination: each page starts after the last row of the one before, so a slow reader keeps nothing
 * open.
 */
import type { EncodedPage } from "#domain/paging.ts";

/**
 * A few hundred rows are one short response. Longer listings are sent in pages of this size, pre-encoded ones
 * after the first page in larger pages.
 */
export const PAGE_SIZE = 500;

/** Where a page of pre-encoded rows ends: a time and an id. */
export type Cursor = readonly [time: number, id: number | bigint];

/** Pre-encoded rows of a listing. The receiver owns the memory of the bytes. */
export interface WrittenRows {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly rows: number;
  readonly next: Cursor | null;
}

/** Reads a page of rows that the database encodes. `row` is the SQL expression of a row. */
export type ReadEncoded<Db, Args> = (
  db: Db,
  args: Args,
  row: string,
  after: Cursor | null,
  size: number,
) => Promise<WrittenRows>;

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
