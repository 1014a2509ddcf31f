/** A campaign of the first account whose letters came back from these addresses, for tests of long lists. */
import assert from "node:assert/strict";
import type { Store } from "#domain/ports/store.ts";

/** Its id. They came back one after the other, which is the order that they are told in. */
export async function recordBounces(store: Store, addresses: readonly string[]): Promise<number> {
  const made = await store.campaigns.record({
    account: 1,
    name: "Big",
    lists: [1],
    createdAt: 1,
    sentAt: 1,
  });
  assert.ok("id" in made);
  await Promise.all(
    addresses.map((text, at) =>
      store.campaigns.recordEvent({
        account: 1,
        at,
        origin: { kind: "import", batch: null },
        recordedCall: null,
        address: { text, key: text, domain: text.slice(text.indexOf("@") + 1) },
        campaign: made.id,
        event: "bounced",
      }),
    ),
  );
  return made.id;
}
