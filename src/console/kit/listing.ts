/** Addresses of pages with their queries. */
import type { Action } from "#admin/kit/action.ts";
import { MAX_PAGE, type PageInputs } from "#admin/kit/paging.ts";
import type { Cursor, Page } from "#domain/ports/listing.ts";
import type { PageContext } from "./page.ts";

// All rows of a listing that is short, such as the lists of an account for a choice.

/** A page with more choices would be of no use. */
export const MAX_ROWS = 1000;

/** At most 1,000. */
export async function allRows<Args extends PageInputs, Row>(
  { perform }: Pick<PageContext, "perform">,
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

/** An address with the parameters that have a value, such as `withQuery(context.path, { state, filter })`. */
export function withQuery(path: string, values: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value) query.set(name, value);
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** The addresses of the pages before and after one of a listing, by their cursors; null: there is none. */
export const neighbours = (
  path: string,
  { previous, next }: { readonly previous: string | null; readonly next: string | null },
  filter: Readonly<Record<string, string | null>> = {},
): { readonly previous: string | null; readonly next: string | null } => ({
  previous: previous === null ? null : withQuery(path, { ...filter, before: previous }),
  next: next === null ? null : withQuery(path, { ...filter, after: next }),
});
