/** All rows of a listing that is short, such as the lists of an account for a choice. */
import type { Action } from "#admin/kit/action.ts";
import { MAX_PAGE, type PageInputs } from "#admin/kit/paging.ts";
import type { Cursor, Page } from "#domain/ports/listing.ts";
import type { Visit } from "./visit.ts";

/** A page with more choices would be of no use. */
export const MAX_ROWS = 1000;

/** At most 1,000. */
export async function allRows<Args extends PageInputs, Row>(
  { perform }: Pick<Visit, "perform">,
  action: Action<Args, Page<Row>>,
  args: Omit<Args, keyof PageInputs>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let after: Cursor | null = null;
  do {
    const page: Page<Row> = await perform(action, { ...args, limit: MAX_PAGE, after } as unknown as Args);
    rows.push(...page.rows);
    after = page.next;
  } while (after !== null && rows.length < MAX_ROWS);
  return rows;
}
