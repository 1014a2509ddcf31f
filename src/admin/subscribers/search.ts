/** Finds subscribers of an account. */

import { originOfActor } from "#domain/access/audit.ts";
import type { AccountId } from "#domain/account.ts";
import type { Block } from "#domain/block.ts";
import type { MonotonicClock } from "#domain/clocks.ts";
import type { ListId } from "#domain/list.ts";
import type { Page } from "#domain/ports/listing.ts";
import type { FoundSubscriber } from "#domain/ports/subscribers.ts";
import type { Filter } from "#domain/subscriber/filter.ts";
import {
  type AddressSearch,
  ordersOf,
  parseAddressSearch,
  type SubscriberOrder,
  type SubscriberSearch,
} from "#domain/subscriber/search.ts";
import type { State, SubscriberId, Suppressions } from "#domain/subscriber/subscriber.ts";
import { actorNames, type NamedActor, namedActor } from "../actor-names.ts";
import { type InAccount, type Performing, query } from "../kit/action.ts";
import { InvalidInput } from "../kit/errors.ts";
import { requireAddress, requireName } from "../kit/inputs.ts";
import { type PageInputs, pageOf } from "../kit/paging.ts";
import { requireList } from "../lists.ts";
import { requireConditions } from "./conditions.ts";
import { keptSuppressions } from "./record.ts";

/** null: any. */
export interface SubscriberFilter extends InAccount {
  /** `ada@example.org`, `@example.org`, or the beginning of an address. */
  readonly search: string | null;
  /** The beginning of a first name, a last name, or both. */
  readonly name: string | null;
  readonly state: State | null;
  readonly list: ListId | null;
  /** Empty: any. */
  readonly filter: Filter;
}
/** Whether it has no condition at all. */
export const findsEverybody = ({
  search,
  name,
  state,
  list,
  filter,
}: Omit<SubscriberFilter, "account">): boolean =>
  (search ?? name ?? state ?? list) === null && filter.length === 0;

export interface FindSubscribers extends SubscriberFilter, PageInputs {
  /** One of `sortsOf` the filter; absent or null: the order that is quickest. */
  readonly sort?: SubscriberOrder | null;
  /** How long a search goes on that has not found enough; a second, if absent. */
  readonly withinMs?: number;
  /** What that second is measured by: the wall clock may be set. */
  readonly elapsed?: MonotonicClock;
}
export interface FoundSubscribers extends Page<FoundSubscriber> {
  /** How many subscribers were looked at, if there may be more matches than fitted into the time. */
  readonly searched: number | null;
}

const toSearch = ({
  search,
  name,
  state,
  list,
  filter,
}: Omit<SubscriberFilter, "account">): SubscriberSearch => ({
  address: search === null ? null : requireSearch(search),
  name: name === null ? null : requireName(name),
  state,
  list,
  filter,
});

/** Also checks that the list exists, and what the conditions are about. */
export async function requireFilter(admin: Performing, filter: SubscriberFilter): Promise<SubscriberSearch> {
  const { account, list } = filter;
  const wanted = toSearch(filter);
  if (list !== null) await requireList(admin, { account, id: list }, "list");
  return { ...wanted, filter: await requireConditions(admin, account, filter.filter) };
}

/** The orders in which the subscribers that a filter finds can be listed. */
export const sortsOf = (filter: Omit<SubscriberFilter, "account">): readonly SubscriberOrder[] =>
  ordersOf(toSearch(filter));

function requireSort(search: SubscriberSearch, sort: SubscriberOrder): SubscriberOrder {
  const possible = ordersOf(search);
  if (possible.includes(sort)) return sort;
  throw new InvalidInput("sort", `is not possible for this search; possible: ${possible.join(", ")}`);
}

/**
 * Without `sort`, in the order of addresses. With a list, and neither an address nor the beginning of one, in
 * the order in which they became subscribers. A search by name, domain, state or a filter may look at many
 * who do not match: it ends after a second, with a cursor, even if it has found fewer than the limit, or
 * none.
 */
export const findSubscribers = query(
  "subscriber.list",
  "viewer",
  async (
    admin,
    { withinMs = 1000, elapsed = () => performance.now(), ...given }: FindSubscribers,
  ): Promise<FoundSubscribers> => {
    const { account, limit } = given;
    const until = elapsed() + withinMs;
    const wanted = await requireFilter(admin, given);
    const search = { account, ...wanted, order: given.sort ? requireSort(wanted, given.sort) : undefined };
    const isBackward = (given.before ?? null) !== null;
    let page = await pageOf(admin.store.subscribers.search, search, given);
    for (;;) {
      const { rows, previous, next, visited = 0 } = page;
      const cursor = isBackward ? previous : next;
      if (cursor === null || rows.length >= limit) return { ...page, searched: null };
      if (elapsed() >= until) return { ...page, searched: await atMostAll(admin, account, visited) };
      const range = { limit: limit - rows.length, [isBackward ? "before" : "after"]: cursor };
      const more = await pageOf(admin.store.subscribers.search, search, range);
      page = {
        rows: isBackward ? [...more.rows, ...rows] : [...rows, ...more.rows],
        previous: isBackward ? more.previous : previous,
        next: isBackward ? next : more.next,
        visited: visited + (more.visited ?? 0),
      };
    }
  },
);
/** SQLite may visit rows of other accounts, too. */
async function atMostAll({ store }: Performing, account: AccountId, visited: number): Promise<number> {
  const counts = await store.subscribers.countStates({ account });
  return Math.min(
    visited,
    Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0),
  );
}

function requireSearch(given: string): AddressSearch {
  const search = parseAddressSearch(given);
  if (search === null)
    throw new InvalidInput(
      "search",
      "is neither an e-mail address, nor a domain such as @example.org, nor the beginning of an address; to find a person by name, search by name",
    );
  return search;
}

/** Whether an address can be added, and why not: also of an address that is no subscriber. */
interface CoveringBlock extends Block {
  /** Who added it; null if it is not known, or if the audit log has too many newer entries. */
  readonly by: NamedActor | null;
}
export interface AddressStatus {
  readonly address: string;
  /** null: the address is no subscriber. */
  readonly subscriber: SubscriberId | null;
  readonly blocks: readonly CoveringBlock[];
  /** What stays in force after the subscriber was erased; null: nothing. */
  readonly kept: Suppressions | null;
}

/** How many of the newest entries of the audit log are looked at. */
const MAX_ENTRIES = 10_000;

export const showAddress = query(
  "subscriber.address",
  "viewer",
  async ({ store }, { account, email }: InAccount & { readonly email: string }): Promise<AddressStatus> => {
    const address = requireAddress(email);
    const [found, blocks, kept] = await Promise.all([
      store.subscribers.find({ account, address }),
      store.blocks.covering({ account, address }),
      keptSuppressions(store, { account }, address),
    ]);
    const origins = await Promise.all(
      blocks.map(async ({ pattern }) => {
        const changes = await store.audit.ofBlock({ account, pattern, most: MAX_ENTRIES });
        const added = changes.findLast(({ action: name }) => name === "block.add");
        return added === undefined ? null : originOfActor(added.actor);
      }),
    );
    const names = await actorNames(store, account, origins);
    return {
      address: address.text,
      subscriber: found?.id ?? null,
      blocks: blocks.map((block, at) => {
        const origin = origins[at] ?? null;
        return { ...block, by: origin === null ? null : namedActor(origin, names) };
      }),
      kept,
    };
  },
);
