/** Pages of a listing, in either direction. */
import { InvalidCursor } from "#domain/ports/errors.ts";
import type { Cursor, Listing, Page, PageRange } from "#domain/ports/listing.ts";
import type { Store } from "#domain/ports/store.ts";
import { type InAccount, query } from "./action.ts";
import { InvalidInput } from "./errors.ts";

export const MAX_PAGE = 500;

/** At most one of `after` and `before` is given. */
export interface PageInputs {
  readonly limit: number;
  readonly after?: Cursor | null | undefined;
  readonly before?: Cursor | null | undefined;
}

/** As a cursor: the end of the listing that is on the side of the page. */
export const END = "end";

export async function pageOf<Args, Row>(
  listing: Listing<Args, Row>,
  args: Args,
  inputs: PageInputs,
): Promise<Page<Row>> {
  const range = rangeOf(inputs);
  try {
    const page = await listing.page(args, range);
    const hasCursor = ("after" in range ? range.after : range.before) !== null;
    if (!hasCursor || page.rows.length > 0 || page.next !== null || page.previous !== null) return page;
    // What was there has been removed since: the other direction leads to the page at this end.
    return { ...page, ...("after" in range ? { previous: END } : { next: END }) };
  } catch (error) {
    if (!(error instanceof InvalidCursor)) throw error;
    throw new InvalidInput(
      "before" in range ? "before" : "after",
      "is not a cursor of this search; use the same filter as for the page that it came from, or start again from the first page",
    );
  }
}

/** The action that reads what an account has of something. */
export const listing = <Row>(name: string, listingIn: (store: Store) => Listing<InAccount, Row>) =>
  query(name, "viewer", ({ store }, { account, ...page }: InAccount & PageInputs) =>
    pageOf(listingIn(store), { account }, page),
  );

/** The most rows that are counted, and the most pages that are read for that. */
export const MAX_COUNTED = 10_000;
const MAX_PAGES = 100;
export interface RowCount {
  readonly count: number;
  /** There may be more than `count`. */
  readonly isMore: boolean;
}
/** With the first of them. */
export interface CountedRows<Row> extends RowCount {
  readonly sample: readonly Row[];
}
export const SAMPLE = 10;
/** Counts as far as that is cheap. */
export async function countRows<Args, Row>(
  listing: Listing<Args, Row>,
  args: Args,
  mostPages = MAX_PAGES,
): Promise<CountedRows<Row>> {
  const sample: Row[] = [];
  let [count, pages] = [0, 0];
  let after: Cursor | null = null;
  do {
    const page: Page<Row> = await listing.page(args, { after, limit: MAX_PAGE });
    sample.push(...page.rows.slice(0, SAMPLE - sample.length));
    count += page.rows.length;
    pages += 1;
    after = page.next;
  } while (after !== null && count < MAX_COUNTED && pages < mostPages);
  return { count, isMore: after !== null, sample };
}

export function requireLimit(limit: number): void {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_PAGE)
    throw new InvalidInput("limit", `must be a number from 1 to ${MAX_PAGE}`);
}

export const bothCursors = (): InvalidInput =>
  new InvalidInput("before", "must not be given together with the cursor 'after'");

function rangeOf({ limit, after = null, before = null }: PageInputs): PageRange {
  requireLimit(limit);
  if (before === END || after === END)
    return before === END ? { before: null, limit } : { after: null, limit };
  if (before === null) return { after, limit };
  if (after !== null) throw bothCursors();
  return { before, limit };
}
