/**
 * Several nodes send two campaigns of one sender at the same time, while callers change their subscribers, in
 * every store: nobody waits for ever, and everybody is sent to once.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { DeliveryResult } from "#domain/ports/sending/ledger.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import type { Store } from "#domain/ports/store.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { forEachOf, NOW } from "../actor.ts";
import { emails, LEASE, type Nodes, scheduledCampaign, select } from "./sent-campaign.ts";

const PEOPLE = 60;

/** Takes batches until there are none, and sends to each recipient in groups of five; every ninth bounces. */
async function sendAll(
  { ledger }: Store,
  of: OfMailing,
  owner: string,
  onStart: (subscriber: SubscriberId) => void,
): Promise<void> {
  const lease = { owner, now: NOW, until: NOW + LEASE };
  for (;;) {
    const { batch } = await ledger.take({ ...of, ...lease, limit: 10 });
    if (batch === null) return;
    const left = [...batch.recipients];
    let results: readonly DeliveryResult[] = [];
    while (left.length > 0 || results.length > 0) {
      const starts = left.splice(0, 5).map(({ subscriber, address }) => ({ subscriber, address }));
      const proceeded = await ledger.proceed({ ...of, ...lease, batch: batch.id, results, starts });
      const begun = starts.filter((_, n) => proceeded.starts[n] === "started");
      for (const { subscriber } of begun) onStart(subscriber);
      results = begun.map(({ subscriber }) =>
        subscriber % 9 === 0
          ? { subscriber, state: "failed", code: 550, reply: "550 5.1.1", isHardBounce: true }
          : { subscriber, state: "sent", code: 250 },
      );
    }
  }
}

export function ledgerNodesSuite(name: string, { stores }: Nodes): void {
  describe(`nodes that send together in ${name}`, () => {
    test("two nodes send two campaigns of one sender while callers write, and nobody is sent to twice", async () => {
      const [store] = stores();
      const c = await scheduledCampaign(store, emails(PEOPLE), { limits: { perDay: 10_000 } });
      const content = (await store.mailings.byId(c.of))?.content ?? assert.fail();
      const { account } = c;
      const made = await store.mailings.create({ account, name: "Summer", content, at: NOW });
      assert.ok("campaign" in made);
      const other = { account, campaign: made.campaign.id };
      await store.mailings.change({ ...other, change: "schedule", at: NOW, now: NOW });
      const sent = new Map<string, number>();
      for (const one of [c.of, other]) {
        await store.ledger.begin({ ...one, now: NOW });
        await select(store, one.campaign);
      }
      await Promise.all([
        ...stores().flatMap((node, n) =>
          [c.of, other].map((of) =>
            sendAll(node, of, `node ${n}`, (subscriber) => {
              const key = `${of.campaign} ${subscriber}`;
              sent.set(key, (sent.get(key) ?? 0) + 1);
            }),
          ),
        ),
        forEachOf(emails(PEOPLE, "late.example"), (email) => c.add(c.list, email)),
        forEachOf(emails(PEOPLE).slice(0, 10), (email) => c.unsubscribe(email)),
      ]);
      assert.deepEqual(
        [...sent].filter(([, times]) => times > 1),
        [],
      );
      for (const one of [c.of, other]) {
        const { batch } = await store.ledger.take({
          ...one,
          owner: "last",
          now: NOW,
          until: NOW + LEASE,
          limit: 10,
        });
        assert.equal(batch, null);
        const { mailing, isBalanced } = (await store.mailings.balance(one)) ?? assert.fail();
        assert.deepEqual([isBalanced, mailing.state, mailing.selected], [true, "finished", PEOPLE]);
        const { sent: accepted, failed, skipped } = mailing.counts;
        assert.equal(accepted + failed + skipped, PEOPLE);
        assert.equal(failed, (await c.lost(one.campaign, "bounced")).length);
      }
    });
  });
}
