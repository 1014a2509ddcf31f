/** Who is taken, started and skipped in every store, by one process and by several. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { Store } from "#domain/ports/store.ts";
import { addressOf, NOW } from "../actor.ts";
import { leaseAt } from "../job-steps.ts";
import {
  addressesOf,
  batchOf,
  DEFERRED,
  emails,
  failed,
  LEASE,
  type Node,
  type Nodes,
  SENT,
  scheduledCampaign,
  select,
  sentCampaign,
  UNKNOWN,
} from "./sent-campaign.ts";

const HOUR = 3_600_000;

export function ledgerSuite(name: string, { stores, sql, count }: Nodes): void {
  describe(`the ledger in ${name}`, () => {
    let store: Store;
    let second: Store;
    before(() => {
      [store, second] = stores();
    });

    test("selects active members of the lists once, in batches, without those who are excluded or suppressed", async () => {
      const people = emails(1200);
      const { of, list, newList, ...a } = await scheduledCampaign(store, people, {
        excluded: ["p00001@example.org", "p00002@example.org"],
      });
      await a.unsubscribe("p00003@example.org");
      await a.addPending(list, "pending@example.org");
      const more = await newList("More");
      for (const email of ["p00004@example.org", "only-more@example.org"]) await a.add(more, email);
      await store.mailings.change({ ...of, change: "unschedule", at: NOW, now: NOW });
      await store.mailings.setContent({ ...of, changes: { lists: [list, more] } });
      await store.mailings.change({ ...of, change: "schedule", at: NOW, now: NOW });
      assert.ok((await store.ledger.due({ now: NOW })).some(({ campaign }) => campaign === of.campaign));
      assert.equal(await store.ledger.begin({ ...of, now: NOW }), "selecting");
      assert.equal(await store.ledger.begin({ ...of, now: NOW }), "selecting", "again changes nothing");
      assert.equal(await select(store, of.campaign), 3, "two steps for the long list, one for the other");
      const { mailing, isBalanced } = (await store.mailings.balance(of)) ?? assert.fail();
      assert.deepEqual(
        [mailing.state, mailing.selected, mailing.counts.queued, mailing.startedAt, isBalanced],
        ["sending", 1198, 1198, NOW, true],
      );
      assert.deepEqual(
        (await store.ledger.due({ now: NOW })).find(({ campaign }) => campaign === of.campaign)?.state,
        "sending",
      );
    });

    test("a campaign without a recipient is finished at once", async () => {
      const { mailing } = await sentCampaign(store, []);
      const { state, endedAt, selected } = await mailing();
      assert.deepEqual([state, endedAt, selected], ["finished", NOW, 0]);
    });

    test("a campaign that is not due yet is not started, and one that is overdue waits for a person", async () => {
      const { of } = await scheduledCampaign(store, emails(1));
      assert.equal(await store.ledger.begin({ ...of, now: NOW - 1 }), "scheduled");
      const isDue = async (now: number) =>
        (await store.ledger.due({ now })).some(({ campaign }) => campaign === of.campaign);
      assert.deepEqual([await isDue(NOW - 1), await isDue(NOW)], [false, true]);
      assert.equal(await store.ledger.begin({ ...of, now: NOW + HOUR + 1 }), "held");
      assert.equal(await isDue(NOW + HOUR + 2), false);
      const figure = (await store.ledger.figures()).find(({ campaign }) => campaign === of.campaign);
      assert.equal(figure?.state, "held");
    });

    test("a selection that is paused ends, and continues where the campaign is resumed", async () => {
      const { of } = await scheduledCampaign(store, emails(3));
      await store.ledger.begin({ ...of, now: NOW });
      await store.mailings.change({ ...of, change: "pause", at: NOW, now: NOW });
      await select(store, of.campaign);
      assert.equal((await store.mailings.byId(of))?.mailing.selected, 0);
      await store.mailings.change({ ...of, change: "resume", at: NOW, now: NOW + 5 });
      assert.equal(await store.ledger.begin({ ...of, now: NOW + 5 }), "selecting");
      await select(store, of.campaign);
      const { state, selected } = (await store.mailings.byId(of))?.mailing ?? assert.fail();
      assert.deepEqual([state, selected], ["sending", 3]);
    });

    test("two processes never get the same recipient", async () => {
      const { node, mailing } = await sentCampaign(store, emails(40));
      const nodes = [node("one"), node("two", second), node("three")];
      const taken: string[] = [];
      for (let round = 0; round < 5; round += 1)
        for (const batch of await Promise.all(nodes.map((one) => one.take(NOW, 3))))
          taken.push(...addressesOf(batch));
      assert.deepEqual(taken.toSorted(), emails(40));
      assert.equal(await nodes[0]?.take(), null, "all of them are taken");
      assert.equal((await mailing()).state, "sending", "and none has an end");
    });

    test("recipients come with the values of their fields", async () => {
      const { list, of, ...a } = await scheduledCampaign(store, []);
      const made = await a.createField("Town");
      assert.ok(typeof made === "object");
      await a.addData(list, "ada@example.org", {
        ...{ firstName: "Ada", values: [{ field: made.id, value: "London" }] },
      });
      await store.ledger.begin({ ...of, now: NOW });
      await select(store, of.campaign);
      const lease = { owner: "one", now: NOW, until: NOW + LEASE };
      const { batch } = await store.ledger.take({ ...of, ...lease, limit: 5 });
      const person = batch?.recipients[0];
      assert.deepEqual([person?.firstName, person?.fields], ["Ada", { Town: "London" }]);
      const subscribers = [person?.subscriber ?? 0];
      assert.deepEqual(await store.ledger.reload({ ...of, subscribers }), batch?.recipients);
    });

    test("a batch whose lease has expired is taken over: what is queued is kept, what was being sent is unknown", async () => {
      const [ada, ben, cid] = ["ada@example.org", "ben@example.org", "cid@example.org"] as const;
      const { of, node, states, mailing } = await sentCampaign(store, [ada, ben, cid]);
      const [one, two] = [node("one"), node("two", second)];
      const mine = batchOf(await one.take());
      await one.send(mine, ada, SENT);
      await one.start(mine, [ben]);
      const expiry = NOW + LEASE;
      assert.equal(await two.take(expiry - 1), null);
      await one.extend([mine], expiry - 1);
      assert.equal(await two.take(expiry), null, "the lease was extended");
      const late = expiry - 1 + LEASE;
      const lease = { owner: "two", now: late, until: late + LEASE };
      const taken = await second.ledger.take({ ...of, ...lease, limit: 100 });
      assert.equal(taken.unknown, 1, "for the metric");
      const theirs = batchOf(taken.batch);
      assert.deepEqual(addressesOf(theirs), [cid]);
      assert.deepEqual(await states(), { [ada]: "sent", [ben]: "unknown", [cid]: "queued" });
      const refused = await one.start(mine, [cid], late);
      assert.deepEqual([refused.starts, refused.isOurs], [["stopped"], false]);
      await one.report(mine, { [ben]: SENT }, late);
      assert.deepEqual(
        await states(),
        { [ada]: "sent", [ben]: "sent", [cid]: "queued" },
        "a late result corrects it",
      );
      await two.send(theirs, cid, SENT, late);
      assert.equal(await two.take(late), null);
      assert.equal((await mailing()).state, "finished");
    });

    test("a campaign is held if two processes in turn died with a batch, and nobody got a result in between", async () => {
      const [ada = "", ben = "", cid = "", dan = ""] = emails(4);
      const { of, node, mailing, change } = await sentCampaign(store, [ada, ben, cid, dan]);
      /** Each process takes what the one before has left: its lease has expired. */
      const at = (process: number) => NOW + process * LEASE;
      const processes = [0, 1, 2, 3, 4].map((n) => node(`process ${n}`, n % 2 === 0 ? store : second));
      const [first, sends, sendsOthers, standsStill, last] = processes as [Node, Node, Node, Node, Node];
      const takes = async (process: Node, n: number, people: readonly string[], limit = 100) => {
        const batch = batchOf(await process.take(at(n), limit));
        assert.deepEqual(addressesOf(batch), people);
        return batch;
      };
      await takes(first, 0, [ada, ben], 2);
      await sends.send(await takes(sends, 1, [ada, ben]), ada, SENT, at(1));
      await takes(sendsOthers, 2, [ben]);
      await sendsOthers.send(await takes(sendsOthers, 2, [cid], 1), cid, SENT, at(2));
      await takes(standsStill, 3, [ben]);
      await takes(standsStill, 4, [ben]);
      const given = { ...of, owner: "process 4", now: at(5), until: at(6), limit: 100 };
      assert.equal((await store.ledger.take({ ...given, takesOver: false })).heldBecause, null);
      const { batch, heldBecause } = await store.ledger.take(given);
      assert.deepEqual([batch, (await mailing()).state], [null, "held"]);
      assert.match(heldBecause ?? "", /^The service died twice while it made messages of this campaign/);
      assert.equal((await mailing()).reason, heldBecause);
      await change("resume", at(6));
      for (const left of [[dan], [ben]]) await last.giveBack(await takes(last, 6, left, 1), at(6));
    });

    test("a campaign that the service held is resumed without taking anybody from another process", async () => {
      const [ada = "", ben = "", cid = "", dan = "", eve = ""] = emails(5);
      const { of, node, mailing, states, change } = await sentCampaign(store, [ada, ben, cid, dan, eve]);
      const [one, two, three] = [node("one"), node("two", second), node("three")];
      const early = batchOf(await two.take(NOW, 1));
      await two.send(early, ada, DEFERRED);
      const at = NOW + 73 * HOUR;
      const [theirs, left] = [batchOf(await two.take(at, 2)), batchOf(await one.take(at, 2))];
      await two.start(theirs, [ben], at);
      await one.start(left, [cid], at);
      // The first process holds it, and dies before it has given its batch back.
      assert.equal(await store.ledger.hold({ ...of, now: at, reason: "a message could not be made" }), true);
      await change("resume", at);
      await two.extend([theirs], at + 1);
      await two.report(theirs, { [ben]: SENT }, at);
      await two.send(theirs, ada, DEFERRED, at);
      const rest = batchOf(await three.take(at));
      assert.deepEqual(addressesOf(rest), [eve]);
      await three.send(rest, eve, SENT, at);
      const late = at + LEASE;
      const again = batchOf(await three.take(late));
      assert.deepEqual(addressesOf(again), [dan]);
      await three.send(again, dan, SENT, late);
      assert.equal(await three.take(late), null);
      const ended = { [ben]: "sent", [cid]: "unknown", [dan]: "sent", [eve]: "sent" };
      assert.deepEqual(await states(), { [ada]: "failed", ...ended }, "the first attempt was three days ago");
      assert.equal((await mailing()).state, "finished");
    });

    test("extends only the batches that the process names", async () => {
      const people = ["ada@example.org", "ben@example.org"];
      const { node } = await sentCampaign(store, people);
      const [one, two] = [node("one"), node("two", second)];
      const [unknown, known] = [batchOf(await one.take(NOW, 1)), batchOf(await one.take(NOW, 1))];
      const expiry = NOW + LEASE;
      await two.extend([known, unknown], expiry - 1);
      await one.extend([known], expiry - 1);
      assert.deepEqual(addressesOf(await two.take(expiry)), addressesOf(unknown));
      assert.equal(await two.take(expiry), null, "the lease was extended");
    });

    for (const stop of ["pause", "cancel"] as const)
      test(`what a process was sending that died after a ${stop} is unknown when its lease has expired`, async () => {
        const [ada, ben, cid] = ["ada@example.org", "ben@example.org", "cid@example.org"] as const;
        const { of, node, states, change } = await sentCampaign(store, [ada, ben, cid]);
        const one = node("one");
        const mine = batchOf(await one.take());
        await one.start(mine, [ada, ben]);
        const isUnattended = async (now: number) =>
          (await second.ledger.unattended({ now })).some(({ campaign }) => campaign === of.campaign);
        const late = NOW + LEASE;
        assert.equal(await isUnattended(late), false, "it would be taken over");
        assert.equal(await second.ledger.release({ ...of, now: late }), 0);
        await change(stop);
        assert.equal(await isUnattended(late - 1), false, "the process still has its lease");
        assert.equal(await second.ledger.release({ ...of, now: late - 1 }), 0);
        assert.equal(await isUnattended(late), true);
        assert.equal(await second.ledger.release({ ...of, now: late }), 2);
        assert.equal(await isUnattended(late), false);
        assert.deepEqual(await states(), { [ada]: "unknown", [ben]: "unknown", [cid]: "queued" });
        const { mailing, isBalanced } = (await store.mailings.balance(of)) ?? assert.fail();
        const { counts } = mailing;
        assert.deepEqual([counts.sending, counts.unknown, isBalanced], [0, 2, true]);
        await one.report(mine, { [ben]: SENT }, late);
        assert.equal((await states())[ben], "sent", "a late result corrects it");
        if (stop === "cancel") return;
        await change("resume", late);
        assert.deepEqual(addressesOf(await node("two", second).take(late)), [cid]);
      });

    test("a lease that has expired starts nobody, even if nobody has taken the batch over", async () => {
      const { node, states } = await sentCampaign(store, emails(2));
      const one = node("one");
      const batch = batchOf(await one.take());
      const [first = "", next = ""] = emails(2);
      await one.start(batch, [first]);
      const { starts, isOurs } = await one.start(batch, [next], NOW + LEASE);
      assert.deepEqual([starts, isOurs], [["stopped"], false]);
      await one.report(batch, { [first]: SENT }, NOW + LEASE);
      assert.deepEqual(await states(), { [first]: "sent", [next]: "queued" });
      const again = batchOf(await one.take(NOW + LEASE));
      assert.deepEqual(addressesOf(again), [next]);
      assert.notEqual(again.id, batch.id);
    });

    test("nobody is started twice", async () => {
      const { node } = await sentCampaign(store, emails(1));
      const one = node("one");
      const batch = batchOf(await one.take());
      const [email = ""] = emails(1);
      assert.deepEqual((await one.start(batch, [email, email])).starts, ["started", "stopped"]);
      assert.deepEqual((await one.start(batch, [email])).starts, ["stopped"]);
      await one.report(batch, { [email]: SENT });
      assert.deepEqual((await one.start(batch, [email])).starts, ["stopped"]);
      assert.equal(await one.take(), null);
    });

    test("a recipient who has left since the selection is skipped, with the reason", async () => {
      const people = {
        "opted-out@example.org": "unsubscribed",
        "blocked@example.org": "blocked",
        "domain@blocked.example": "blocked",
        "removed@example.org": "left the lists",
        "excluded@example.org": "on an excluded list",
        "bounced@example.org": "bounced",
        "complained@example.org": "complained",
        "stays@example.org": null,
      };
      const names = Object.keys(people);
      const c = await sentCampaign(store, names);
      const one = c.node("one");
      const batch = batchOf(await one.take());
      const recorded = await c.record([c.list]);
      await c.unsubscribe("opted-out@example.org");
      await c.block("blocked@example.org");
      await c.block("@blocked.example");
      await c.remove(c.list, "removed@example.org");
      await c.add(c.other, "excluded@example.org");
      await c.event(recorded, "bounced", "bounced@example.org");
      await c.event(recorded, "complained", "complained@example.org");
      const { starts } = await one.start(batch, names);
      assert.deepEqual(
        starts,
        Object.values(people).map((skipped) => (skipped === null ? "started" : { skipped })),
      );
      assert.deepEqual(await c.reasons(), people);
      await one.report(batch, { "stays@example.org": SENT });
      assert.equal(await one.take(), null);
      assert.deepEqual([(await c.mailing()).state, (await c.mailing()).counts.skipped], ["finished", 7]);
    });

    test("somebody who was erased gets nothing, whether they are in a batch or not", async () => {
      const [ada, ben, cid] = ["ada@example.org", "ben@example.org", "cid@example.org"] as const;
      const c = await sentCampaign(store, [ada, ben, cid]);
      const erase = (email: string) =>
        store.subscribers.erase({ account: c.account, address: addressOf(email), at: NOW });
      await erase(ben);
      const one = c.node("one");
      const batch = batchOf(await one.take());
      assert.deepEqual(addressesOf(batch), [ada, cid]);
      await one.send(batch, cid, DEFERRED);
      await erase(cid);
      const ids = Object.fromEntries(batch.recipients.map((each) => [each.address, each.subscriber]));
      await erase(ada);
      const { starts } = await store.ledger.proceed({
        ...{ ...c.of, batch: batch.id, owner: "one", now: NOW, until: NOW + LEASE, results: [] },
        starts: [{ subscriber: ids[ada] ?? 0, address: ada }],
      });
      assert.deepEqual(starts, [{ skipped: "erased" }]);
      for (let polls = 0; polls < 5 && (await c.mailing()).state === "sending"; polls += 1)
        assert.equal(await one.take(NOW + HOUR), null);
      const { state, counts } = await c.mailing();
      assert.deepEqual([state, counts.skipped], ["finished", 3], "also those that were deferred");
    });

    test("a changed address is not sent to until the message is made anew", async () => {
      const c = await sentCampaign(store, ["old@example.org"]);
      const one = c.node("one");
      const batch = batchOf(await one.take());
      const [person] = batch.recipients;
      await c.move("old@example.org", "new@example.org");
      const start = (address: string) =>
        store.ledger.proceed({
          ...{ ...c.of, batch: batch.id, owner: "one", now: NOW, until: NOW + LEASE, results: [] },
          starts: [{ subscriber: person?.subscriber ?? 0, address }],
        });
      assert.deepEqual((await start("old@example.org")).starts, ["changed"]);
      assert.deepEqual(await c.states(), { "new@example.org": "queued" });
      const [again] = await store.ledger.reload({ ...c.of, subscribers: [person?.subscriber ?? 0] });
      assert.deepEqual((await start(again?.address ?? "")).starts, ["started"]);
    });

    test("a new block of an address that was corrected meanwhile does not skip the subscriber", async () => {
      const c = await sentCampaign(store, ["ada@old.example", "bob@old.example"]);
      const one = c.node("one");
      const batch = batchOf(await one.take());
      const ids = batch.recipients.map(({ subscriber }) => subscriber);
      await c.move("ada@old.example", "ada@new.example");
      await c.move("bob@old.example", "bob@newer.example");
      await c.block("@old.example");
      await c.block("@newer.example");
      const start = async (addresses: readonly string[]) => {
        const starts = addresses.map((address, at) => ({ subscriber: ids[at] ?? 0, address }));
        const given = { ...c.of, batch: batch.id, owner: "one", now: NOW, until: NOW + LEASE, results: [] };
        return (await store.ledger.proceed({ ...given, starts })).starts;
      };
      assert.deepEqual(await start(["ada@old.example", "bob@old.example"]), ["changed", "changed"]);
      const again = await store.ledger.reload({ ...c.of, subscribers: ids });
      assert.deepEqual(await start(again.map(({ address }) => address)), ["started", { skipped: "blocked" }]);
    });

    test("a paused or cancelled campaign starts nobody, and its batch can be given back", async () => {
      const c = await sentCampaign(store, emails(3));
      const [one, two] = [c.node("one"), c.node("two", second)];
      const batch = batchOf(await one.take());
      const [first = "", next = ""] = emails(3);
      await one.start(batch, [first]);
      await c.change("pause");
      const { starts, state } = await one.start(batch, [next]);
      assert.deepEqual([starts, state], [["stopped"], "paused"]);
      await one.report(batch, { [first]: SENT });
      await one.giveBack(batch);
      assert.equal(await two.take(), null);
      await c.change("resume");
      const theirs = batchOf(await two.take());
      assert.deepEqual(addressesOf(theirs), emails(3).slice(1));
      await c.change("cancel");
      assert.deepEqual((await two.start(theirs, [next])).starts, ["stopped"]);
      assert.deepEqual(Object.values(await c.states()), ["sent", "queued", "queued"]);
    });

    test("what was being sent when a batch is given back is unknown", async () => {
      const c = await sentCampaign(store, emails(2));
      const one = c.node("one");
      const batch = batchOf(await one.take());
      await one.start(batch, emails(1));
      await one.giveBack(batch);
      assert.deepEqual(Object.values(await c.states()), ["unknown", "queued"]);
      assert.deepEqual(addressesOf(await c.node("two").take()), emails(2).slice(1));
    });

    test("the row of a batch is short, and has those without a result, with their earlier attempts", async () => {
      const people = emails(400);
      const c = await sentCampaign(store, people);
      const one = c.node("one");
      const [first = "", next = "", third = "", , fifth = ""] = people;
      await one.send(batchOf(await one.take(NOW, 2)), next, DEFERRED);
      const later = NOW + HOUR;
      const batch = batchOf(await c.node("two", second).take(later, 400));
      assert.deepEqual(addressesOf(batch), [first], "the batch that has expired comes first");
      const rest = batchOf(await one.take(later, 400));
      await one.send(rest, third, SENT, later);
      await one.send(rest, fifth, SENT, later);
      const length = `SELECT length(members) AS n FROM delivery_batch WHERE id = ${rest.id}`;
      assert.ok((await count(length)) < 120);
      const left = people.filter((email) => ![first, third, fifth].includes(email));
      const late = NOW + 73 * HOUR;
      const two = c.node("two", second);
      assert.deepEqual(addressesOf(await two.take(late, 400)), [first]);
      const again = batchOf(await two.take(late, 400));
      assert.deepEqual(addressesOf(again).toSorted(), left);
      await two.send(again, next, DEFERRED, late);
      assert.equal((await c.states())[next], "failed", "its first attempt was three days ago");
    });

    test("a restored campaign is walked again, and sends to those who are queued only", async () => {
      const c = await sentCampaign(store, emails(8));
      const one = c.node("one");
      const batch = batchOf(await one.take(NOW, 6));
      const [first = "", next = "", third = "", fourth = ""] = emails(8);
      await one.send(batch, first, SENT);
      await one.send(batch, next, DEFERRED);
      await one.start(batch, [third]);
      await one.send(batch, fourth, failed(false));
      await sql(`UPDATE mailing SET state = 'held' WHERE campaign_id = ${c.campaign}`);
      await sql(`DELETE FROM delivery_batch WHERE campaign_id = ${c.campaign}`);
      await c.change("resume");
      const again = batchOf(await one.take());
      assert.deepEqual(addressesOf(again), emails(8).slice(4));
      assert.equal((await c.states())[third], "unknown");
      assert.equal((await c.states())[next], "deferred");
      assert.equal(await one.take(), null);
      for (const email of addressesOf(again)) await one.send(again, email, SENT);
      assert.equal(await one.take(), null);
      const later = batchOf(await one.take(NOW + HOUR));
      assert.deepEqual(addressesOf(later), [next]);
      await one.send(later, next, UNKNOWN, NOW + HOUR);
      assert.equal(await one.take(NOW + HOUR), null);
      assert.equal((await c.mailing()).state, "finished");
    });

    test("a restored campaign that was cancelled sends to those who were put back, and to nobody else", async () => {
      const c = await sentCampaign(store, emails(6));
      const one = c.node("one");
      const batch = batchOf(await one.take(NOW, 3));
      const [first = "", next = ""] = emails(6);
      await one.send(batch, first, failed(false));
      await one.start(batch, [next]);
      await c.change("cancel");
      await store.mailings.retry({ ...c.of, states: ["failed"], now: NOW, lease: leaseAt(NOW) });
      await sql(`UPDATE mailing SET state = 'held' WHERE campaign_id = ${c.campaign}`);
      await sql(`DELETE FROM delivery_batch WHERE campaign_id = ${c.campaign}`);
      await c.change("resume");
      const again = batchOf(await one.take());
      assert.deepEqual(addressesOf(again), [first]);
      await one.send(again, first, SENT);
      assert.equal(await one.take(), null);
      const { state, counts } = await c.mailing();
      assert.deepEqual([state, counts.sent, counts.unknown, counts.queued], ["cancelled", 1, 1, 4]);
    });

    test("a restored campaign sends once to those who were to be tried again", async () => {
      const c = await sentCampaign(store, emails(4));
      const one = c.node("one");
      const batch = batchOf(await one.take(NOW, 3));
      const [first = "", next = "", third = "", last = ""] = emails(4);
      await one.send(batch, first, DEFERRED);
      await one.giveBack(batch);
      await sql(`UPDATE mailing SET state = 'held' WHERE campaign_id = ${c.campaign}`);
      const later = NOW + HOUR;
      await c.change("resume", later);
      const walked = batchOf(await one.take(later));
      assert.deepEqual(addressesOf(walked), [last], "the others are behind the cursor from now on");
      const again = batchOf(await one.take(later));
      assert.deepEqual(addressesOf(again).toSorted(), [first, next, third]);
      assert.equal(await one.take(later), null, "all of them are taken");
      for (const email of [first, next, third]) await one.send(again, email, SENT, later);
      await one.send(walked, last, SENT, later);
      assert.equal(await one.take(later), null);
      assert.equal((await c.mailing()).state, "finished");
    });
  });
}
