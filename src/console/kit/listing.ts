/** Listings on pages: all rows of a short one, and links to the pages of a long one. */
import type { Action, InAccount } from "#admin/kit/action.ts";
import { MAX_PAGE, type PageInputs } from "#admin/kit/paging.ts";
import type { Role } from "#domain/access/user.ts";
import type { Cursor, Page } from "#domain/ports/listing.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { type EmptyState, emptyState } from "#html/components/feedback.ts";
import { pager, type Table, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import type { PageContext, Without } from "./page.ts";

// All rows of a listing that is short, such as the lists of an account for a choice.

/** A page with more choices would be of no use. */
export const MAX_ROWS = 1000;

/** At most 1,000, of the account of the page. */
export async function allRows<Args extends PageInputs & InAccount, Row>(
  { performHere }: Pick<PageContext, "performHere">,
  action: Action<Args, Page<Row>>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let after: Cursor | null = null;
  do {
    const page: Page<Row> = await performHere(action, { limit: MAX_PAGE, after } as Without<Args, "account">);
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

/** There is nothing at all, on no page of the listing. */
export const isEmpty = ({ rows, previous }: Page<unknown>): boolean => rows.length === 0 && previous === null;

/** For those who may: a link to the page that creates something, by its label. Otherwise nothing. */
export const newLinks =
  ({ may, link }: Pick<PageContext, "may" | "link">, role: Role, path: string) =>
  (label: string): readonly Html[] =>
    may(role) ? [buttonLink({ label, href: link(path), emphasis: "primary", icon: "plus" })] : [];

export interface PagedTable<Row> extends Omit<Table<Row>, "rows"> {
  /** Beside the links to other pages, by the number of rows. */
  readonly text: (count: number) => string;
  /** Instead of the table, while there is nothing at all. */
  readonly empty?: EmptyState;
  /** In the addresses of other pages. */
  readonly filter?: Readonly<Record<string, string | null>>;
}
/** The rows of a page, with links to the pages before and after it. */
export const pagedTable = <Row>(
  { path }: Pick<PageContext, "path">,
  found: Page<Row>,
  { text, empty, filter, ...shown }: PagedTable<Row>,
): Html =>
  empty !== undefined && isEmpty(found)
    ? emptyState(empty)
    : html`${table({ ...shown, rows: found.rows })}${pager({ text: text(found.rows.length), ...neighbours(path, found, filter) })}`;
