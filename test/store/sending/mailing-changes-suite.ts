/** What operators do with a campaign that is composed here, in every store. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AuditedBy } from "#domain/access/audit.ts";
import type { Store } from "#domain/ports/store.ts";
import {
  type MailingChange,
  type MailingState,
  mailingChanges,
  mailingStates,
  mayChange,
} from "#domain/sending/mailing.ts";
import { NOW } from "../actor.ts";
import { deletedOf, leaseAt } from "../job-steps.ts";
import { closeSound } from "../recount.ts";
import { newWorld, type Sql } from "./world.ts";

const audit: AuditedBy = { at: NOW, origin: { kind: "operator" }, from: null, action: "campaign.send" };
const HOUR = 3_600_000;

/** Of a mailing whose recipients were selected. */
const leadsTo: Readonly<Record<MailingChange, MailingState>> = {
  schedule: "scheduled",
  unschedule: "draft",
  pause: "paused",
  resume: "sending",
  cancel: "cancelled",
};

export function mailingChangesSuite(name: string, open: () => Promise<Store>, sql: Sql): void {
  describe(`changes of composed campaigns in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => closeSound(store));

    test("each change is made from the states of its rule, and from no other", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft();
      for (const state of mailingStates)
        for (const change of mailingChanges) {
          const isStarted = change === "resume";
          await sql(
            `UPDATE mailing SET state = '${state}', started_at = ${isStarted ? NOW : "NULL"}, ended_at = NULL
             WHERE campaign_id = ${one.campaign}`,
          );
          const changed = await w.change(one, change);
          const expected = mayChange(change, state) ? leadsTo[change] : state;
          assert.equal((await store.mailings.byId(one))?.mailing.state, expected, `${change} from ${state}`);
          assert.equal(changed === "refused", !mayChange(change, state));
        }
    });

    test("a campaign is scheduled, and becomes a draft again, with an entry in the audit log", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft();
      const later = NOW + HOUR;
      const scheduled = await store.mailings.change({
        ...{ ...one, change: "schedule", at: later, now: NOW, allowsHttp: true, audit },
      });
      assert.ok(scheduled && "state" in scheduled);
      assert.deepEqual(
        [scheduled.state, scheduled.scheduledAt, scheduled.allowsHttp],
        ["scheduled", later, true],
      );
      const refused = await store.mailings.setContent({ ...one, changes: { subject: "Late" } });
      assert.ok(refused && "wrongState" in refused);
      const back = await w.change(one, "unschedule");
      assert.ok(back !== "refused");
      assert.deepEqual([back.state, back.scheduledAt], ["draft", null]);
      const { rows } = await store.audit.all.page(
        { account: w.account, action: null, since: null },
        { after: null, limit: 1 },
      );
      assert.deepEqual(rows[0]?.after, { state: "scheduled", scheduledAt: later, allowsHttp: true });
    });

    test("a campaign whose excluded list is gone cannot be scheduled", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft({ excludedLists: [w.other] });
      const deletion = { account: w.account, id: w.other, at: NOW, origin: { kind: "operator" } } as const;
      deletedOf(await store.lists.delete({ ...deletion, lease: leaseAt(NOW) }));
      const times = { at: NOW, now: NOW };
      assert.deepEqual(await store.mailings.change({ ...one, ...times, change: "schedule" }), {
        unknownList: w.other,
      });
      assert.equal((await store.mailings.byId(one))?.mailing.state, "draft");
    });

    test("a campaign whose start was missed is scheduled for now when it is resumed", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft();
      for (const [state, scheduledAt] of [
        ["held", NOW],
        ["paused", NOW],
        ["held", "NULL"],
      ] as const) {
        await sql(
          `UPDATE mailing SET state = '${state}', scheduled_at = ${scheduledAt}, reason = 'late'
           WHERE campaign_id = ${one.campaign}`,
        );
        const resumed = await w.change(one, "resume", NOW + HOUR);
        assert.ok(resumed !== "refused");
        assert.deepEqual(
          [resumed.state, resumed.scheduledAt, resumed.reason],
          ["scheduled", NOW + HOUR, null],
        );
      }
    });

    test("a held campaign whose start is in the future is scheduled for that time when it is resumed", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft();
      const later = NOW + 48 * HOUR;
      await store.mailings.change({ ...one, change: "schedule", at: later, now: NOW });
      await sql(`UPDATE mailing SET state = 'held', reason = 'copied' WHERE campaign_id = ${one.campaign}`);
      const resumed = await w.change(one, "resume", NOW + HOUR);
      assert.ok(resumed !== "refused");
      assert.deepEqual([resumed.state, resumed.scheduledAt, resumed.reason], ["scheduled", later, null]);
      assert.equal(await store.ledger.begin({ ...one, now: later - 1 }), "scheduled");
      assert.equal(await store.ledger.begin({ ...one, now: later }), "selecting");
    });

    test("a started campaign that is held cannot be scheduled again", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft();
      await w.ledger(one, "held", [[1, "sent", 250]]);
      assert.equal(await w.change(one, "schedule"), "refused");
    });

    test("a held campaign without a batch is walked again from its first recipient, and no other one is", async () => {
      const w = await newWorld(store, sql);
      const { account } = w;
      for (const [state, batches, cursor] of [
        ["paused", 0, 1_000_000],
        ["held", 0, 0],
        ["held", 1, 1_000_000],
      ] as const) {
        const one = await w.draft();
        const { campaign } = one;
        await w.ledger(one, state, [
          [1, "queued"],
          [2, "queued"],
          [3, "deferred", 451],
          [4, "sending"],
        ]);
        await sql(
          `INSERT INTO recipient_retry (account_id, campaign_id, subscriber_id, due_at, attempts, since)
           VALUES (${account}, ${campaign}, 2, 1, 0, 1), (${account}, ${campaign}, 3, 1, 2, 1)`,
        );
        if (batches > 0)
          await sql(
            `INSERT INTO delivery_batch (account_id, campaign_id, owner, leased_until, members)
             VALUES (${account}, ${campaign}, 'gone', 1, '[]')`,
          );
        assert.notEqual(await w.change(one, "resume"), "refused");
        const [row] = await sql(`SELECT taken_up_to AS n FROM mailing WHERE campaign_id = ${campaign}`);
        assert.equal(Number(row?.n), cursor, state);
        assert.equal(await w.count("delivery_batch", campaign), batches);
        assert.equal(await w.count("recipient_retry", campaign), 2, "they are taken behind the cursor");
      }
    });

    test("a pause of the service itself has a reason, which a resumption clears", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft();
      await w.ledger(one, "sending", [[1, "queued"]]);
      await sql(`UPDATE mailing SET waits_until = 5, relay_failures = 3 WHERE campaign_id = ${one.campaign}`);
      const reason = "too many hard bounces";
      const times = { at: NOW, now: NOW };
      const paused = await store.mailings.change({ ...one, ...times, change: "pause", reason });
      assert.ok(paused && "state" in paused);
      assert.deepEqual([paused.state, paused.reason, paused.waitsUntil], ["paused", reason, null]);
      const resumed = await w.change(one, "resume");
      assert.ok(resumed !== "refused");
      assert.deepEqual([resumed.state, resumed.reason], ["sending", null]);
    });

    test("a cancelled campaign has ended, and keeps its queued recipients", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft();
      await w.ledger(one, "sending", [
        [1, "sent", 250],
        [2, "queued"],
      ]);
      const cancelled = await w.change(one, "cancel", NOW + 5);
      assert.ok(cancelled !== "refused");
      assert.deepEqual([cancelled.endedAt, cancelled.counts.queued], [NOW + 5, 1]);
      assert.equal((await store.mailings.balance(one))?.isBalanced, true);
    });

    test("nobody reports what a restored campaign was sending, so its cancellation makes it unknown", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft();
      await w.ledger(one, "held", [
        [1, "sending"],
        [2, "queued"],
      ]);
      assert.notEqual(await w.change(one, "cancel"), "refused");
      const balance = await store.mailings.balance(one);
      assert.deepEqual([balance?.rows.sending, balance?.rows.unknown, balance?.isBalanced], [0, 1, true]);
    });

    test("all that a restored campaign was sending becomes unknown, however long its ledger is", async () => {
      const w = await newWorld(store, sql);
      const one = await w.draft();
      const sending = new Set([1, 5000, 5001, 5002, 10_000, 10_001]);
      const rows = Array.from({ length: 10_001 }, (_, n): [number, "sending" | "queued"] => [
        n + 1,
        sending.has(n + 1) ? "sending" : "queued",
      ]);
      await w.ledger(one, "held", rows);
      assert.notEqual(await w.change(one, "cancel"), "refused");
      const balance = await store.mailings.balance(one);
      assert.deepEqual([balance?.rows.sending, balance?.rows.unknown, balance?.isBalanced], [0, 6, true]);
    });

    test("of a composed campaign, only the name can be set as of a recorded one", async () => {
      const w = await newWorld(store, sql);
      const { account } = w;
      const { campaign: id } = await w.draft();
      const values = { account, id, name: "Renamed", createdAt: NOW };
      const refused = await store.campaigns.set({ ...values, sentAt: NOW });
      assert.ok(refused && "mailing" in refused);
      assert.deepEqual((await store.campaigns.byId({ account, id }))?.name, "Spring");
      const changed = await store.campaigns.set({ ...values, sentAt: null });
      assert.ok(changed && "name" in changed);
      assert.equal(changed.name, "Renamed");
    });
  });
}
