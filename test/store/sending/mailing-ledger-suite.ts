/** The ledger as operators see it, and retries, in every store. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { retryRecipientsJob } from "#domain/job/kinds.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import type { RecipientState, RetriedState } from "#domain/sending/recipient.ts";
import { skipNumber } from "#domain/sending/recipient.ts";
import { JOB_STEP, STEP } from "#store/writes/step-limits.ts";
import { addressOf, NOW, newAccount } from "../actor.ts";
import { finish, leaseAt, purge, stepOf } from "../job-steps.ts";
import { closeSound, wrongNumbers } from "../recount.ts";
import { newWorld, type Sql } from "./world.ts";

const MINUTE = 60_000;

export function mailingLedgerSuite(name: string, open: () => Promise<Store>, sql: Sql): void {
  describe(`the ledger of composed campaigns in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => closeSound(store));

    type One = { readonly account: number; readonly campaign: number };
    async function retry(one: One, states: readonly RetriedState[] = ["failed", "unknown"], now = NOW) {
      const result = await store.mailings.retry({ ...one, states, now, lease: leaseAt(now) });
      assert.ok(result);
      return result;
    }
    const statesOf = async (one: One) =>
      (await collect(store.mailings.recipients.pages({ ...one, state: null }))).map(({ state }) => state);
    const waiting = async ({ campaign }: One) =>
      (
        await sql(
          `SELECT subscriber_id AS id FROM recipient_retry WHERE campaign_id = ${campaign} ORDER BY subscriber_id`,
        )
      ).map(({ id }) => Number(id));

    test("recipients have their address, what became of them, and the relay's words", async () => {
      const w = await newWorld(store, sql);
      for (const letter of "abc") await w.add(w.list, `${letter}@example.org`);
      const [ann, bob, cia] = await Promise.all([..."abc"].map((letter) => w.idOf(`${letter}@example.org`)));
      assert.ok(ann && bob && cia);
      const one = await w.draft();
      await w.ledger(one, "finished", [
        [ann, "sent", 250],
        [bob, "failed", 550],
        [cia, "skipped", skipNumber("left the lists")],
        [cia + 1_000_000, "skipped", skipNumber("erased")],
      ]);
      await sql(
        `INSERT INTO recipient_reply (account_id, campaign_id, subscriber_id, reply)
         VALUES (${w.account}, ${one.campaign}, ${bob}, '5.1.1 No such user')`,
      );
      const shown = { at: NOW, code: null, skipped: null, reply: null };
      const expected = [
        { ...shown, subscriber: ann, address: "a@example.org", state: "sent", code: 250 },
        {
          ...{ ...shown, subscriber: bob, address: "b@example.org", state: "failed", code: 550 },
          reply: "5.1.1 No such user",
        },
        { ...shown, subscriber: cia, address: "c@example.org", state: "skipped", skipped: "left the lists" },
        { ...shown, subscriber: cia + 1_000_000, address: null, state: "skipped", skipped: "erased" },
      ];
      assert.deepEqual(await collect(store.mailings.recipients.pages({ ...one, state: null })), expected);
      const skipped = { ...one, state: "skipped" } as const;
      assert.deepEqual(await collect(store.mailings.recipients.pages(skipped)), expected.slice(2));
      const last = await store.mailings.recipients.page(skipped, { before: null, limit: 1 });
      assert.deepEqual([last.rows, last.previous === null, last.next], [expected.slice(3), false, null]);
    });

    test("a recount finds a row that the counters do not know", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft();
      await w.ledger(one, "finished", [
        [1, "sent", 250],
        [2, "unknown"],
      ]);
      assert.equal((await store.mailings.balance(one))?.isBalanced, true);
      const { campaign } = one;
      await sql(`UPDATE recipient SET state = 4 WHERE campaign_id = ${campaign} AND subscriber_id = 2`);
      const balance = await store.mailings.balance(one);
      assert.deepEqual(
        [balance?.isBalanced, balance?.rows.failed, balance?.mailing.counts.failed],
        [false, 1, 0],
      );
      const wrong = (await wrongNumbers(store)).map(({ what, kept, counted }) => [what, kept, counted]);
      assert.deepEqual(wrong, [
        [`recipients of campaign ${campaign}, failed`, 0, 1],
        [`recipients of campaign ${campaign}, unknown`, 1, 0],
      ]);
      await sql(`UPDATE recipient SET state = 6 WHERE campaign_id = ${campaign} AND subscriber_id = 2`);
    });

    test("a finished campaign with a recipient who has no end does not balance", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft();
      await w.ledger(one, "finished", [[1, "queued"]]);
      assert.equal((await store.mailings.balance(one))?.isBalanced, false);
    });

    test("a retry puts failed or unknown recipients back, and a finished campaign is sending again", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft();
      const [ann = 0, bob = 0, cia = 0, dan = 0] = await w.people(4);
      await w.ledger(one, "finished", [
        [ann, "sent", 250],
        [bob, "failed", 550],
        [cia, "unknown"],
        [dan, "skipped", skipNumber("blocked")],
      ]);
      await sql(
        `INSERT INTO recipient_reply (account_id, campaign_id, subscriber_id, reply)
         VALUES (${w.account}, ${one.campaign}, ${bob}, 'no'), (${w.account}, ${one.campaign}, ${cia}, 'lost')`,
      );
      const retried = await retry(one, ["unknown"], NOW + MINUTE);
      assert.ok("mailing" in retried);
      assert.deepEqual(
        [retried.count, retried.job, retried.mailing.state, retried.mailing.endedAt],
        [1, null, "sending", null],
      );
      assert.deepEqual(await statesOf(one), ["sent", "failed", "queued", "skipped"]);
      assert.deepEqual([await waiting(one), await w.count("recipient_reply", one.campaign)], [[cia], 1]);
      assert.equal((await store.mailings.balance(one))?.isBalanced, true);
    });

    test("a retry of a cancelled campaign sends to nobody who was still queued", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft();
      const { campaign } = one;
      const [ann = 0, bob = 0, cia = 0, dan = 0] = await w.people(4);
      await w.ledger(one, "sending", [
        [ann, "failed", 550],
        [bob, "deferred", 451],
        [cia, "queued"],
        [dan, "sending"],
      ]);
      assert.notEqual(await w.change(one, "cancel"), "refused");
      await sql(
        `INSERT INTO recipient_retry (account_id, campaign_id, subscriber_id, due_at, attempts, since)
         VALUES (${w.account}, ${campaign}, ${bob}, 1, 1, 1), (${w.account}, ${campaign}, ${cia}, 1, 0, 1)`,
      );
      await sql(
        `INSERT INTO delivery_batch (account_id, campaign_id, owner, leased_until, members)
         VALUES (${w.account}, ${campaign}, 'killed', ${NOW - 1}, '[]')`,
      );
      const retried = await retry(one, ["failed"], NOW + MINUTE);
      assert.ok("mailing" in retried);
      assert.deepEqual([retried.mailing.state, retried.mailing.endedAt], ["sending", NOW]);
      assert.deepEqual(await waiting(one), [ann]);
      assert.deepEqual(await statesOf(one), ["queued", "deferred", "queued", "unknown"]);
      assert.equal(await w.count("delivery_batch", campaign), 0);
      const [row] = await sql(`SELECT taken_up_to AS n FROM mailing WHERE campaign_id = ${campaign}`);
      assert.equal(Number(row?.n), Number.MAX_SAFE_INTEGER, "nothing comes after the cursor");
      const again = await w.change(one, "cancel", NOW + 2 * MINUTE);
      assert.ok(again !== "refused");
      const { state, endedAt } = (await store.mailings.byId(one))?.mailing ?? assert.fail();
      assert.deepEqual([state, endedAt], ["cancelled", NOW], "it was cancelled when it was");
    });

    test("a retry of a cancelled campaign changes nothing if nobody may get it", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft();
      const { campaign } = one;
      const [bob = 0] = await w.people(1);
      // Somebody who was erased.
      await w.ledger(one, "cancelled", [
        [bob, "deferred", 451],
        [bob + 1000, "failed", 550],
      ]);
      await sql(
        `INSERT INTO recipient_retry (account_id, campaign_id, subscriber_id, due_at, attempts, since)
         VALUES (${w.account}, ${campaign}, ${bob}, 1, 1, 1)`,
      );
      await sql(
        `INSERT INTO delivery_batch (account_id, campaign_id, owner, leased_until, members)
         VALUES (${w.account}, ${campaign}, 'one', ${NOW + MINUTE}, '[]')`,
      );
      const cursor = `SELECT taken_up_to AS n FROM mailing WHERE campaign_id = ${campaign}`;
      const before = [(await store.mailings.byId(one))?.mailing, await sql(cursor)];
      assert.deepEqual(await retry(one), { mailing: before[0], count: 0, job: null });
      assert.deepEqual([(await store.mailings.byId(one))?.mailing, await sql(cursor)], before);
      assert.deepEqual(await statesOf(one), ["deferred", "failed"]);
      assert.equal(await w.count("recipient_retry", campaign), 1);
      assert.equal(await w.count("delivery_batch", campaign), 1);
    });

    test("the ledger of a cancelled campaign is not deleted while a retry sends it again", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft();
      const [ann = 0] = await w.people(1);
      await w.ledger(one, "cancelled", [[ann, "failed", 550]]);
      await sql(`UPDATE mailing SET ended_at = 1 WHERE campaign_id = ${one.campaign}`);
      assert.ok("mailing" in (await retry(one)));
      const keepsRow = async () => {
        await purge(store, NOW);
        return (await w.count("recipient", one.campaign)) === 1;
      };
      assert.equal(await keepsRow(), true);
      await w.change(one, "cancel");
      assert.equal(await keepsRow(), false);
    });

    test("a retry of a cancelled campaign leaves out many deferred recipients in batches, before it sends", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft();
      const { campaign } = one;
      const many = 2 * STEP + 10;
      const [ann = 0] = await w.people(1);
      const rows = Array.from({ length: many }, (_, n): [number, RecipientState] => [
        ann + 1 + n,
        "deferred",
      ]);
      await w.ledger(one, "cancelled", [[ann, "failed"], ...rows]);
      await sql(
        `INSERT INTO recipient_retry (account_id, campaign_id, subscriber_id, due_at, attempts, since)
         SELECT account_id, campaign_id, subscriber_id, 1, 1, 1 FROM recipient
         WHERE campaign_id = ${campaign} AND subscriber_id > ${ann}`,
      );
      const begun = await retry(one, ["failed"]);
      assert.ok("job" in begun && begun.job);
      assert.deepEqual([begun.count, begun.mailing.state], [0, "cancelled"]);
      assert.equal(await w.count("recipient_retry", campaign), many - STEP);
      assert.equal(await stepOf(store, begun.job, NOW), "continues");
      assert.equal(await w.count("recipient_retry", campaign), many - 2 * STEP);
      assert.equal((await store.mailings.byId(one))?.mailing.state, "cancelled", "nothing is sent yet");
      await finish(store, begun.job, NOW);
      assert.deepEqual(await waiting(one), [ann]);
      assert.equal((await store.mailings.byId(one))?.mailing.state, "sending");
      assert.equal((await store.mailings.balance(one))?.isBalanced, true);
    });

    test("a cancellation ends the retry of a cancelled campaign that has put nobody back yet", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft();
      const [ann = 0] = await w.people(1);
      const rows = Array.from({ length: STEP + 10 }, (_, n): [number, RecipientState] => [
        ann + 1 + n,
        "deferred",
      ]);
      await w.ledger(one, "cancelled", [[ann, "failed"], ...rows]);
      await sql(
        `INSERT INTO recipient_retry (account_id, campaign_id, subscriber_id, due_at, attempts, since)
         SELECT account_id, campaign_id, subscriber_id, 1, 1, 1 FROM recipient
         WHERE campaign_id = ${one.campaign} AND subscriber_id > ${ann}`,
      );
      assert.equal(await w.change(one, "cancel"), "refused", "there is nothing to cancel");
      const begun = await retry(one, ["failed"]);
      assert.ok("job" in begun && begun.job);
      assert.notEqual(await w.change(one, "cancel", NOW + MINUTE), "refused");
      assert.equal(await stepOf(store, begun.job, NOW + MINUTE), "lost");
      const { state, counts, endedAt } = (await store.mailings.byId(one))?.mailing ?? assert.fail();
      assert.deepEqual([state, counts.failed, endedAt], ["cancelled", 1, NOW]);
    });

    test("a long retry is continued by a job, which a cancellation ends", async () => {
      const w = await newWorld(store, sql);
      const many = 2 * JOB_STEP + 10;
      const rows = (await w.people(many)).map((id): [number, RecipientState] => [id, "unknown"]);
      const [whole, stopped] = [await w.draft(), await w.draft()];
      await w.ledger(whole, "finished", rows);
      await w.ledger(stopped, "finished", rows);
      const begun = await retry(whole);
      assert.ok("job" in begun && begun.job);
      assert.deepEqual([begun.count, begun.mailing.counts.unknown], [JOB_STEP, many - JOB_STEP]);
      const campaigns = [whole.campaign, stopped.campaign];
      const retrying = (account = w.account) => store.mailings.retrying({ account, campaigns });
      assert.deepEqual(await retrying(), [whole.campaign]);
      assert.deepEqual(await retrying(await newAccount(store)), [], "another account");
      await sql(`UPDATE mailing SET state = 'finished', ended_at = 1 WHERE campaign_id = ${whole.campaign}`);
      assert.equal(await stepOf(store, begun.job, NOW), "continues");
      assert.equal((await store.mailings.byId(whole))?.mailing.state, "sending", "it goes on");
      await finish(store, begun.job, NOW);
      assert.equal((await waiting(whole)).length, many);
      assert.equal((await store.mailings.balance(whole))?.isBalanced, true);

      const second = await retry(stopped);
      assert.ok("job" in second && second.job);
      assert.notEqual(await w.change(stopped, "cancel"), "refused");
      assert.equal(await stepOf(store, second.job, NOW), "lost");
      const { rows: jobs } = await store.jobs.all.page({ account: w.account }, { after: null, limit: 9 });
      const job = jobs.find((found) => found.name === retryRecipientsJob(stopped.campaign));
      assert.equal(job?.ending, "cancelled");
      assert.deepEqual(await retrying(), []);
    });

    test("a retry is refused before anything was sent, and when the rows are deleted", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft();
      assert.ok("wrongState" in (await retry(one)));
      await w.ledger(one, "finished", [[1, "failed", 550]]);
      await sql(`UPDATE mailing SET purged_at = 5 WHERE campaign_id = ${one.campaign}`);
      await sql(`DELETE FROM recipient WHERE campaign_id = ${one.campaign}`);
      assert.ok("wrongState" in (await retry(one)));
      assert.equal((await store.mailings.balance(one))?.isBalanced, true, "only totals are left");
    });

    test("a person's record has no first attempt if the relay has got nothing for the person yet", async () => {
      const w = await newWorld(store, sql);
      const { account } = w;
      await w.add(w.list, "ada@example.org");
      const ada = await w.idOf("ada@example.org");
      const one = await w.draft();
      await w.ledger(one, "sending", [[ada, "queued"]]);
      await sql(
        `INSERT INTO recipient_retry (account_id, campaign_id, subscriber_id, due_at, attempts, since)
         VALUES (${account}, ${one.campaign}, ${ada}, 1, 0, 0)`,
      );
      const [sent] = await collect(store.mailings.ofSubscriber.pages({ account, subscriber: ada }));
      assert.deepEqual(sent?.retry, { dueAt: 1, attempts: 0, firstAt: null });
    });

    test("a person's record has the campaigns that were sent to them; erased, the row stays and the rest goes", async () => {
      const w = await newWorld(store, sql);
      const { account } = w;
      await w.add(w.list, "ada@example.org");
      const ada = await w.idOf("ada@example.org");
      const [sent, waits, others] = [
        await w.draft({}, "Sent"),
        await w.draft({}, "Waits"),
        await w.draft({}, "Of others"),
      ];
      await w.ledger(sent, "finished", [[ada, "failed", 552]]);
      await w.ledger(waits, "sending", [[ada, "deferred", 451]]);
      await w.ledger(others, "finished", [[ada + 1, "sent", 250]]);
      await sql(
        `INSERT INTO recipient_retry (account_id, campaign_id, subscriber_id, due_at, attempts, since)
         VALUES (${account}, ${waits.campaign}, ${ada}, 1, 1, 1)`,
      );
      await sql(
        `INSERT INTO recipient_reply (account_id, campaign_id, subscriber_id, reply)
         VALUES (${account}, ${sent.campaign}, ${ada}, 'ada is full'), (${account}, ${waits.campaign}, ${ada}, 'later')`,
      );
      const of = { account, subscriber: ada };
      const retry = { dueAt: 1, attempts: 1, firstAt: 1 };
      const known = { at: NOW, skipped: null, retry: null, earlier: null };
      assert.deepEqual(await collect(store.mailings.ofSubscriber.pages(of)), [
        {
          ...known,
          campaign: sent.campaign,
          name: "Sent",
          campaignState: "finished",
          state: "failed",
          code: 552,
          reply: "ada is full",
        },
        {
          ...known,
          campaign: waits.campaign,
          name: "Waits",
          campaignState: "sending",
          state: "deferred",
          code: 451,
          reply: "later",
          retry,
        },
      ]);
      await store.subscribers.erase({ account, address: addressOf("ada@example.org"), at: NOW + MINUTE });
      for (const { campaign } of [sent, waits])
        assert.deepEqual(
          [await w.count("recipient_reply", campaign), await w.count("recipient_retry", campaign)],
          [0, 0],
        );
      const [left] = await collect(store.mailings.recipients.pages({ ...waits, state: null }));
      assert.deepEqual(
        [left?.subscriber, left?.address, left?.state, left?.skipped],
        [ada, null, "skipped", "erased"],
      );
      assert.deepEqual(await statesOf(sent), ["failed"]);
      assert.equal((await store.mailings.balance(waits))?.isBalanced, true);
    });
  });
}
