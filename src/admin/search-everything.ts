/** One search field for everything: what a text may mean to somebody who types it. */
import { parseAddressSearch } from "../domain/subscriber/search.ts";
import { action, type InAccount } from "./kit/action.ts";
import { requireName } from "./kit/inputs.ts";

/** How many of each kind are found. */
export const MOST_FOUND = 5;

/**
 * Subscribers by address or its beginning; lists, campaigns and keys by the beginning of the name, keys also
 * by their first characters; a refused call by its id. Each visits a bounded number of rows.
 */
export const searchEverything = action(
  "search.everything",
  "viewer",
  "nothing",
  async ({ store }, { account, text: given }: InAccount & { readonly text: string }) => {
    const text = requireName(given, "text");
    const address = parseAddressSearch(text);
    const isAddress = address !== null && !("domain" in address);
    const beginning = { account, text, limit: MOST_FOUND };
    const search = { account, address, name: null, state: null, list: null };
    const [subscribers, lists, campaigns, keys, refusedCall] = await Promise.all([
      isAddress ? store.subscribers.search.page(search, { after: null, limit: MOST_FOUND }) : { rows: [] },
      store.lists.named(beginning),
      store.campaigns.named(beginning),
      store.keys.named(beginning),
      /^[1-9]\d{0,14}$/.test(text) ? store.refusals.byId({ account, id: Number(text) }) : null,
    ]);
    return { subscribers: subscribers.rows, lists, campaigns, keys, refusedCall };
  },
);
