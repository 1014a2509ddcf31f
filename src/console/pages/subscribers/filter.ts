/**
 * Which subscribers a page is about, in its address: state and list are readable, what is about people is
 * encrypted.
 */

import type { FoundSubscribers, SubscriberFilter } from "#admin/subscribers/search.ts";
import type { FoundSubscriber } from "#domain/ports/subscribers.ts";
import { type State, states } from "#domain/subscriber/subscriber.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { emptyState } from "#html/components/feedback.ts";
import { textField } from "#html/components/fields.ts";
import { type Column, pager } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { NoSuchPage } from "../../kit/errors.ts";
import { type Form, type FormState, idsIn } from "../../kit/form.ts";
import type { Formats } from "../../kit/formats.ts";
import { withQuery } from "../../kit/listing.ts";
import type { PageContext } from "../../kit/page.ts";

export const stateNames: Readonly<Record<State, string>> = {
  active: "Active",
  unsubscribed: "Unsubscribed",
  bounced: "Bounced",
  complained: "Complained",
  blocked: "Blocked",
};

/** The fields of a search for subscribers. */
export const searchFields = (form: FormState, { search, name }: Pick<Wanted, "search" | "name">): Html =>
  html`${textField({
    ...form.field("search", search ?? ""),
    label: "Address",
    type: "search",
    placeholder: "e.g. ada or @example.org",
    isOptional: true,
  })}${textField({
    ...form.field("name", name ?? ""),
    label: "Name",
    type: "search",
    placeholder: "e.g. Lovelace",
    isOptional: true,
  })}`;

/** `clear`: the address without the search; null: nothing is searched for. */
export const searchButtons = (clear: string | null): Html =>
  buttonRow(
    button({ label: "Search", icon: "search" }),
    ...(clear === null ? [] : [buttonLink({ label: "Clear", href: clear, emphasis: "quiet" })]),
  );

/** What was typed; null: nothing. */
export const searchIn = (form: Form): Pick<Wanted, "search" | "name"> => ({
  search: form.text("search").trim() || null,
  name: form.text("name").trim() || null,
});

export const personColumns: readonly Column<FoundSubscriber>[] = [
  { label: "Address", cell: ({ address }) => address },
  { label: "Name", cell: ({ firstName, lastName }) => `${firstName} ${lastName}`.trim(), isTyped: true },
];

/** The address of the same search with further parameters. */
type Further = (more: Readonly<Record<string, string>>) => Promise<string>;

/** The number of those that are shown, and the pages before and after. */
export const foundPager = async (
  count: string,
  { searched, previous, next }: FoundSubscribers,
  { number }: Formats,
  at: Further,
): Promise<Html> =>
  pager({
    text:
      searched === null
        ? count
        : `${count}. ${number(searched)} subscribers were searched. There may be more: “Next” continues the search.`,
    previous: previous === null ? null : await at({ before: previous }),
    next: next === null ? null : await at({ after: next }),
  });

/** Of a search that has found nobody, or nobody so far. */
export const nobodyFound = async (
  { searched, next }: FoundSubscribers,
  { number }: Formats,
  at: Further,
): Promise<Html> =>
  next === null
    ? emptyState({
        title: "Nobody found",
        text: "Type the beginning of an address, @ and a domain, or the beginning of a first or last name.",
        icon: "search",
      })
    : emptyState({
        title: "Nobody found so far",
        text: `${number(searched ?? 0)} subscribers were searched, which is only a part of them.`,
        icon: "search",
        actions: [buttonLink({ label: "Continue the search", href: await at({ after: next }) })],
      });

/** The page that shows everybody. */
export const SUBSCRIBERS_PATH = "/{account}/subscribers";
/** The pages that change many subscribers at once, and export them. */
export const CHANGE_PATH = "/{account}/subscribers/change";
export const EXPORT_PATH = "/{account}/subscribers/export";

export const countText = (number: string, isMore: boolean): string =>
  `${isMore ? "At least " : ""}${number} ${number === "1" && !isMore ? "subscriber" : "subscribers"}`;

export type Wanted = Omit<SubscriberFilter, "account">;

/** What is not valid is not ignored: a change would then concern more people than meant. */
export async function wantedIn(context: PageContext): Promise<Wanted> {
  const { search = null, name = null, conditions = "[]" } = await context.filter();
  return {
    ...{ search, name, state: stateIn(context.query), list: listIn(context.query) },
    // Nobody else can encrypt them.
    filter: JSON.parse(conditions) as Wanted["filter"],
  };
}
export function stateIn(query: URLSearchParams): State | null {
  const given = query.get("state");
  const state = states.find((one) => one === given);
  if (given !== null && state === undefined) throw new NoSuchPage();
  return state ?? null;
}
export function listIn(query: URLSearchParams): number | null {
  const given = query.get("list");
  if (given === null) return null;
  const [list] = idsIn(given);
  if (list === undefined) throw new NoSuchPage();
  return list;
}

/** The address of a page about these subscribers. `page`: its path as it is declared. */
export async function addressFor(
  context: PageContext,
  page: string,
  { search, name, state, list, filter: conditions }: Wanted,
  more: Readonly<Record<string, string | null>> = {},
): Promise<string> {
  const values = {
    ...{ search: search ?? "", name: name ?? "" },
    conditions: conditions.length === 0 ? "" : JSON.stringify(conditions),
  };
  const filter = await context.encrypt(values, page);
  const path = context.link(page.replace("/{account}", ""));
  return withQuery(path, { state, list: list === null ? null : String(list), filter, ...more });
}
