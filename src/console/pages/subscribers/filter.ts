/**
 * Which subscribers a page is about, in its address: state and list are readable, what is about a person is
 * encrypted.
 */

import type { SubscriberFilter } from "#admin/subscribers/search.ts";
import { type State, states } from "#domain/subscriber/subscriber.ts";
import { NoSuchPage } from "../../kit/errors.ts";
import { idsIn } from "../../kit/form.ts";
import { withQuery } from "../../kit/listing.ts";
import type { PageContext } from "../../kit/page.ts";

export const stateNames: Readonly<Record<State, string>> = {
  active: "Active",
  unsubscribed: "Unsubscribed",
  bounced: "Bounced",
  complained: "Complained",
  blocked: "Blocked",
};
export const stillHolds: Readonly<Record<State, string>> = {
  active: "",
  unsubscribed: "The person had unsubscribed and was erased. The address stays unsubscribed, since",
  bounced: "The address had bounced and its subscriber was erased. It stays bounced, since",
  complained: "The person had complained and was erased. That stays in force, since",
  blocked: "The address was blocked and its subscriber was erased. It stays blocked, since",
};

/** The page that changes many subscribers at once. */
export const CHANGE_PATH = "/{account}/subscribers/change";

export type Wanted = Omit<SubscriberFilter, "account">;

/** What is not valid is not ignored: a change would then concern more people than meant. */
export async function wantedIn(context: PageContext): Promise<Wanted> {
  const { search = null, name = null } = await context.filter();
  return { search, name, state: stateIn(context.query), list: listIn(context.query) };
}
function stateIn(query: URLSearchParams): State | null {
  const given = query.get("state");
  const state = states.find((one) => one === given);
  if (given !== null && state === undefined) throw new NoSuchPage();
  return state ?? null;
}
function listIn(query: URLSearchParams): number | null {
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
  { search, name, state, list }: Wanted,
  more: Readonly<Record<string, string | null>> = {},
): Promise<string> {
  const filter = await context.encrypt({ search: search ?? "", name: name ?? "" }, page);
  const path = context.link(page.replace("/{account}", ""));
  return withQuery(path, { state, list: list === null ? null : String(list), filter, ...more });
}

export const isEverybody = (wanted: Wanted): boolean => Object.values(wanted).every((one) => one === null);
