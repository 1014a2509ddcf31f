/** Rows of a listing, page by page: what a table on a terminal shows. */
import { MAX_PAGE, type PageInputs } from "../../admin/paging.ts";
import type { Cursor, Page } from "../../domain/ports/listing.ts";

type Read<Row> = (page: PageInputs) => Promise<Page<Row>>;

/** Up to a number of rows, which may be more than a page has. */
export async function firstRows<Row>(
  read: Read<Row>,
  limit: number,
): Promise<{ readonly rows: readonly Row[]; readonly hasMore: boolean }> {
  const rows: Row[] = [];
  let after: Cursor | null = null;
  do {
    const page: Page<Row> = await read({ limit: Math.min(limit - rows.length, MAX_PAGE), after });
    rows.push(...page.rows);
    after = page.next;
  } while (after !== null && rows.length < limit);
  return { rows, hasMore: after !== null };
}

export const everyPage = async <Row>(read: Read<Row>): Promise<readonly Row[]> =>
  (await firstRows(read, Number.POSITIVE_INFINITY)).rows;
