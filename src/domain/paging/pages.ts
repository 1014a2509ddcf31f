/** Helpers for paged listings: collect a short one, or find out whether it is longer than one page. */
import type { Cursor, Page, PageRange } from "../ports/listing.ts";

export async function collect<Row>(pages: AsyncIterable<readonly Row[]>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
}

/** All pages of a listing, from the first to the last; an empty one is left out. */
export async function* pagesBy<Row>(
  limit: number,
  read: (range: PageRange) => Promise<Page<Row>>,
): AsyncGenerator<readonly Row[]> {
  let after: Cursor | null = null;
  do {
    const { rows, next }: Page<Row> = await read({ after, limit });
    if (rows.length > 0) yield rows;
    after = next;
  } while (after !== null);
}

export interface StartedPages<Row> extends AsyncIterator<readonly Row[]> {
  readonly isLong: boolean;
  [Symbol.asyncIterator](): AsyncIterator<readonly Row[]>;
  return(): Promise<IteratorResult<readonly Row[]>>;
}

/**
 * Reads ahead to find out whether a listing is longer than one page. A caller that stops early calls
 * `return`.
 */
export async function startPages<Row>(listing: AsyncIterable<readonly Row[]>): Promise<StartedPages<Row>> {
  const rest = listing[Symbol.asyncIterator]();
  const first = await rest.next();
  const second = first.done === true ? first : await rest.next();
  const read = [first, second];
  const pages: StartedPages<Row> = {
    isLong: second.done !== true,
    [Symbol.asyncIterator]: () => pages,
    next: async () => read.shift() ?? (await rest.next()),
    return: async () => (await rest.return?.()) ?? { done: true, value: undefined },
  };
  return pages;
}
