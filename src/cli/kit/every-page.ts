/** All rows of a listing, page by page: what a table on a terminal shows. */
import { MAX_PAGE, type PageInputs } from "../../admin/paging.ts";
import type { Cursor, Page } from "../../domain/ports/listing.ts";

export async function everyPage<Row>(
  read: (page: PageInputs) => Promise<Page<Row>>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let after: Cursor | null = null;
  do {
    const page: Page<Row> = await read({ limit: MAX_PAGE, after });
    rows.push(...page.rows);
    after = page.next;
  } while (after !== null);
  return rows;
}
