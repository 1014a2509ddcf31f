/** What results make of recipients and of the campaign in every store: retries, limits, pauses, bounces. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { collect } from "#domain/paging.ts";
import type { Batch } from "#domain/ports/sending/ledger.ts";
import type { Store } from "#domain/ports/store.ts";
import { relayDelay } from "#domain/sending/mailing.ts";
import { DEFERRED_MS, deferralDelay } from "#domain/sending/recipient.ts";
import { addressOf, NOW } from "../actor.ts";
import { finish, leaseAt, purge } from "../job-steps.ts";
import {
  addressesOf,
  batchOf,
  DEFERRED,
  emails,
  failed,
  LEASE,
  type Nodes,
  type Outcome,
  SENT,
  sentCampaign,
  UNKNOWN,
} from "./sent-campaign.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function ledgerResultsSuite(name: string, { stores, sql, count }: Nodes): void {
  describe(`results in the ledger of ${name}`, () => {
    let store: Store;
    let second: Store;
    before(() => {
      [store, second] = stores();
    });

    test("a deferred recipient is tried again later and later, and fails after 72 hours", async () => {
      const [email = ""] = emails(1);
      const c = await sentCampaign(store, [email]);
      const one = c.node("one");
      let now = NOW;
      let attempts = 0;
      while ((await c.mailing()).counts.failed === 0) {
        const batch = batchOf(await one.take(now));
        await one.send(batch, email, DEFERRED, now);
        attempts += 1;
        if ((await c.mailing()).counts.deferred === 0) break;
        const due = now + deferralDelay(attempts);
        assert.equal(await one.take(due - 1), null);
        assert.equal((await c.mailing()).state, "sending");
        now = due;
      }
      assert.ok(now - NOW >= DEFERRED_MS && now - NOW < DEFERRED_MS + deferralDelay(99), `${now - NOW}`);
      assert.equal(await one.take(now), null);
      const { state, counts, endedAt } = await c.mailing();
      assert.deepEqual([state, counts.failed, endedAt], ["finished", 1, now]);
      const [row] = (
        await store.mailings.recipients.page({ ...c.of, state: "failed" }, { after: null, limit: 1 })
      ).rows;
      assert.deepEqual([row?.code, row?.reply], [451, "given up after 72 hours: 451 4.3.0 try later"]);
    });

    test("a recipient to whom nothing was handed over is queued again, which is no deferral", async () => {
      const [email = ""] = emails(1);
      const c = await sentCampaign(store, [email]);
      const one = c.node("one");
      const queued = { state: "queued", isAttempt: true, afterMs: 500 } as const;
      await one.send(batchOf(await one.take()), email, queued);
      assert.deepEqual(await c.states(), { [email]: "queued" });
      assert.equal(await one.take(NOW + 499), null);
      await one.send(batchOf(await one.take(NOW + 500)), email, DEFERRED, NOW + 500);
      assert.equal(await one.take(NOW + 499 + deferralDelay(1)), null);
      const again = batchOf(await one.take(NOW + 500 + deferralDelay(1)));
      await one.giveBack(again, NOW + MINUTE * 10);
      const late = NOW + DEFERRED_MS;
      await one.send(batchOf(await one.take(late)), email, queued, late);
      assert.deepEqual(await c.states(), { [email]: "failed" }, "72 hours count from the first attempt");
    });

    test("a pause before the first attempt does not count as an attempt", async () => {
      const [email = ""] = emails(1);
      const c = await sentCampaign(store, [email]);
      const one = c.node("one");
      await one.giveBack(batchOf(await one.take()));
      const late = NOW + 2 * DEFERRED_MS;
      await one.send(
        batchOf(await one.take(late)),
        email,
        { state: "queued", isAttempt: false, afterMs: 0 },
        late,
      );
      assert.deepEqual(await c.states(), { [email]: "queued" });
    });

    test("a relay that is away for more than 72 hours makes no recipient fail", async () => {
      const [first = "", deferred = ""] = emails(2);
      const c = await sentCampaign(store, [first, deferred]);
      const one = c.node("one");
      const away = { state: "queued", isAttempt: false, afterMs: 0 } as const;
      const batch = batchOf(await one.take());
      await one.start(batch, [first, deferred]);
      await one.report(batch, { [first]: away, [deferred]: DEFERRED });
      const late = NOW + 2 * DEFERRED_MS;
      for (const now of [late, late + MINUTE]) {
        const again = batchOf(await one.take(now));
        await one.start(again, [first, deferred], now);
        await one.report(again, { [first]: away, [deferred]: away }, now);
        assert.deepEqual(await c.states(), { [first]: "queued", [deferred]: "queued" });
      }
      const end = late + 2 * MINUTE;
      const last = batchOf(await one.take(end));
      await one.start(last, [first, deferred], end);
      await one.report(last, { [first]: DEFERRED, [deferred]: DEFERRED }, end);
      assert.deepEqual(
        await c.states(),
        { [first]: "deferred", [deferred]: "failed" },
        "72 hours count from the first attempt that reached the relay",
      );
    });

    test("a recipient that was not started can be skipped or put back, but only with the lease", async () => {
      const c = await sentCampaign(store, emails(2));
      const one = c.node("one");
      const [first = "", next = ""] = emails(2);
      const batch = batchOf(await one.take());
      const skipped = { state: "skipped", reason: "message too large", reply: "12 MB" } as const;
      await one.report(batch, { [first]: skipped }, NOW + LEASE);
      assert.deepEqual(Object.values(await c.states()), ["queued", "queued"]);
      await one.report(batch, {
        [first]: skipped,
        [next]: { state: "queued", isAttempt: true, afterMs: MINUTE },
      });
      assert.deepEqual(Object.values(await c.states()), ["skipped", "queued"]);
      assert.equal((await c.reasons())[first], "message too large");
      assert.deepEqual(addressesOf(await one.take(NOW + MINUTE)), [next]);
    });

    test("a repeated result changes nothing", async () => {
      const c = await sentCampaign(store, emails(3));
      const one = c.node("one");
      const batch = batchOf(await one.take());
      const [first = "", next = "", third = ""] = emails(3);
      await one.start(batch, emails(3));
      const results = { [first]: SENT, [next]: DEFERRED, [third]: failed(true) };
      await one.report(batch, results);
      const before = await c.mailing();
      await one.report(batch, results, NOW + 5);
      await one.report(batch, { [first]: failed(true), [next]: SENT }, NOW + 5);
      assert.deepEqual(await c.mailing(), before);
      assert.equal((await c.lost(c.campaign, "bounced")).length, 1);
    });

    test("a late result for somebody whom another process is sending to again is ignored", async () => {
      const [email = ""] = emails(1);
      const c = await sentCampaign(store, [email]);
      const [one, two] = [c.node("one"), c.node("two", second)];
      const lost = batchOf(await one.take());
      await one.start(lost, [email]);
      assert.equal(await two.take(NOW + LEASE), null);
      assert.deepEqual(await c.states(), { [email]: "unknown" });
      const request = {
        ...c.of,
        states: ["unknown"],
        now: NOW + LEASE,
        lease: leaseAt(NOW + LEASE),
      } as const;
      await store.mailings.retry(request);
      const batch = batchOf(await two.take(NOW + LEASE));
      await two.start(batch, [email], NOW + LEASE);
      await one.report(lost, { [email]: failed(false) }, NOW + LEASE);
      assert.deepEqual(await c.states(), { [email]: "sending" });
      await two.report(batch, { [email]: SENT }, NOW + LEASE);
      assert.deepEqual(await c.states(), { [email]: "sent" });
    });

    test("a late result of an earlier attempt does not change what became of a later one, unless it was accepted", async () => {
      const people = emails(5);
      const c = await sentCampaign(store, people);
      const [one, two] = [c.node("one"), c.node("two", second)];
      const first = batchOf(await one.take());
      await one.start(first, people);
      const later = NOW + LEASE;
      assert.equal(await two.take(later), null);
      assert.equal((await c.mailing()).counts.unknown, 5);
      await store.mailings.retry({ ...c.of, states: ["unknown"], now: later, lease: leaseAt(later) });
      const again = batchOf(await two.take(later));
      await two.start(again, people, later);
      const [deferred = "", rejected = "", dropped = "", lost = "", accepted = ""] = people;
      await two.report(again, { [deferred]: UNKNOWN, [rejected]: UNKNOWN }, later);
      const last = later + LEASE;
      assert.equal(await two.take(last), null);
      assert.equal((await c.mailing()).counts.unknown, 5, "reported or not");
      const outcomes = {
        [deferred]: DEFERRED,
        [rejected]: failed(true),
        [dropped]: { state: "queued", isAttempt: false, afterMs: 0 },
        [lost]: { state: "unknown", reply: "of the first attempt" },
        [accepted]: SENT,
      } as const;
      await one.report(first, outcomes, last);
      const unknown = Object.fromEntries(people.map((email) => [email, "unknown"]));
      assert.deepEqual(await c.states(), { ...unknown, [accepted]: "sent" });
      const { state, counts, bouncedCount } = await c.mailing();
      assert.deepEqual([state, counts.unknown, bouncedCount], ["finished", 4, 0]);
      const { rows } = await store.mailings.recipients.page(
        { ...c.of, state: "unknown" },
        { after: null, limit: 9 },
      );
      assert.ok(rows.every(({ code, reply }) => code === null && reply !== "of the first attempt"));
      await two.report(again, { [dropped]: DEFERRED, [lost]: failed(false) }, last);
      assert.deepEqual(
        [(await c.states())[dropped], (await c.states())[lost]],
        ["deferred", "failed"],
        "results of the later attempt still correct it",
      );
    });

    test("a late result that leaves somebody to try again continues a finished campaign", async () => {
      const [email = ""] = emails(1);
      const c = await sentCampaign(store, [email]);
      const one = c.node("one");
      const batch = batchOf(await one.take());
      await one.start(batch, [email]);
      assert.equal(await c.node("two").take(NOW + LEASE), null);
      assert.equal((await c.mailing()).state, "finished");
      await one.report(batch, { [email]: DEFERRED }, NOW + LEASE);
      const { state, endedAt, counts } = await c.mailing();
      assert.deepEqual([state, endedAt, counts.deferred], ["sending", null, 1]);
    });

    test("recipients of a cancelled campaign who are put back are sent to, and nobody else", async () => {
      const c = await sentCampaign(store, emails(4));
      const one = c.node("one");
      const [first = "", next = ""] = emails(4);
      const batch = batchOf(await one.take(NOW, 2));
      await one.send(batch, first, failed(false));
      await one.start(batch, [next]);
      await c.change("cancel");
      await store.mailings.retry({ ...c.of, states: ["failed"], now: NOW, lease: leaseAt(NOW) });
      const again = batchOf(await one.take());
      assert.deepEqual(addressesOf(again), [first]);
      await one.report(batch, { [next]: SENT });
      await one.send(again, first, SENT);
      assert.equal(await one.take(), null);
      const { state, counts } = await c.mailing();
      assert.deepEqual([state, counts.sent, counts.queued], ["cancelled", 2, 2]);
    });

    test("the limits of a sender hold for all nodes together", async () => {
      const people = [...emails(4), ...emails(4, "other.example")];
      const limits = { perDomainMinute: 3, perDay: 5 };
      const c = await sentCampaign(store, people, { limits });
      const [one, two] = [c.node("one"), c.node("two", second)];
      const [mine, theirs] = [batchOf(await one.take(NOW, 4)), batchOf(await two.take(NOW, 4))];
      const [a, b] = await Promise.all([
        one.start(mine, emails(4)),
        two.start(theirs, emails(4, "other.example")),
      ]);
      const outcomes = [...a.starts, ...b.starts];
      assert.equal(outcomes.filter((outcome) => outcome === "started").length, 5);
      const until = outcomes.flatMap((outcome) =>
        typeof outcome === "object" && "limitedUntil" in outcome ? [outcome.limitedUntil] : [],
      );
      assert.equal(until.length, 3);
      const midnight = Math.ceil(NOW / DAY) * DAY;
      assert.ok(until.every((at) => at === NOW + MINUTE || at === midnight));
      assert.equal((await c.mailing()).counts.queued, 3, "those over the limit stay queued");
      const next = [
        ...(await one.start(mine, emails(4), NOW + 1000)).starts,
        ...(await two.start(theirs, emails(4, "other.example"), NOW + 1000)).starts,
      ];
      assert.equal(next.filter((outcome) => outcome === "started").length, 0, "five on this day");
      const limited = next.filter((outcome) => typeof outcome === "object");
      assert.deepEqual(limited.at(-1), { limitedUntil: midnight });
    });

    const refusal = (reply: string): Outcome => ({ state: "failed", code: 550, reply, isHardBounce: false });
    /** Of the same words, with another address and another id each time. */
    const refusesSender = (email: string): Outcome =>
      refusal(`5.7.1 <${email}>: message 4f${email.slice(1, 6)}e refused, the sender is not known here`);

    test("if the first 20 messages are all refused in the same words, nobody fails, and the campaign waits with them", async () => {
      const c = await sentCampaign(store, emails(60));
      const one = c.node("one");
      const batch = batchOf(await one.take());
      const all = emails(60);
      const report = (of: Batch, some: readonly string[], at: number) =>
        one.report(of, Object.fromEntries(some.map((email) => [email, refusesSender(email)])), at);
      await one.start(batch, all.slice(0, 40));
      await report(batch, all.slice(0, 19), NOW);
      assert.equal((await c.mailing()).counts.failed, 19);
      await report(batch, all.slice(19, 25), NOW);
      const waiting = await c.mailing();
      assert.deepEqual([waiting.state, waiting.counts.failed, waiting.counts.queued], ["sending", 0, 45]);
      assert.equal(waiting.waitsUntil, NOW + 5000);
      assert.equal(
        waiting.reason,
        "the relay refuses every message: 550 5.7.1 <address>: message 4f00019e refused, the sender is not known here",
      );
      for (const email of all.slice(25, 40)) await report(batch, [email], NOW + 1000);
      const { counts, waitsUntil: later } = await c.mailing();
      assert.deepEqual([counts.failed, later], [0, NOW + 5000], "what was on its way is the same failure");
      await one.giveBack(batch);
      const others = batchOf(await one.take(NOW + 5000));
      assert.deepEqual(addressesOf(others), all.slice(40), "others go first");
      await one.start(others, all.slice(40), NOW + 5000);
      await report(others, all.slice(40, 59), NOW + 5000);
      await one.report(others, { [all[59] ?? ""]: SENT }, NOW + 5000);
      await store.ledger.relayWorks(c.of);
      const again = batchOf(await one.take(NOW + 70_000));
      await one.start(again, addressesOf(again), NOW + 70_000);
      await report(again, addressesOf(again), NOW + 70_000);
      const end = await c.mailing();
      assert.deepEqual([end.counts.failed, end.counts.sent, end.reason], [59, 1, null], "it accepts some");
    });

    test("a hard bounce among them does not count; who was given up fails; and nobody is queued again for ever", async () => {
      const all = emails(41);
      const first = await sentCampaign(store, all);
      const one = first.node("one");
      const batch = batchOf(await one.take());
      await one.start(batch, all);
      await one.report(batch, { [all[0] ?? ""]: failed(true) });
      const reports = (some: readonly string[]) =>
        Object.fromEntries(some.map((email) => [email, refusesSender(email)]));
      await one.report(batch, reports(all.slice(1, 21)));
      const { counts, waitsUntil } = await first.mailing();
      assert.deepEqual([counts.failed, counts.queued, waitsUntil], [1, 20, NOW + 5000]);
      const late = await sentCampaign(store, all);
      const two = late.node("two");
      await late.change("pause");
      await late.change("resume");
      const taken = batchOf(await two.take(NOW + DEFERRED_MS));
      await two.start(taken, all, NOW + DEFERRED_MS);
      await two.report(taken, reports(all), NOW + DEFERRED_MS);
      assert.equal((await late.mailing()).counts.failed, 41, "after 72 hours");
      const slow = await sentCampaign(store, all);
      const three = slow.node("three");
      let at = NOW;
      for (
        ;
        (await slow.mailing()).counts.failed < 41 && at < NOW + 3 * DEFERRED_MS;
        at += DEFERRED_MS / 18
      ) {
        const some = await three.take(at);
        if (some === null) continue;
        await three.start(some, addressesOf(some), at);
        await three.report(some, Object.fromEntries(addressesOf(some).map((email) => [email, DEFERRED])), at);
        await three.giveBack(some, at);
      }
      assert.equal((await slow.mailing()).counts.failed, 41, `given up at ${(at - NOW) / 3_600_000} hours`);
    });

    test("refusals in other words, and of addresses that do not exist, are about the recipients", async () => {
      for (const outcome of [
        (email: string) => refusal(`spam ${email < "p00010" ? "a" : "b"}`),
        () => failed(true),
      ]) {
        const c = await sentCampaign(store, emails(30));
        const one = c.node("one");
        const batch = batchOf(await one.take());
        await one.start(batch, emails(30));
        await one.report(batch, Object.fromEntries(emails(30).map((email) => [email, outcome(email)])));
        const { counts, waitsUntil } = await c.mailing();
        assert.deepEqual([counts.failed, waitsUntil], [30, null]);
      }
    });

    test("permits for a relay are for consecutive times, whichever node asks, from a second after a refusal", async () => {
      const key = "relay smtp.example.org:587 news";
      const asked = { key, sender: null, accepted: 0, aheadMs: 250, refusedAfter: null };
      assert.equal(await store.paces.take({ ...asked, now: NOW }), null, "nothing was refused yet");
      const first = await store.paces.take({ ...asked, refusedAfter: 100, now: NOW });
      const next = await second.paces.take({ ...asked, refusedAfter: 80, now: NOW + 5 });
      assert.ok(first && next);
      const { from, everyMs } = first.permits;
      assert.deepEqual([from, first.permits.count, first.acceptsNothing], [NOW + 1000, 24, false]);
      assert.equal(
        next.permits.from,
        from + everyMs * first.permits.count,
        "both were refused at once: that counts as once",
      );
      const keys = [key, "relay other.example:25 "];
      const [pace, ...others] = await second.paces.ofRelays({ keys, now: NOW });
      assert.deepEqual([pace?.key, Math.round(pace?.perSecond ?? 0), others], [key, 115, []]);
      assert.deepEqual(await store.paces.ofRelays({ keys, now: NOW + DAY + 5 }), [], "forgotten after a day");
      assert.equal(await store.paces.take({ ...asked, now: NOW + DAY + 5 }), null);
      await purge(store, NOW + DAY + 5);
      assert.equal(await count("SELECT count(*) AS n FROM pace"), 0);
    });

    test("a limit by second is spaced within the second, and holds for all nodes together", async () => {
      const c = await sentCampaign(store, emails(1), { limits: { perSecond: 12 } });
      const times: number[] = [];
      const nodes = [store, second];
      for (let now = NOW, at = 0; now < NOW + 10_000; at += 1) {
        const node = nodes[at % 2];
        assert.ok(node);
        const of = {
          key: "sender",
          sender: { account: c.account, id: c.sender },
          aheadMs: 250,
          accepted: 0,
          refusedAfter: null,
        };
        const taken = await node.paces.take({ ...of, now });
        assert.ok(taken);
        const { from, everyMs, count } = taken.permits;
        times.push(...Array.from({ length: count }, (_, index) => from + index * everyMs));
        // Asked a little before they are used up, as a process does.
        now = Math.max(now, Math.floor(from + everyMs * count - 100));
      }
      for (const [index, time] of times.entries())
        assert.ok(Math.abs(time - (NOW + (index * 1000) / (0.95 * 12))) < 1, `${index}: ${time - NOW}`);
      assert.ok(times.length >= 114);
      await store.senders.set({ account: c.account, id: c.sender, perSecond: null });
      const { account, sender: id } = c;
      const given = {
        key: "sender",
        sender: { account, id },
        accepted: 0,
        aheadMs: 250,
        refusedAfter: null,
        now: NOW,
      };
      assert.equal(await store.paces.take(given), null, "the limit was removed");
    });

    test("a limit per day ends at midnight in UTC", async () => {
      const c = await sentCampaign(store, emails(2), { limits: { perDay: 1 } });
      const one = c.node("one");
      const batch = batchOf(await one.take());
      const midnight = Math.ceil(NOW / DAY) * DAY;
      assert.deepEqual((await one.start(batch, emails(2))).starts, ["started", { limitedUntil: midnight }]);
      const [, next = ""] = emails(2);
      assert.deepEqual((await one.start(batch, [next], NOW + 1000)).starts, [{ limitedUntil: midnight }]);
      await one.report(batch, { [next]: { state: "queued", isAttempt: true, afterMs: midnight - NOW } });
      const later = batchOf(await one.take(midnight));
      assert.deepEqual((await one.start(later, addressesOf(later), midnight)).starts.at(-1), "started");
    });

    test("a limit per day counts what was sent before it was set", async () => {
      const c = await sentCampaign(store, emails(4));
      const one = c.node("one");
      const batch = batchOf(await one.take());
      const [first = "", next = "", third = "", last = ""] = emails(4);
      await one.start(batch, [first]);
      await one.start(batch, [next]);
      assert.ok(await store.senders.set({ account: c.account, id: c.sender, perDay: 3 }));
      const limited = { limitedUntil: Math.ceil(NOW / DAY) * DAY };
      assert.deepEqual((await one.start(batch, [third, last])).starts, ["started", limited]);
      const counted = `SELECT sum(count) AS n FROM handed_over WHERE sender_id = ${c.sender}`;
      assert.equal(await count(counted), 3, "once each: by domain only if there is such a limit");
    });

    test("a limit per day does not count what was not handed over", async () => {
      const c = await sentCampaign(store, emails(3), { limits: { perDay: 2 } });
      const one = c.node("one");
      const batch = batchOf(await one.take());
      const [first = "", second = "", third = ""] = emails(3);
      assert.deepEqual((await one.start(batch, [first, second])).starts, ["started", "started"]);
      const day = Math.floor(NOW / DAY);
      const counted = `SELECT sum(count) AS n FROM handed_over WHERE sender_id = ${c.sender} AND period = ${day}`;
      const queued = { state: "queued", isAttempt: false, afterMs: 0 } as const;
      // Of the day in which it was counted, also if the connection was lost after midnight.
      await one.report(batch, { [first]: queued }, NOW + DAY);
      assert.equal(await count(counted), 1);
      await one.report(batch, {
        [first]: queued,
        [second]: { state: "deferred", code: 450, reply: "later" },
      });
      assert.equal(await count(counted), 1, "a relay that replied to a message has got it");
      assert.deepEqual((await one.start(batch, [third])).starts, ["started"]);
      assert.equal(await count(counted), 2);
    });

    test("a relay that is away makes the campaign wait for longer each time, with its words", async () => {
      const c = await sentCampaign(store, emails(2));
      const one = c.node("one");
      const batch = batchOf(await one.take());
      const fail = (now: number) => store.ledger.relayFailed({ ...c.of, now, reason: "421 busy" });
      assert.equal(await fail(NOW), NOW + relayDelay(1));
      assert.equal(await fail(NOW + 1), NOW + relayDelay(1), "connections that fail together count once");
      const { starts, waitsUntil } = await one.start(batch, emails(1));
      assert.deepEqual([starts, waitsUntil], [["stopped"], NOW + relayDelay(1)]);
      assert.equal(await c.node("two").take(), null);
      const isDue = async (now: number) =>
        (await store.ledger.due({ now })).some(({ campaign }) => campaign === c.campaign);
      const until = NOW + relayDelay(1);
      assert.deepEqual([await isDue(until - 1), await isDue(until)], [false, true]);
      assert.equal(await fail(until), until + relayDelay(2));
      const { state, reason } = await c.mailing();
      assert.deepEqual([state, reason], ["sending", "421 busy"]);
      await store.ledger.relayWorks(c.of);
      assert.deepEqual([(await c.mailing()).waitsUntil, (await c.mailing()).reason], [null, null]);
      assert.deepEqual((await one.start(batch, emails(1))).starts, ["started"]);
    });

    test("a campaign does not wait for a relay until a time that a wrong clock has stored", async () => {
      const c = await sentCampaign(store, emails(1));
      const one = c.node("one");
      const ahead = NOW + 30 * DAY;
      const fail = (now: number) => store.ledger.relayFailed({ ...c.of, now, reason: "421 busy" });
      assert.equal(await fail(ahead), ahead + relayDelay(1));
      const isDue = async () =>
        (await store.ledger.due({ now: NOW })).some(({ campaign }) => campaign === c.campaign);
      assert.equal(await isDue(), true);
      const batch = batchOf(await one.take());
      assert.equal(await fail(NOW), NOW + relayDelay(2));
      assert.equal(await isDue(), false);
      assert.deepEqual((await one.start(batch, emails(1))).starts, ["stopped"]);
      for (let failures = 3; failures < 20; failures += 1) {
        const until = await fail((await c.mailing()).waitsUntil ?? 0);
        assert.equal(await one.take(until - relayDelay(failures)), null, "also after the longest wait");
      }
      await sql(`UPDATE mailing SET waits_until = ${ahead} WHERE campaign_id = ${c.campaign}`);
      assert.deepEqual((await one.start(batch, emails(1))).starts, ["started"]);
    });

    for (const [ahead, text] of [
      [NOW + 11 * MINUTE, "11 minutes"],
      [NOW + 30 * DAY, "30 days"],
    ] as const)
      test(`a recipient whom a clock ${text} ahead has deferred is tried again now, and fails 72 hours from now`, async () => {
        const [email = "", next = ""] = emails(2);
        const c = await sentCampaign(store, [email, next]);
        const one = c.node("one");
        const batch = batchOf(await one.take(ahead));
        await one.send(batch, email, DEFERRED, ahead);
        await one.send(batch, next, { state: "queued", isAttempt: true, afterMs: MINUTE }, ahead);
        const again = batchOf(await one.take());
        assert.deepEqual(addressesOf(again), [email, next].toSorted());
        await one.send(again, next, SENT);
        await one.send(again, email, DEFERRED);
        assert.equal(await one.take(NOW + deferralDelay(2) - 1), null);
        const late = NOW + DEFERRED_MS;
        await one.send(batchOf(await one.take(late)), email, DEFERRED, late);
        assert.deepEqual(await c.states(), { [email]: "failed", [next]: "sent" });
      });

    test("a hard bounce is an event of the campaign and suppresses the subscriber, in the same transaction", async () => {
      const [gone = "", full = ""] = emails(2);
      const c = await sentCampaign(store, [gone, full]);
      const one = c.node("one");
      const batch = batchOf(await one.take());
      await one.start(batch, [gone, full]);
      await one.report(batch, { [gone]: failed(true), [full]: failed(false) }, NOW + 3);
      assert.deepEqual(await c.lost(c.campaign, "bounced"), [{ address: gone, joinedAt: NOW, at: NOW + 3 }]);
      const [bounced, other] = [await c.show(gone), await c.show(full)];
      assert.deepEqual([bounced?.suppressions.bounced, other?.suppressions.bounced], [NOW + 3, null]);
      assert.equal(await c.members(c.list), 1);
      assert.equal((await c.mailing()).bouncedCount, 1);
    });

    test("bounces that a campaign has caused since a time are cleared, and then its retry reaches the people", async () => {
      const [ada = "", ben = "", cid = "", dan = ""] = emails(4);
      const c = await sentCampaign(store, [ada, ben, cid, dan]);
      const one = c.node("one");
      const batch = batchOf(await one.take());
      await one.send(batch, ada, failed(true), NOW + 1);
      for (const email of [ben, cid]) await one.send(batch, email, failed(true), NOW + 10);
      await one.send(batch, dan, failed(false), NOW + 10);
      await c.unsubscribe(cid);
      const origin = { kind: "operator", name: "ada" } as const;
      const other = await c.record([c.list]);
      const retriable = async () =>
        (await collect(store.mailings.retriable.pages({ ...c.of, state: "failed" }))).map(
          ({ address }) => address,
        );
      const bounced = async (since: number | null) =>
        (await collect(store.campaigns.bounces.pages({ ...c.of, since })))
          .map(({ address }) => address)
          .toSorted();
      assert.deepEqual(
        [await bounced(null), await bounced(NOW + 2)],
        [
          [ada, ben, cid],
          [ben, cid],
        ],
      );
      assert.deepEqual(await retriable(), [dan], "nobody else could get it");
      const clear = async (since: number | null, now: number) => {
        const { account } = c;
        const change = {
          kind: "clear-bounces",
          campaign: c.campaign,
          since,
          reason: "the relay lied",
        } as const;
        const lease = await store.jobs.start({
          ...{ kind: "change-subscribers", name: `clear ${now}`, account, total: null, at: now },
          ...{ args: { search: null, change, at: now, origin }, lease: leaseAt(now), audited: {} },
        });
        assert.ok(lease);
        return finish(store, lease, now);
      };
      await clear(NOW + 2, NOW + 2 * MINUTE);
      assert.deepEqual(await bounced(null), [ada]);
      assert.deepEqual((await c.show(ben))?.suppressions.bounced, null);
      assert.deepEqual(await retriable(), [ben, dan], "an opt-out holds");
      const request = { ...c.of, states: ["failed"] as const, now: NOW + HOUR, lease: leaseAt(NOW + HOUR) };
      const retried = await store.mailings.retry(request);
      assert.ok(retried && "count" in retried);
      assert.deepEqual([retried.count, retried.job], [2, null]);
      assert.deepEqual(await c.states(), {
        [ada]: "failed",
        [ben]: "queued",
        [cid]: "failed",
        [dan]: "queued",
      });
      const again = batchOf(await one.take(NOW + HOUR));
      await one.send(again, ben, failed(true), NOW + HOUR);
      assert.deepEqual(await bounced(null), [ada, ben], "a further bounce is no further event");
      await clear(null, NOW + 2 * HOUR);
      assert.deepEqual(await bounced(null), []);
      await c.event(other, "bounced", ada, NOW + 3 * HOUR);
      assert.deepEqual(await bounced(null), [], "of another campaign");
    });

    test("a retry of those who cannot get the campaign any more changes nothing", async () => {
      const [ada = ""] = emails(1);
      const c = await sentCampaign(store, [ada]);
      const one = c.node("one");
      await one.send(batchOf(await one.take()), ada, failed(true));
      assert.equal(await one.take(), null);
      const request = { ...c.of, states: ["failed"] as const, now: NOW + HOUR, lease: leaseAt(NOW + HOUR) };
      const retried = await store.mailings.retry(request);
      assert.ok(retried && "count" in retried);
      assert.deepEqual([retried.count, retried.job, (await c.mailing()).state], [0, null, "finished"]);
    });

    test("no words of the relay are stored about somebody who was erased while the message was being sent", async () => {
      const people = emails(4);
      const c = await sentCampaign(store, people);
      const one = c.node("one");
      const batch = batchOf(await one.take());
      await one.start(batch, people);
      const [gone = "", full = "", lost = "", stays = ""] = people;
      for (const email of [gone, full, lost])
        await store.subscribers.erase({ account: c.account, address: addressOf(email), at: NOW });
      const outcomes = { [gone]: failed(true), [full]: DEFERRED, [lost]: UNKNOWN, [stays]: failed(false) };
      await one.report(batch, outcomes);
      const words = `SELECT count(*) AS n FROM recipient_reply WHERE campaign_id = ${c.campaign}`;
      assert.equal(await count(words), 1);
      const { rows } = await store.mailings.recipients.page(
        { ...c.of, state: null },
        { after: null, limit: 9 },
      );
      assert.deepEqual(
        rows.map(({ address, state, reply }) => [address, state, reply]),
        [
          [null, "failed", null],
          [null, "deferred", null],
          [null, "unknown", null],
          [stays, "failed", "550 5.1.1 no such user"],
        ],
      );
      assert.equal(await one.take(NOW + DAY), null);
      assert.equal((await c.mailing()).counts.skipped, 1, "and nobody is tried again");
    });

    test("a recipient to whom it was sent in the end keeps no words of an earlier attempt", async () => {
      const people = emails(3);
      const c = await sentCampaign(store, people);
      const [one, two] = [c.node("one"), c.node("two", second)];
      const [lost = "", late = "", deferred = ""] = people;
      const batch = batchOf(await one.take());
      await one.start(batch, [lost, late]);
      await one.send(batch, deferred, DEFERRED);
      const later = NOW + LEASE;
      assert.equal(await two.take(later), null);
      const queued = { state: "queued", isAttempt: false, afterMs: 0 } as const;
      await one.report(batch, { [lost]: queued, [late]: SENT }, later);
      await two.send(batchOf(await two.take(later)), lost, SENT, later);
      const due = NOW + deferralDelay(1);
      await two.report(batchOf(await two.take(due)), { [deferred]: queued }, due);
      await two.send(batchOf(await two.take(due)), deferred, SENT, due);
      assert.deepEqual(Object.values(await c.states()), ["sent", "sent", "sent"]);
      const words = `SELECT count(*) AS n FROM recipient_reply WHERE campaign_id = ${c.campaign}`;
      assert.equal(await count(words), 0);
    });

    /** So many that a share of them counts. */
    async function campaignTo260() {
      const people = emails(260);
      const c = await sentCampaign(store, people);
      const one = c.node("one");
      const batch = batchOf(await one.take(NOW, 260));
      const results = (from: number, to: number, outcome: typeof SENT) =>
        Object.fromEntries(people.slice(from, to).map((email) => [email, outcome]));
      return { people, c, one, batch, results };
    }

    test("a campaign pauses when its hard bounces pass the limit, and not again after an operator resumed it", async () => {
      const { people, c, one, batch, results } = await campaignTo260();
      await one.start(batch, people.slice(0, 199));
      await one.report(batch, { ...results(0, 189, SENT), ...results(189, 199, failed(true)) });
      assert.equal((await c.mailing()).state, "sending", "10 of 199: too few were sent to judge");
      await one.start(batch, people.slice(199, 210));
      assert.equal((await one.report(batch, results(199, 200, SENT))).state, "sending", "10 of 200 is 5 %");
      const { state } = await one.report(batch, results(200, 201, failed(true)));
      assert.equal(state, "paused");
      assert.match((await c.mailing()).reason ?? "", /rejected 11 of 201 addresses/);
      assert.deepEqual((await one.start(batch, people.slice(210, 211))).starts, ["stopped"]);
      await c.change("resume");
      assert.equal((await one.report(batch, results(201, 202, failed(true)))).state, "sending");
    });

    test("a campaign pauses when most messages fail, and not again after an operator resumed it", async () => {
      const { people, c, one, batch, results } = await campaignTo260();
      await one.start(batch, people.slice(0, 210));
      await one.report(batch, { ...results(0, 99, SENT), ...results(99, 199, failed(false)) });
      assert.equal((await c.mailing()).state, "sending", "100 of 199: too few were sent to judge");
      assert.equal((await one.report(batch, results(199, 200, SENT))).state, "sending", "half of 200");
      assert.equal((await one.report(batch, results(200, 201, failed(false)))).state, "paused");
      const { reason } = await c.mailing();
      assert.match(reason ?? "", /^101 of 201 messages failed\. .* before you resume the campaign\.$/);
      assert.deepEqual((await one.start(batch, people.slice(210, 211))).starts, ["stopped"]);
      await c.change("resume");
      assert.equal((await one.report(batch, results(201, 202, failed(false)))).state, "sending");
    });

    test("the ledger of a campaign that ended long ago is deleted, and its numbers are kept", async () => {
      const c = await sentCampaign(store, emails(1), { limits: { perDay: 100_000 } });
      const one = c.node("one");
      await one.send(batchOf(await one.take()), emails(1)[0] ?? "", UNKNOWN);
      await sql(
        `INSERT INTO recipient (account_id, campaign_id, subscriber_id, state, at)
         WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 1099)
         SELECT ${c.account}, ${c.campaign}, 1000000 + n, 6, 5 FROM s;
         UPDATE mailing SET selected = 1100, unknown = 1100 WHERE campaign_id = ${c.campaign}`,
      );
      assert.equal(await one.take(), null);
      await sql(
        `INSERT INTO recipient_earlier (account_id, campaign_id, subscriber_id, state, at)
         VALUES (${c.account}, ${c.campaign}, 1000001, 4, 5)`,
      );
      const handedOver = () => count(`SELECT count(*) AS n FROM handed_over WHERE sender_id = ${c.sender}`);
      assert.equal(await handedOver(), 1);
      await purge(store, NOW);
      assert.equal(await handedOver(), 1);
      await purge(store, NOW + 30 * DAY);
      assert.equal((await c.mailing()).purgedAt, null);
      const later = NOW + 30 * DAY + 1;
      assert.ok((await purge(store, later)) > 1, "in batches");
      const { purgedAt, counts, selected } = await c.mailing();
      assert.deepEqual([purgedAt, counts.unknown, selected], [later, 1100, 1100]);
      assert.deepEqual(await c.states(), {});
      const earlier = `SELECT count(*) AS n FROM recipient_earlier WHERE campaign_id = ${c.campaign}`;
      assert.equal(await count(earlier), 0);
      assert.equal(await handedOver(), 0, "and so are the counts for the limits");
    });
  });
}
