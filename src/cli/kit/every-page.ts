/** Rows of a listing, page by page: what a table on a terminal shows. */
import { MAX_PAGE, type PageInputs } from "#admin/kit/paging.ts";
import type { Cursor, Page } from "#domain/ports/listing.ts";

type Read<Row> = (page: PageInputs) => Promise<Page<Row>>;

/** All of them. */
export const everyPage = async <Row>(read: Read<Row>): Promise<readonly Row[]> =>
  (await firstRows(Number.POSITIVE_INFINITY, read)).rows;

/** The rows up to a limit, and whether there are more. */
export async function firstRows<Row>(
  limit: number,
  read: Read<Row>,
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
