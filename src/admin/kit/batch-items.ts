/** The items of a request with many of them. */
import type { IdempotentStore, Store } from "#domain/ports/store.ts";
import type { Performing } from "./action.ts";

/**
 * If the request is repeated, the writes of an item are identified by its position: an item that was refused
 * before may be accepted now, and must not get the result of another.
 */
export const forItem = (admin: Performing, index: number): Performing => ({
  ...admin,
  store: isIdempotent(admin.store) ? admin.store.item(index) : admin.store,
});
const isIdempotent = (store: Store): store is IdempotentStore => "item" in store;
