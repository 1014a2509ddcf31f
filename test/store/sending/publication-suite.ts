/** When a campaign becomes visible to everybody: with its first result, whoever stores it. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { Store } from "#domain/ports/store.ts";
import { stateNumber } from "#domain/sending/recipient.ts";
import { NOW } from "../actor.ts";
import {
  batchOf,
  DEFERRED,
  emails,
  failed,
  LEASE,
  type Nodes,
  SENT,
  type SentCampaign,
  sentCampaign,
  UNKNOWN,
} from "./sent-campaign.ts";

export function publicationSuite(name: string, { stores, sql }: Nodes): void {
  describe(`campaigns that become visible in ${name}`, () => {
    let store: Store;
    let second: Store;
    before(() => {
      [store, second] = stores();
    });

    const [first = "", next = ""] = emails(2);
    /** Its date and its lists, as callers see them. */
    const visible = async (c: SentCampaign) => {
      const found = await store.campaigns.visibleById({ account: c.account, id: c.campaign });
      return found === null ? null : [found.sentAt, ...(await listNames(c))];
    };
    const listNames = async ({ of }: SentCampaign) =>
      (await store.campaigns.targetedLists.page(of, { after: null, limit: 5 })).rows.map((list) => list.name);
    const lost = NOW + LEASE + 1;

    for (const [what, outcome] of Object.entries({
      "one that was sent": SENT,
      "one that the relay refused": failed(false),
      "one whose connection was lost": UNKNOWN,
    }))
      test(`the first result makes a campaign visible, with its date and the names of its lists: ${what}`, async () => {
        const c = await sentCampaign(store, emails(2));
        const one = c.node("one");
        const batch = batchOf(await one.take());
        const begun = await one.start(batch, [first], NOW + 7);
        assert.deepEqual([begun.isVisible, await visible(c)], [false, null], "an attempt is no result");
        assert.deepEqual(await listNames(c), ["News"], "who gets the message can leave its list");
        assert.equal((await one.report(batch, { [first]: outcome }, NOW + 8)).isVisible, true);
        assert.equal((await one.send(batch, next, outcome, NOW + 9)).isVisible, true);
        const other = await c.node("another").report(batch, {}, NOW + 10);
        assert.equal(other.isVisible, true, "a node that has not seen it looks it up");
        assert.deepEqual(await visible(c), [NOW + 8, "News"]);
        assert.equal((await store.campaigns.lastSent({ account: c.account }))?.id, c.campaign);
      });

    test("a campaign that nobody got stays invisible, also when it is cancelled", async () => {
      const c = await sentCampaign(store, emails(3));
      const one = c.node("one");
      const batch = batchOf(await one.take());
      await one.send(batch, first, { state: "queued", isAttempt: true, afterMs: 500 });
      await one.send(batch, next, DEFERRED);
      await c.unsubscribe(emails(3)[2] ?? "");
      await one.start(batch, emails(3).slice(2));
      assert.deepEqual(Object.values(await c.states()), ["queued", "deferred", "skipped"]);
      await c.change("cancel");
      assert.equal(await visible(c), null);
    });

    /** Each makes the recipient that was being sent unknown. */
    const losses: Readonly<Record<string, (c: SentCampaign) => Promise<unknown>>> = {
      "the batch is taken over": (c) => c.node("two", second).take(lost),
      "the batch of a paused campaign has expired": async (c) => {
        await c.change("pause");
        await second.ledger.release({ ...c.of, now: lost });
      },
      "the campaign is cancelled after its process died": (c) => c.change("cancel", lost),
    };
    for (const [what, lose] of Object.entries(losses))
      test(`a recipient that may have the message makes a campaign visible: ${what}`, async () => {
        const c = await sentCampaign(store, emails(2));
        const one = c.node("one");
        await one.start(batchOf(await one.take()), [first]);
        assert.equal(await visible(c), null);
        await lose(c);
        assert.deepEqual(Object.values(await c.states()), ["unknown", "queued"]);
        assert.deepEqual(await visible(c), [lost, "News"]);
      });

    test("a recipient that may have the message makes a campaign visible: the batch is given back", async () => {
      const c = await sentCampaign(store, emails(2));
      const one = c.node("one");
      const batch = batchOf(await one.take());
      await one.start(batch, [first]);
      await one.giveBack(batch, NOW + 3);
      assert.deepEqual(await visible(c), [NOW + 3, "News"]);
    });

    for (const change of ["cancel", "resume"] as const)
      test(`a restored campaign in whose backup somebody was being sent to is visible after ${change}`, async () => {
        const c = await sentCampaign(store, emails(2));
        const one = c.node("one");
        await one.start(batchOf(await one.take()), [first]);
        // As a copy of the database has it.
        await sql(`UPDATE recipient SET state = ${stateNumber("unknown")}
          WHERE campaign_id = ${c.campaign} AND state = ${stateNumber("sending")}`);
        await sql(
          `UPDATE mailing SET state = 'held', sending = 0, unknown = 1 WHERE campaign_id = ${c.campaign}`,
        );
        await c.change(change, NOW + 5);
        assert.deepEqual(await visible(c), [NOW + 5, "News"]);
      });

    test("two processes that store the first results at once make it visible once", async () => {
      const c = await sentCampaign(store, emails(2));
      const [one, two] = [c.node("one"), c.node("two", second)];
      const [ours, theirs] = [batchOf(await one.take(NOW, 1)), batchOf(await two.take(NOW, 1))];
      await one.start(ours, [first]);
      await two.start(theirs, [next]);
      await Promise.all([one.report(ours, { [first]: SENT }), two.report(theirs, { [next]: SENT })]);
      assert.deepEqual(await visible(c), [NOW, "News"]);
    });
  });
}
