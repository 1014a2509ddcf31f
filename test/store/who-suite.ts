/** Who did it: what both stores keep about the person behind a change. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Origin } from "../../src/domain/origin.ts";
import type { Store } from "../../src/domain/ports/store.ts";
import { actor, addressOf, NOW, newAccount } from "./actor.ts";

export function whoSuite(name: string, open: () => Promise<Store>): void {
  describe(`who did it, in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => store.close());

    test("a history entry has the name of the operator, next to entries that have none", async () => {
      const account = await newAccount(store);
      const list = await actor(store, account).list();
      const origins: readonly Origin[] = [
        { kind: "operator", name: "ada" },
        { kind: "key", key: 7 },
        { kind: "operator" },
        { kind: "link" },
      ];
      const added = (origin: Origin, index: number) => ({
        account,
        at: NOW,
        origin,
        recordedCall: null,
        address: addressOf(`p${index}@example.org`),
      });
      // Together, so that they share a commit; then apart.
      await Promise.all(
        origins.map((origin, index) => store.subscribers.add({ ...added(origin, index), list })),
      );
      for (const [index, origin] of origins.entries())
        await store.subscribers.unsubscribe(added(origin, index));
      for (const [index, origin] of origins.entries()) {
        const person = await store.subscribers.byAddress(added(origin, index));
        assert.deepEqual(
          person?.history.map((entry) => [entry.kind, entry.origin]),
          [
            ["joined", origin],
            ["unsubscribed", origin],
          ],
        );
      }
    });
  });
}
