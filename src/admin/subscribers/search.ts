/** Finds subscribers of an account. */
import type { ListId } from "../../domain/list.ts";
import type { Page } from "../../domain/ports/listing.ts";
import type { FoundSubscriber } from "../../domain/ports/subscribers.ts";
import {
  type AddressSearch,
  parseAddressSearch,
  type SubscriberSearch,
} from "../../domain/subscriber/search.ts";
import type { State } from "../../domain/subscriber/subscriber.ts";
import { action, type InAccount, type Performing } from "../kit/action.ts";
import { InvalidInput } from "../kit/errors.ts";
import { requireName } from "../kit/inputs.ts";
import { type PageInputs, pageOf } from "../kit/paging.ts";
import { requireList } from "../lists.ts";

/** null: any. */
export interface SubscriberFilter extends InAccount {
  /** `ada@example.org`, `@example.org`, or the beginning of an address. */
  readonly search: string | null;
  /** The beginning of a first name, a last name, or both. */
  readonly name: string | null;
  readonly state: State | null;
  readonly list: ListId | null;
}
export type FindSubscribers = SubscriberFilter & PageInputs;

/** Also checks that the list exists. */
export async function requireFilter(
  admin: Performing,
  { account, search, name, state, list }: SubscriberFilter,
): Promise<SubscriberSearch> {
  const address = search === null ? null : requireSearch(search);
  const wanted = { address, name: name === null ? null : requireName(name), state, list };
  if (list !== null) await requireList(admin, { account, id: list }, "list");
  return wanted;
}

/**
 * In the order of addresses. With a list, and neither an address nor the beginning of one, in the order in
 * which they became subscribers. A page can have fewer rows than the limit, or none, although there are more
 * matches. Then it has a cursor.
 */
export const findSubscribers = action(
  "subscriber.list",
  "viewer",
  "nothing",
  async (admin, given: FindSubscribers): Promise<Page<FoundSubscriber>> => {
    const { account } = given;
    const wanted = await requireFilter(admin, given);
    return await pageOf(admin.store.subscribers.search, { account, ...wanted }, given);
  },
);

function requireSearch(given: string): AddressSearch {
  const search = parseAddressSearch(given);
  if (search === null)
    throw new InvalidInput(
      "search",
      "is neither an e-mail address, nor a domain such as @example.org, nor the beginning of an address; to find a person by name, search by name",
    );
  return search;
}
