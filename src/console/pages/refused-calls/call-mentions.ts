/** What the arguments of a refused call name: a list and a person, if they exist. */
import { InvalidInput } from "#admin/kit/errors.ts";
import type { KeptArguments } from "#admin/refusals/parameters.ts";
import { showAddress } from "#admin/subscribers/address-status.ts";
import type { List } from "#domain/list.ts";
import type { Html } from "#html/html.ts";
import { linkTo, objectLinks } from "../../kit/addresses/object-links.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./call.texts.ts";

/** By the name of the argument. */
export type Mentioned = ReadonlyMap<string, Html | string>;
type InAccount = Pick<Visit<"/{account}">, "perform" | "account" | "link">;

export const LIST = "SubscribersListID";
const ADDRESS = "EMail";

export async function mentionedBy(
  visit: InAccount,
  kept: KeptArguments,
  lists: readonly List[],
): Promise<Mentioned> {
  const [list, person] = [kept[LIST], kept[ADDRESS]];
  const found = new Map<string, Html | string>();
  if (typeof list === "string") found.set(LIST, listText(visit, list, lists));
  const link = typeof person === "string" ? await personLink(visit, person) : null;
  if (link !== null) found.set(ADDRESS, link);
  return found;
}

function listText(visit: InAccount, given: string, lists: readonly List[]): Html | string {
  const found = lists.find(({ id }) => String(id) === given.trim());
  return found === undefined
    ? texts.noList
    : linkTo(objectLinks(visit).list(found.id), texts.isList(found.name));
}

async function personLink(visit: InAccount, email: string): Promise<Html | null> {
  try {
    const { subscriber } = await visit.perform(showAddress, { account: visit.account.id, email });
    return subscriber === null ? null : linkTo(objectLinks(visit).subscriber(subscriber), texts.isPerson);
  } catch (error) {
    // An address that is not valid is the reason of many refusals.
    if (error instanceof InvalidInput) return null;
    throw error;
  }
}
