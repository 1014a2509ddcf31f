/** Shared by the PostgreSQL tests: an account with data, and direct SQL access. */
import assert from "node:assert/strict";
import { Client } from "pg";
import { parseAddress } from "#domain/address.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";

export async function query<Row extends object>(url: string, sql: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** An account with a list and a campaign, and commands about them. */
export async function newAccount(store: Store) {
  const account = (await store.accounts.create({ name: "A", at: 1 })).id;
  const list = (await store.lists.create({ account, name: "L", at: 1 })).id;
  const campaign = await store.campaigns.record({
    account,
    name: "C",
    lists: [list],
    createdAt: 1,
    sentAt: 1,
  });
  assert.ok("id" in campaign);
  const about = (email: string, at = 1) =>
    ({
      account,
      at,
      origin: { kind: "operator" },
      recordedCall: { operation: "Op", args: email, isCut: false },
      address: parseAddress(email),
    }) as const;
  return {
    account,
    list,
    campaign: campaign.id,
    about,
    add: (email: string, at = 1) => store.subscribers.add({ ...about(email, at), list }),
    remove: (email: string) => store.subscribers.remove({ ...about(email), list }),
    unsubscribe: (email: string) => store.subscribers.unsubscribe(about(email)),
    reactivate: (email: string) =>
      store.subscribers.reactivate({ ...about(email), suppression: "unsubscribed", reason: "asked" }),
    members: async () =>
      (await collect(store.lists.all.pages({ account }))).find(({ id }) => id === list)?.members ?? null,
  };
}
