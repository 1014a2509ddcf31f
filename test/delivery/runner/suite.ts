/** What holds on both databases. The test file of a store calls it with a function that opens an empty one. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Store } from "../../../src/domain/ports/store.ts";
import { startFaultyRelay } from "../smtp/faulty-relay.ts";
import {
  change,
  checkBalance,
  draft,
  emails,
  mailingOf,
  startSending,
  until,
  untilState,
  untilTrue,
} from "./sending.ts";

export function sendingSuite(name: string, open: () => Promise<Store>): void {
  describe(`sending on ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => store.close());

    test("sends a campaign once to each recipient", async () => {
      await using relay = await startFaultyRelay({});
      const addresses = emails(700);
      const campaign = await draft(store, addresses);
      await using sending = startSending(store, relay.url);
      await change(store, campaign, "schedule");
      sending.runner.wake();
      const { counts } = await untilState(store, campaign, "finished");
      assert.equal(counts.sent, 700);
      assert.deepEqual(relay.complete.toSorted(), addresses.toSorted());
      assert.ok(relay.most() <= 10, `${relay.most()} connections`);
      await checkBalance(store, campaign);
      assert.deepEqual(sending.seen, ["began: selecting"]);
    });
  });
}
