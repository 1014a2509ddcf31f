import type { Cursor, Page, PageRange } from "./ports/listing.ts";

/** Helpers for paged listings: collect a short one, or find out whether it is longer than one page. */
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

interface StartedPages<Row> extends AsyncIterator<readonly Row[]> {
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

// Pre-encoded rows: the store writes rows as text, because creating an object for each would take longer than
// everything else. It gets a template: literals around the values, which the store does not interpret.

export interface RowForm<Row> {
  readonly start: string;
  readonly end: string;
  readonly fields: readonly FieldForm<keyof Row>[];
  /** Replacements for characters of a text, applied in order. */
  readonly escapes: readonly (readonly [character: string, written: string])[];
}
/** Texts are written unchanged, times in UTC as ISO 8601, with only the necessary fraction digits. */
export interface FieldForm<Name> {
  readonly name: Name;
  readonly start: string;
  readonly end: string;
  /** All that is written for an empty text. */
  readonly empty: string;
}

export interface EncodedPage {
  /** Valid until the next page is requested. */
  readonly bytes: Uint8Array;
  /** Whether no row followed when it was read. */
  readonly isLast: boolean;
}
