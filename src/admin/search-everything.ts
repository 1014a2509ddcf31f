/** One search field for everything: what a text may mean to the user who types it. */
import type { AccountId } from "#domain/account.ts";
import type { Store } from "#domain/ports/store.ts";
import { type AddressSearch, parseAddressSearch } from "#domain/subscriber/search.ts";
import { type InAccount, query } from "./kit/action.ts";
import { requireName } from "./kit/inputs.ts";

/** How many of each kind are found. */
export const MAX_FOUND = 5;

/** What looks like an address may be the beginning of one, such as `ada@exam`. */
async function byAddress({ subscribers }: Store, account: AccountId, text: string) {
  const find = async (address: AddressSearch) => {
    const search = { account, address, name: null, state: null, list: null, filter: [] };
    return (await subscribers.search.page(search, { after: null, limit: MAX_FOUND })).rows;
  };
  const address = parseAddressSearch(text);
  if (address === null || "domain" in address) return [];
  const found = await find(address);
  return found.length > 0 || "startsWith" in address ? found : find({ startsWith: text.toLowerCase() });
}

/**
 * Subscribers by address or its beginning; lists, campaigns and keys by the beginning of the name, keys also
 * by their first characters; a refused call by its id. Each visits a bounded number of rows.
 */
export const searchEverything = query(
  "search.everything",
  "viewer",
  async ({ store }, { account, text: given }: InAccount & { readonly text: string }) => {
    const text = requireName(given, "text");
    const beginning = { account, text, limit: MAX_FOUND };
    const [subscribers, lists, campaigns, keys, refusedCall] = await Promise.all([
      byAddress(store, account, text),
      store.lists.named(beginning),
      store.campaigns.named(beginning),
      store.keys.named(beginning),
      /^[1-9]\d{0,14}$/.test(text) ? store.refusals.byId({ account, id: Number(text) }) : null,
    ]);
    return { subscribers, lists, campaigns, keys, refusedCall };
  },
);
