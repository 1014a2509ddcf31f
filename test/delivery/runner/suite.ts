/**
 * What holds on both databases. The test file of a store calls it with a function that opens an empty one.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import type { Mailing } from "#domain/sending/mailing.ts";
import { leaseAt } from "../../store/job-steps.ts";
import { startFaultyRelay } from "../smtp/faulty-relay.ts";
import {
  change,
  checkBalance,
  draft,
  emails,
  loseProcess,
  mailingOf,
  select,
  startSending,
  until,
  untilState,
  untilTrue,
} from "./sending.ts";

const AT_ONCE = 10;

export function sendingSuite(name: string, open: () => Promise<Store>): void {
  describe(`sending on ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => store.close());

    test("sends a campaign once to each recipient, and only some at once", async () => {
      let mostSending = 0;
      const states: Promise<void>[] = [];
      await using relay = await startFaultyRelay({
        at: (step) => {
          if (step === "dot" && relay.complete.length % 20 === 0)
            states.push(
              mailingOf(store, campaign).then(({ counts }) => {
                mostSending = Math.max(mostSending, counts.sending);
              }),
            );
          return undefined;
        },
      });
      const addresses = emails(300);
      const campaign = await draft(store, addresses);
      await using sending = startSending(store, relay.url, { connections: AT_ONCE });
      await change(store, campaign, "schedule");
      sending.runner.wake();
      const { counts } = await untilState(store, campaign, "finished");
      assert.equal(counts.sent, 300);
      assert.deepEqual(relay.complete.toSorted(), addresses.toSorted());
      await Promise.all(states);
      assert.ok(mostSending > 0 && mostSending <= AT_ONCE, `${mostSending} at once`);
      assert.ok(relay.most() <= AT_ONCE, `${relay.most()} connections`);
      await checkBalance(store, campaign);
      assert.deepEqual(sending.seen, ["began"]);
      const [first = ""] = relay.messages;
      assert.match(first, /^List-Unsubscribe: <http:\/\/localhost:8080\/u\/[\w-]{1,48}>/m);
    });

    test("looks again at each recipient just before the message is sent", async () => {
      const changes: Promise<unknown>[] = [];
      await using relay = await startFaultyRelay({
        at: (step) => {
          if (step === "dot" && relay.complete.length === 1)
            changes.push(
              by.unsubscribe("p90@example.net"),
              by.remove(list, "p91@example.net"),
              by.block("p92@example.net"),
              by.move("p93@example.net", "moved@example.net"),
            );
          return undefined;
        },
      });
      const { by, list, ...campaign } = await draft(store, emails(100));
      await using sending = startSending(store, relay.url, { connections: 1 });
      await change(store, campaign, "schedule");
      sending.runner.wake();
      const { counts } = await untilState(store, campaign, "finished");
      assert.equal(changes.length, 4);
      await Promise.all(changes);
      assert.deepEqual([counts.sent, counts.skipped], [97, 3]);
      const got = new Set(relay.complete);
      for (const n of [90, 91, 92, 93]) assert.ok(!got.has(`p${n}@example.net`), `p${n}`);
      assert.ok(got.has("moved@example.net"));
      assert.equal(relay.complete.length, 97);
      await checkBalance(store, campaign);
      assert.equal(sending.seen.filter((seen) => seen.startsWith("skipped")).length > 0, true);
    });

    test("holds a campaign whose filter needs a field that was deleted, and sends nothing more of it", async () => {
      await using relay = await startFaultyRelay({});
      const campaign = await draft(store, emails(3));
      const of = { account: campaign.account, campaign: campaign.campaign };
      const field = await campaign.by.createField("Town");
      assert.ok(typeof field === "object");
      const filter = [{ about: { field: String(field.id) }, test: "is empty", value: "" }] as const;
      await store.mailings.setContent({ ...of, changes: { filter } });
      await select(store, campaign);
      await loseProcess(store, campaign, 2);
      const now = Date.now();
      // Its lease has expired.
      await store.mailings.change({ ...of, change: "cancel", at: now, now: now + 1000 });
      await store.fields.delete({ account: of.account, id: field.id, at: now, lease: leaseAt(now) });
      await store.mailings.retry({ ...of, states: ["unknown"], now, lease: leaseAt(now) });
      await using sending = startSending(store, relay.url);
      const { reason, counts } = await untilState(store, campaign, "held");
      assert.deepEqual([counts.queued, counts.skipped, relay.complete.length], [3, 0, 0]);
      await untilTrue(() => sending.seen.length > 0, "the report");
      assert.deepEqual(sending.seen, [`held: ${reason}`]);
      await checkBalance(store, campaign);
    });

    test("takes the relay's word for each recipient", async () => {
      const replies: Readonly<Record<string, string>> = {
        "gone@example.net": "550 5.1.1 No such user",
        "asks@example.net": "550 5.1.1 <news@example.org>: unknown user",
        "calls@example.net": "550 5.1.1 <FROM>: unknown user",
        "full@example.net": "452 4.2.2 Mailbox full",
        "spam@example.net": "550 5.7.1 Looks like spam",
      };
      await using relay = await startFaultyRelay({
        at: (step, { from, recipient }) =>
          step === "rcpt" ? replies[recipient]?.replace("FROM", from) : undefined,
      });
      const sender = { bounceDomain: "bounces.example.org" };
      const campaign = await draft(store, [...emails(10), ...Object.keys(replies)], sender);
      await using sending = startSending(store, relay.url);
      await change(store, campaign, "schedule");
      sending.runner.wake();
      const isTried = ({ sent, failed, deferred }: Mailing["counts"]): boolean =>
        sent + failed + deferred === 15;
      const all = await until(store, campaign, ({ counts }) => isTried(counts));
      const { sent, failed, deferred } = all.counts;
      assert.deepEqual([sent, failed, deferred, all.bouncedCount, all.state], [10, 4, 1, 1, "sending"]);
      assert.deepEqual(sending.seen, ["began"]);
      const bounced = await campaign.by.lost(campaign.campaign, "bounced");
      assert.deepEqual(
        bounced.map(({ address }) => address),
        ["gone@example.net"],
      );
      assert.equal((await campaign.by.show("gone@example.net"))?.state, "bounced");
      for (const person of ["spam", "asks", "calls"])
        assert.equal((await campaign.by.show(`${person}@example.net`))?.state, "active", person);
      await checkBalance(store, campaign);
      await change(store, campaign, "cancel");
    });

    test("waits for a relay that is away, and then continues", async () => {
      let isAway = false;
      let skew = 0;
      await using relay = await startFaultyRelay({
        at: (step) => {
          if (step === "dot" && relay.complete.length === 30) isAway = true;
          if (!isAway) return undefined;
          if (step === "greeting") return { bye: "421 4.3.2 Come back later" };
          return step === "mail" ? { bye: "421 4.3.2 Closing" } : undefined;
        },
      });
      const campaign = await draft(store, emails(100));
      await using sending = startSending(store, relay.url, { clock: () => Date.now() + skew });
      await change(store, campaign, "schedule");
      sending.runner.wake();
      const waiting = await until(store, campaign, (m) => m.waitsUntil !== null && m.counts.sending === 0);
      assert.match(waiting.reason ?? "", /421 .*(?:Come back later|Closing)/);
      assert.equal(waiting.state, "sending");
      assert.equal(waiting.counts.deferred + waiting.counts.failed + waiting.counts.unknown, 0);
      assert.equal(sending.seen.filter((seen) => seen.startsWith("relay failed")).length, 1);
      isAway = false;
      skew = 60_000;
      sending.runner.wake();
      const { counts, reason } = await untilState(store, campaign, "finished");
      assert.equal(counts.sent, 100);
      assert.equal(reason, null);
      assert.equal(new Set(relay.complete).size, 100);
      assert.equal(relay.complete.length, 100);
    });

    test("sends nothing while a campaign is paused, and nothing after it was cancelled", async () => {
      const changes: Promise<unknown>[] = [];
      await using relay = await startFaultyRelay({
        at: (step) => {
          if (step === "dot" && relay.complete.length === 40) changes.push(change(store, campaign, "pause"));
          if (step === "dot" && relay.complete.length === 120)
            changes.push(change(store, campaign, "cancel"));
          return undefined;
        },
      });
      const campaign = await draft(store, emails(200));
      await using sending = startSending(store, relay.url, { connections: 4 });
      await change(store, campaign, "schedule");
      sending.runner.wake();
      const paused = await until(store, campaign, (m) => m.state === "paused" && m.counts.sending === 0);
      assert.ok(paused.counts.sent >= 40 && paused.counts.sent < 120, `${paused.counts.sent} sent`);
      assert.equal(relay.complete.length, paused.counts.sent);
      await checkBalance(store, campaign);
      await change(store, campaign, "resume");
      sending.runner.wake();
      const end = await until(store, campaign, (m) => m.state === "cancelled" && m.counts.sending === 0);
      assert.ok(end.counts.sent >= 120 && end.counts.sent < 200, `${end.counts.sent} sent`);
      assert.equal(relay.complete.length, end.counts.sent);
      assert.equal(new Set(relay.complete).size, end.counts.sent);
      await checkBalance(store, campaign);
    });

    test("finishes what is being sent when it stops, and continues later", async () => {
      await using relay = await startFaultyRelay({});
      const campaign = await draft(store, emails(300));
      await using first = startSending(store, relay.url);
      await change(store, campaign, "schedule");
      first.runner.wake();
      await untilTrue(() => relay.complete.length >= 50, "50 messages");
      await first.stop();
      const { counts, state } = await mailingOf(store, campaign);
      assert.equal(state, "sending");
      assert.deepEqual([counts.sending, counts.unknown], [0, 0]);
      assert.equal(counts.sent, relay.complete.length);
      assert.ok(counts.sent < 300);
      await using second = startSending(store, relay.url);
      assert.equal((await untilState(store, campaign, "finished")).counts.sent, 300);
      assert.equal(new Set(relay.complete).size, 300);
      assert.equal(relay.complete.length, 300);
      assert.deepEqual(second.seen, []);
    });

    test("does not send again what a lost process was sending", async () => {
      await using relay = await startFaultyRelay({});
      const campaign = await draft(store, emails(50));
      await select(store, campaign);
      const marked = await loseProcess(store, campaign, 3);
      await using sending = startSending(store, relay.url);
      const { counts } = await untilState(store, campaign, "finished");
      assert.deepEqual([counts.sent, counts.unknown], [47, 3]);
      for (const address of marked) assert.ok(!relay.complete.includes(address), address);
      assert.equal(relay.complete.length, 47);
      await checkBalance(store, campaign);
      assert.deepEqual(sending.seen, ["unknown: 3"]);
    });

    test("leaves nobody in the state sending after a campaign was cancelled and its process was lost", async () => {
      await using relay = await startFaultyRelay({});
      const campaign = await draft(store, emails(20));
      await select(store, campaign);
      const LEASE_MS = 2000;
      const marked = await loseProcess(store, campaign, 3, LEASE_MS);
      assert.equal((await change(store, campaign, "cancel")).counts.sending, 3, "the lease has not expired");
      await using sending = startSending(store, relay.url);
      const { state, counts } = await until(store, campaign, (m) => m.counts.sending === 0);
      assert.deepEqual([state, counts.unknown, counts.queued], ["cancelled", 3, 17]);
      await untilTrue(() => sending.seen.length > 0, "the count of unknown recipients");
      assert.deepEqual(sending.seen, ["unknown: 3"]);
      const { account } = campaign;
      const unknown = await collect(
        store.mailings.recipients.pages({ account, campaign: campaign.campaign, state: "unknown" }),
      );
      assert.deepEqual(unknown.map(({ address }) => address ?? "").toSorted(), marked.toSorted());
      assert.deepEqual(relay.complete, []);
      await checkBalance(store, campaign);
    });
  });
}
