/** Helpers for paged listings: collect a short one, or find out whether it is longer than one page. */

export async function collect<Row>(pages: AsyncIterable<readonly Row[]>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
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
