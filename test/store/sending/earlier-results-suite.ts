/** What recipients become again if their campaign is cancelled after they were put back, in every store. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { restoreRecipientsJob } from "#domain/job/kinds.ts";
import { collect } from "#domain/paging.ts";
import { type RetriedState, retriedStates, stateNumber } from "#domain/sending/recipient.ts";
import { JOB_STEP } from "#store/writes/step-limits.ts";
import { addressOf, NOW } from "../actor.ts";
import { finish, leaseAt, stepOf } from "../job-steps.ts";
import {
  addressesOf,
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

const [ann, bob, cia, dan] = ["ann", "bob", "cia", "dan"].map((name) => `${name}@example.org`) as [
  string,
  string,
  string,
  string,
];
const MINUTE = 60_000;
const LATER = NOW + MINUTE;
const QUEUED = { state: "queued", isAttempt: false, afterMs: 0 } as const;

export function earlierResultsSuite(_name: string, { stores, sql, count }: Nodes): void {
  describe("recipients that were put back", () => {
    const store = () => stores()[0];
    const recipients = ({ of }: SentCampaign) =>
      collect(store().mailings.recipients.pages({ ...of, state: null }));
    const rowsIn = (table: string, { campaign }: SentCampaign) =>
      count(`SELECT count(*) AS n FROM ${table} WHERE campaign_id = ${campaign}`);
    async function balance(c: SentCampaign) {
      const found = await store().mailings.balance(c.of);
      assert.equal(found?.isBalanced, true, JSON.stringify(found));
    }
    async function tryRetry(c: SentCampaign, states: readonly RetriedState[] = retriedStates, now = LATER) {
      const result = await store().mailings.retry({ ...c.of, states, now, lease: leaseAt(now) });
      assert.ok(result);
      await balance(c);
      return result;
    }
    async function retry(c: SentCampaign, states: readonly RetriedState[] = retriedStates, now = LATER) {
      const result = await tryRetry(c, states, now);
      assert.ok("mailing" in result);
      return result;
    }
    async function cancel(c: SentCampaign, now = LATER) {
      const result = await c.change("cancel", now);
      assert.ok(result !== null && typeof result === "object" && "counts" in result);
      await balance(c);
      assert.deepEqual(result, await c.mailing(), "the response has the counters after it");
    }
    /** Three people: one failed, of one the result is unknown, and one has it. */
    async function endedCampaign() {
      const c = await sentCampaign(store(), [ann, bob, cia]);
      const node = c.node("one");
      const batch = batchOf(await node.take());
      await node.send(batch, ann, failed(false));
      await node.send(batch, bob, UNKNOWN);
      await node.send(batch, cia, SENT);
      assert.equal(await node.take(), null);
      assert.equal((await c.mailing()).state, "finished");
      return { c, node, batch };
    }
    /** So many people whose rows the ledger has as unknown, each with a mark. */
    async function manyUnknown(many: number) {
      const c = await sentCampaign(store(), emails(many));
      await sql(
        `UPDATE recipient SET state = ${stateNumber("unknown")}, code = 7 WHERE campaign_id = ${c.campaign}`,
      );
      await sql(
        `UPDATE mailing SET state = 'finished', ended_at = ${NOW}, unknown = ${many} WHERE campaign_id = ${c.campaign}`,
      );
      return c;
    }
    async function restoring({ campaign }: SentCampaign, now = LATER) {
      const name = restoreRecipientsJob(campaign);
      const job = (await store().jobs.left()).find((one) => one.name === name);
      assert.ok(job);
      const lease = await store().jobs.take({ ...leaseAt(now), now, id: job.id });
      assert.ok(lease);
      return lease;
    }

    test("become what they were, with code, time and words, if nobody was sent to", async () => {
      const { c } = await endedCampaign();
      const before = await recipients(c);
      assert.deepEqual(
        before.map(({ state, code, reply }) => [state, code, reply]),
        [
          ["failed", 550, "550 5.1.1 no such user"],
          ["unknown", null, "connection lost"],
          ["sent", 250, null],
        ],
      );
      await retry(c, ["unknown"]);
      await cancel(c);
      assert.deepEqual(await recipients(c), before);
      await retry(c, ["failed"]);
      await cancel(c);
      assert.deepEqual(await recipients(c), before);
      await retry(c);
      assert.deepEqual(
        (await recipients(c)).map(({ state, reply }) => [state, reply]),
        [
          ["queued", null],
          ["queued", null],
          ["sent", null],
        ],
      );
      await cancel(c);
      assert.deepEqual(await recipients(c), before);
      for (const table of ["recipient_earlier", "recipient_retry"]) assert.equal(await rowsIn(table, c), 0);
      assert.equal((await c.mailing()).state, "cancelled");
    });

    test("keep the result of an attempt since then; a deferred one becomes what it was", async () => {
      const { c, node } = await endedCampaign();
      const before = await recipients(c);
      await retry(c);
      const batch = batchOf(await node.take(LATER));
      assert.deepEqual(addressesOf(batch), [ann, bob]);
      await node.send(batch, ann, DEFERRED, LATER);
      await node.send(batch, bob, SENT, LATER);
      assert.equal((await c.mailing()).counts.deferred, 1);
      await cancel(c);
      const [first, second] = await recipients(c);
      assert.deepEqual(first, before[0]);
      assert.deepEqual([second?.state, second?.code, second?.at], ["sent", 250, LATER]);
      for (const table of ["recipient_earlier", "recipient_retry"]) assert.equal(await rowsIn(table, c), 0);
    });

    test("in a batch while the campaign is cancelled are not sent to, and those being sent get their result", async () => {
      const c = await sentCampaign(store(), [ann, bob, cia, dan]);
      const node = c.node("one");
      const first = batchOf(await node.take());
      for (const email of [ann, bob, cia]) await node.send(first, email, UNKNOWN);
      await node.send(first, dan, failed(false));
      assert.equal(await node.take(), null);
      const before = await recipients(c);
      await retry(c);
      const batch = batchOf(await node.take(LATER));
      assert.equal(batch.recipients.length, 4);
      await node.start(batch, [bob, cia, dan], LATER);
      await cancel(c);
      assert.deepEqual(Object.values(await c.states()), ["unknown", "sending", "sending", "sending"]);
      assert.deepEqual((await node.start(batch, [ann], LATER)).starts, ["stopped"]);
      await node.report(batch, { [bob]: QUEUED, [dan]: DEFERRED }, LATER);
      const [one, two, , four] = await recipients(c);
      assert.deepEqual([one, two, four], [before[0], before[1], before[3]]);
      // The attempt that was under way is unknown now, at its own time.
      await node.giveBack(batch, LATER);
      const lost = (await recipients(c))[2];
      assert.deepEqual([lost?.state, lost?.at], ["unknown", LATER]);
      assert.deepEqual((await recipients(c))[0], before[0], "the end of the batch changes nobody else");
      assert.equal(await rowsIn("recipient_retry", c), 0);
      // A late result of that attempt leaves them with what they were before it.
      await node.report(batch, { [cia]: DEFERRED }, LATER);
      assert.deepEqual(await recipients(c), before);
      for (const table of ["recipient_earlier", "recipient_retry"]) assert.equal(await rowsIn(table, c), 0);
    });

    test("in the batch of a process that was killed are what they were, or unknown", async () => {
      const { c, node } = await endedCampaign();
      const before = await recipients(c);
      await retry(c);
      const batch = batchOf(await node.take(LATER));
      await node.start(batch, [ann], LATER);
      await cancel(c);
      const now = LATER + LEASE + 1;
      assert.equal(await store().ledger.release({ ...c.of, now }), 1);
      await balance(c);
      assert.deepEqual(Object.values(await c.states()), ["unknown", "unknown", "sent"]);
      assert.deepEqual((await recipients(c))[1], before[1]);
      assert.equal(await rowsIn("recipient_retry", c), 0);
    });

    test("have the mark of their attempt again: its late result is accepted, no other one", async () => {
      const c = await sentCampaign(store(), [ann, bob]);
      const node = c.node("one");
      const first = batchOf(await node.take());
      await node.start(first, [ann, bob]);
      await node.giveBack(first);
      assert.equal(await node.take(), null);
      await retry(c);
      const second = batchOf(await node.take(LATER));
      await node.start(second, [ann, bob], LATER);
      await node.report(second, { [ann]: QUEUED, [bob]: QUEUED }, LATER);
      await cancel(c);
      assert.deepEqual(Object.values(await c.states()), ["unknown", "unknown"]);
      await node.report(second, { [ann]: failed(false) }, LATER);
      assert.equal((await c.states())[ann], "unknown");
      await node.report(first, { [ann]: failed(false), [bob]: SENT }, LATER);
      assert.deepEqual(Object.values(await c.states()), ["failed", "sent"]);
    });

    test("are restored by a job in steps if they are many, also after it was interrupted", async () => {
      const many = 3 * JOB_STEP + 10;
      const c = await manyUnknown(many);
      const before = await recipients(c);
      const begun = await retry(c);
      assert.ok(begun.job);
      await finish(store(), begun.job, LATER);
      assert.equal((await c.mailing()).counts.queued, many);
      await cancel(c);
      assert.equal((await c.mailing()).counts.unknown, JOB_STEP);
      const lease = await restoring(c);
      assert.equal(await stepOf(store(), lease, LATER), "continues");
      await balance(c);
      assert.equal((await c.mailing()).counts.unknown, 2 * JOB_STEP);
      // As if the process was killed: another one continues, and may do a step again.
      await sql(`UPDATE job SET progress = '{"after":0}', leased_until = 1 WHERE id = ${lease.id}`);
      await finish(store(), await restoring(c, LATER + MINUTE), LATER + MINUTE);
      await balance(c);
      assert.deepEqual(await recipients(c), before);
      for (const table of ["recipient_earlier", "recipient_retry"]) assert.equal(await rowsIn(table, c), 0);
    });

    test("are all restored before the campaign can be retried again", async () => {
      const many = 3 * JOB_STEP + 10;
      const c = await manyUnknown(many);
      const begun = await retry(c);
      assert.ok(begun.job);
      await finish(store(), begun.job, LATER);
      await cancel(c);
      assert.deepEqual(await tryRetry(c), { restoring: c.campaign });
      assert.equal((await c.mailing()).counts.unknown, 2 * JOB_STEP, "it has restored some more");
      await finish(store(), await restoring(c), LATER);
      assert.equal((await c.mailing()).counts.unknown, many);
      const again = await retry(c);
      assert.equal(again.count, JOB_STEP);
      assert.ok(again.job);
      await finish(store(), again.job, LATER);
      const node = c.node("one");
      const batch = batchOf(await node.take(LATER, 20));
      assert.equal(batch.recipients.length, 20);
      for (const email of addressesOf(batch).slice(0, 3)) await node.send(batch, email, SENT, LATER);
      await cancel(c);
      await finish(store(), await restoring(c), LATER);
      await balance(c);
      const { counts } = await c.mailing();
      assert.deepEqual([counts.sent, counts.unknown, counts.queued], [3, many - 3, 0]);
    });

    test("of an interrupted job are restored by another cancellation", async () => {
      const many = JOB_STEP + 10;
      const c = await manyUnknown(many);
      const begun = await retry(c);
      assert.ok(begun.job);
      await finish(store(), begun.job, LATER);
      await cancel(c);
      await sql(
        `UPDATE job SET ended_at = 1, ending = 'interrupted' WHERE name = '${restoreRecipientsJob(c.campaign)}'`,
      );
      await cancel(c);
      assert.equal((await c.mailing()).counts.unknown, many);
      const left = (await store().jobs.interrupted()).map(({ name }) => name);
      assert.ok(!left.includes(restoreRecipientsJob(c.campaign)));
      const refused = await c.change("cancel", LATER);
      assert.ok(refused !== null && typeof refused === "object" && "wrongState" in refused);
    });

    test("leave nothing behind when the campaign is finished, by a job if they are many", async () => {
      const { c, node } = await endedCampaign();
      await retry(c);
      assert.equal(await rowsIn("recipient_earlier", c), 2);
      const batch = batchOf(await node.take(LATER));
      for (const email of [ann, bob]) await node.send(batch, email, SENT, LATER);
      assert.equal(await node.take(LATER), null);
      assert.equal((await c.mailing()).state, "finished");
      assert.equal(await rowsIn("recipient_earlier", c), 0);

      const many = JOB_STEP + 10;
      const large = await manyUnknown(many);
      const begun = await retry(large);
      assert.ok(begun.job);
      await finish(store(), begun.job, LATER);
      await sql(
        `UPDATE recipient SET state = ${stateNumber("sent")}, code = 250 WHERE campaign_id = ${large.campaign}`,
      );
      await sql(`UPDATE mailing SET sent = ${many} WHERE campaign_id = ${large.campaign}`);
      await sql(`DELETE FROM recipient_retry WHERE campaign_id = ${large.campaign}`);
      assert.equal(await large.node("one").take(LATER), null);
      assert.equal((await large.mailing()).state, "finished");
      assert.equal(await rowsIn("recipient_earlier", large), 10);
      await finish(store(), await restoring(large), LATER);
      assert.equal(await rowsIn("recipient_earlier", large), 0);
      assert.equal((await large.mailing()).counts.sent, many);
    });

    test("are left as they are by a job whose campaign is being sent again", async () => {
      const many = JOB_STEP + 10;
      const c = await manyUnknown(many);
      const begun = await retry(c);
      assert.ok(begun.job);
      await finish(store(), begun.job, LATER);
      await cancel(c);
      const lease = await restoring(c);
      await sql(`UPDATE mailing SET state = 'sending', ended_at = NULL WHERE campaign_id = ${c.campaign}`);
      assert.equal(await stepOf(store(), lease, LATER), "finished");
      assert.equal(await rowsIn("recipient_earlier", c), 10);
    });

    test("of a cancelled campaign are sent to in a restored database, also if they were in a batch", async () => {
      const c = await sentCampaign(store(), [ann, bob, cia]);
      const node = c.node("one");
      const first = batchOf(await node.take(NOW, 2));
      await node.send(first, ann, UNKNOWN);
      await node.send(first, bob, failed(false));
      await cancel(c);
      await retry(c);
      assert.deepEqual(addressesOf(await node.take(LATER)), [ann, bob]);
      // As in a copy.
      await sql(`DELETE FROM delivery_batch WHERE campaign_id = ${c.campaign}`);
      await sql(`UPDATE mailing SET state = 'held' WHERE campaign_id = ${c.campaign}`);
      await c.change("resume", LATER);
      const batch = batchOf(await node.take(LATER));
      assert.deepEqual(addressesOf(batch), [ann, bob], "and not to whom the cancellation left out");
      for (const email of [ann, bob]) await node.send(batch, email, SENT, LATER);
      assert.equal(await node.take(LATER), null);
      assert.equal((await c.mailing()).state, "cancelled");
      assert.deepEqual(Object.values(await c.states()), ["sent", "sent", "queued"]);
      assert.equal(await rowsIn("recipient_earlier", c), 0);
    });

    test("become what they were without the relay's words if they were erased", async () => {
      const { c, node } = await endedCampaign();
      await retry(c);
      const batch = batchOf(await node.take(LATER));
      assert.deepEqual(addressesOf(batch), [ann, bob]);
      await store().subscribers.erase({ account: c.of.account, address: addressOf(ann), at: LATER });
      await cancel(c);
      const [erased] = await recipients(c);
      assert.deepEqual(
        [erased?.address, erased?.state, erased?.code, erased?.reply],
        [null, "failed", 550, null],
      );
    });
  });
}
