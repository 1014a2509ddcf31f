/** Listings, which come in pages: read whole where they are known to be short, or only so far as to know that. */

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

/** Reads as much of a listing as shows whether it is longer than a page. Whoever reads no further calls `return`. */
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
