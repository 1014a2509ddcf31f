/** What the routes are called with: an account with one of everything, and requests that need its ids. */
import assert from "node:assert/strict";
import type { Store } from "../../../src/domain/ports/store.ts";
import { actor, newAccount } from "../../store/actor.ts";
import type { ApiServer } from "./api-server.ts";

export interface World {
  readonly account: number;
  /** By the names of path parameters. */
  readonly ids: Readonly<Record<string, number | bigint>>;
}

export async function newWorld(store: Store): Promise<World> {
  const account = await newAccount(store);
  const of = actor(store, account, (email) => ({
    operation: "Subscriber.Add",
    args: JSON.stringify({ EMail: email, SubscribersListID: 1 }),
    isCut: false,
    key: null,
  }));
  const list = await of.list("News");
  await of.add(list, "ada@example.org");
  await of.add(999_999_999, "grace@example.org");
  const field = await of.createField("Size");
  assert.ok(field !== null && typeof field === "object");
  await of.block("@example.com");
  const key = await store.keys.create({
    account,
    label: "Shop",
    scope: "full",
    expiresAt: null,
    hash: Buffer.from(`${account}`.padStart(32, "0")),
    hint: "0123",
    length: 32,
    at: 1,
  });
  assert.ok(key);
  const search = { account, address: { is: "ada@example.org" }, name: null, state: null, list: null };
  const [subscriber] = (await store.subscribers.search.page(search, { after: null, limit: 1 })).rows;
  assert.ok(subscriber);
  return {
    account,
    ids: {
      account,
      list,
      field: field.id,
      key: key.id,
      campaign: await of.campaign([list]),
      subscriber: subscriber.id,
    },
  };
}

interface Given {
  readonly query?: string;
  readonly body?: unknown;
  readonly path?: string;
}
type Request = ((world: World, api: ApiServer) => Promise<Given>) & { readonly isBytes?: boolean };

/** Of the operations whose examples name things that do not exist here. */
export const requests: Readonly<Record<string, Request>> = {
  "account.delete": async () => ({ body: { name: "Acme" } }),
  "subscriber.search": async ({ ids }) => ({ body: { search: "@example.org", list: String(ids.list) } }),
  "subscriber.add": async ({ ids }) => ({
    body: {
      list: String(ids.list),
      email: "new@example.org",
      firstName: "New",
      country: "GB",
      values: [{ field: "Size", value: "9" }],
    },
  }),
  "subscriber.reactivate": async ({ account }, { store }) => {
    await actor(store, account).unsubscribe("ada@example.org");
    return { body: { suppression: "unsubscribed", reason: "asked" } };
  },
  "subscriber.reactivateAddress": async ({ account }, { store }) => {
    await actor(store, account).unsubscribe("ada@example.org");
    return { body: { email: "ada@example.org", suppression: "unsubscribed", reason: "asked" } };
  },
};
