/** Rows of a listing as records, page by page, never more than one page at a time. */
import type { Pages } from "#contract/service.ts";
import { orUnavailable } from "./unavailable.ts";

export async function* mapPages<Row, RecordOf>(
  pages: Pages<Row>,
  toRecord: (row: Row) => RecordOf,
): AsyncGenerator<readonly RecordOf[]> {
  for await (const page of orUnavailable(pages)) yield page.map(toRecord);
}
