/** What the events of providers change, in every store. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { collect } from "#domain/paging.ts";
import type { ProvedAs, ReceivedEvent } from "#domain/ports/sending/webhooks.ts";
import type { Store } from "#domain/ports/store.ts";
import { noEventCounts } from "#domain/sending/provider-event.ts";
import * as inBatches from "#jobs/in-batches.ts";
import { begin, draftIn, SENT, sendAll, senderValues, sendSome } from "../../sending-campaign.ts";
import { addressOf, NOW, newAccount } from "../actor.ts";
import { purge } from "../job-steps.ts";
import { closeSound } from "../recount.ts";
import { newWorld, type Sql } from "./world.ts";

const DAY = 86_400_000;

export function webhooksSuite(name: string, open: () => Promise<Store>, sql: Sql): void {
  describe(`events of providers in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => closeSound(store));

    const erase = (account: number, email: string) =>
      inBatches.erase(store, { account, address: addressOf(email), at: NOW });

    /** An account with a sender that has a webhook, and a person to whom a campaign was sent. */
    async function world() {
      const w = await newWorld(store, sql);
      const { account, list } = w;
      await w.add(list, "Ada@example.org");
      const ada = await w.idOf("ada@example.org");
      const campaign = await sendAll(
        store,
        await begin(store, await draftIn(store, { account, list }), NOW),
        NOW,
        SENT,
      );
      const sender = await store.senders.create({ account, ...senderValues, createdAt: NOW });
      const of = { account, id: sender.id };
      const key: ProvedAs = { secretHash: Buffer.alloc(32, 7), key: "00", topic: null };
      await store.webhooks.set({ ...of, provider: "plain", ...key, createdAt: NOW });
      let made = 0;
      const event = (kind: ReceivedEvent["kind"], more: Partial<ReceivedEvent> = {}): ReceivedEvent => {
        made += 1;
        return {
          ...{ key: `event ${made}`, address: "ada@EXAMPLE.org", kind, at: NOW, detail: null },
          ...{ campaign: null, subscriber: null, ...more },
        };
      };
      const receive = (events: readonly ReceivedEvent[], now = NOW, once: string | null = null) =>
        store.webhooks.receive({ ...of, as: key, events, once, now });
      const state = async (email = "ada@example.org") => {
        const found = await w.show(email);
        assert.ok(found);
        const { unsubscribed, bounced, complained } = found.suppressions;
        return {
          held: Object.entries({ unsubscribed, bounced, complained }).flatMap(([kind, at]) =>
            at === null ? [] : [kind],
          ),
          history: found.history
            .filter(({ kind }) => kind !== "joined")
            .map(({ kind, origin, campaign: of_, detail }) => [kind, origin.kind, of_, detail]),
        };
      };
      const lost = async () => {
        const count = (one: "bounced" | "complained" | "unsubscribed") =>
          store.campaigns.countEvents({ ...campaign, event: one, most: 10 });
        return [await count("bounced"), await count("complained"), await count("unsubscribed")];
      };
      const counts = async () => (await store.webhooks.find(of))?.counts;
      const unmatched = async () => await collect(store.webhooks.unmatched.pages(of));
      return { ...w, ada, sent: campaign, of, key, event, receive, state, lost, counts, unmatched };
    }

    test("each kind suppresses as it should, with the words of the provider, and in no campaign without a token", async () => {
      for (const [kind, suppression] of [
        ["hard", "bounced"],
        ["complaint", "complained"],
        ["unsubscribe", "unsubscribed"],
      ] as const) {
        const w = await world();
        assert.ok(await w.receive([w.event(kind, { detail: "550 no" })]));
        assert.deepEqual(await w.state(), {
          held: [suppression],
          history: [[suppression, "bounce", null, "550 no"]],
        });
        assert.deepEqual(await w.lost(), [0, 0, 0]);
        assert.deepEqual(await w.counts(), { ...noEventCounts, [kind]: 1 });
      }
    });

    test("neither a soft bounce nor a refusal for the content changes anything about the person", async () => {
      const w = await world();
      await w.receive([w.event("soft"), w.event("rejected"), w.event("delivered")]);
      assert.deepEqual(await w.state(), { held: [], history: [] });
      assert.deepEqual(await w.counts(), { ...noEventCounts, soft: 1, rejected: 1 });
    });

    test("with the token of the person, the campaign has the event, beside the message that was sent", async () => {
      const w = await world();
      const token = { campaign: w.sent.campaign, subscriber: w.ada };
      await w.receive([w.event("hard", token), w.event("complaint", token), w.event("unsubscribe", token)]);
      assert.deepEqual(await w.lost(), [1, 1, 1]);
      assert.deepEqual((await w.state()).held, ["unsubscribed", "bounced", "complained"]);
      const balance = await store.mailings.balance(w.sent);
      assert.deepEqual([balance?.isBalanced, balance?.mailing.counts.sent], [true, 1]);
    });

    test("the token of somebody else, or of a campaign of another account, is no campaign", async () => {
      const [w, other] = [await world(), await world()];
      await w.add(w.list, "bob@example.org");
      const bob = await w.idOf("bob@example.org");
      await w.receive([w.event("hard", { campaign: w.sent.campaign, subscriber: bob })]);
      await w.receive([w.event("complaint", { campaign: other.sent.campaign, subscriber: w.ada })]);
      assert.deepEqual(
        [await w.lost(), await other.lost()],
        [
          [0, 0, 0],
          [0, 0, 0],
        ],
      );
      assert.deepEqual((await w.state()).held, ["bounced", "complained"]);
      assert.deepEqual((await w.state("bob@example.org")).held, [], "the address decides");
    });

    test("what comes again, in the same call or later, changes nothing", async () => {
      const w = await world();
      const token = { campaign: w.sent.campaign, subscriber: w.ada };
      const events = [w.event("hard", token), w.event("unsubscribe", token), w.event("complaint", token)];
      await w.receive([...events, ...events]);
      const first = [await w.state(), await w.lost(), await w.counts()];
      await w.reactivate("ada@example.org", "bounced");
      const after = await w.state();
      await w.receive(events.toReversed(), NOW + 29 * DAY);
      assert.deepEqual(await w.state(), after, "somebody who was reactivated stays so");
      assert.deepEqual([first[1], first[2]], [await w.lost(), await w.counts()]);
    });

    test("an event that is older than what is remembered changes nothing", async () => {
      const w = await world();
      await w.receive([w.event("hard", { at: NOW - 30 * DAY })]);
      assert.deepEqual((await w.state()).held, []);
      await purge(store, NOW + 31 * DAY);
      await w.receive([w.event("hard")], NOW + 31 * DAY);
      assert.deepEqual((await w.state()).held, []);
    });

    test("what may be received once is: another content with the same mark changes nothing", async () => {
      const w = await world();
      await w.receive([w.event("delivered")], NOW, "mark");
      assert.ok(await w.receive([w.event("hard")], NOW, "mark"));
      assert.deepEqual((await w.state()).held, []);
      await w.receive([w.event("hard")], NOW, "another mark");
      assert.deepEqual((await w.state()).held, ["bounced"]);
    });

    test("soft bounces on five different days within sixty are a bounce, and are then used up", async () => {
      const w = await world();
      const on = (day: number, more = {}) =>
        w.event("soft", { at: NOW + day * DAY, detail: "452 full", ...more });
      await w.receive([on(0), on(0), on(0), on(0), on(0), on(0)]);
      assert.deepEqual((await w.state()).held, [], "one day");
      for (const day of [10, 20, 59]) await w.receive([on(day)], NOW + day * DAY);
      await w.receive([on(62)], NOW + 62 * DAY);
      assert.deepEqual((await w.state()).held, [], "the first day is too long ago");
      const token = { campaign: w.sent.campaign, subscriber: w.ada };
      await w.receive([on(63, token)], NOW + 63 * DAY);
      const words = "soft bounces on 5 days within 60; the last: 452 full";
      assert.deepEqual(await w.state(), {
        held: ["bounced"],
        history: [["bounced", "bounce", w.sent.campaign, words]],
      });
      assert.deepEqual(await w.lost(), [1, 0, 0]);
      await w.reactivate("ada@example.org", "bounced");
      await w.receive([on(64)], NOW + 64 * DAY);
      assert.deepEqual((await w.state()).held, [], "they count from the beginning");
    });

    test("a delivery clears the soft bounces before it, and writes nothing for anybody else", async () => {
      const w = await world();
      const { account } = w;
      const has = () =>
        store.webhooks.hasSoftBounces({ account, addresses: ["ADA@example.org", "no address"] });
      const on = (day: number) => w.event("soft", { at: NOW + day * DAY });
      assert.equal(await has(), false);
      for (const day of [0, 1, 2, 3]) await w.receive([on(day)], NOW + day * DAY);
      assert.equal(await has(), true);
      await w.receive([w.event("delivered", { at: NOW + 2.5 * DAY })], NOW + 3 * DAY);
      assert.equal(await has(), true, "the last one came after it");
      for (const day of [4, 5, 6]) await w.receive([on(day)], NOW + day * DAY);
      assert.deepEqual((await w.state()).held, []);
      await w.receive([w.event("delivered", { at: NOW + 7 * DAY })], NOW + 7 * DAY);
      assert.equal(await has(), false);
      const rows = async () =>
        (await sql(`SELECT 1 FROM provider_event WHERE account_id = ${account}`)).length;
      assert.equal(await rows(), 7);
    });

    test("an address that is nobody's is kept, shown, and forgotten on erasure or after 30 days", async () => {
      const w = await world();
      const of = { account: w.account, addressKey: "stranger@example.net" };
      const stranger = { address: "Stranger@example.net", detail: "550 unknown" };
      await w.receive([w.event("hard", stranger), w.event("soft", { address: "not an address" })]);
      assert.deepEqual(
        (await w.unmatched())
          .map(({ address, kind, detail }) => [address, kind, detail])
          .toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
        [
          ["Stranger@example.net", "hard", "550 unknown"],
          ["not an address", "soft", null],
        ],
      );
      assert.deepEqual(await w.counts(), { ...noEventCounts, hard: 1, soft: 1, unmatched: 2 });
      assert.equal(await w.show("stranger@example.net"), null, "nobody is added");
      assert.equal((await store.webhooks.ofPerson(of)).length, 1);
      await erase(w.account, "stranger@example.net");
      assert.deepEqual([await store.webhooks.ofPerson(of), (await w.unmatched()).length], [[], 1]);
      await purge(store, NOW + 31 * DAY);
      assert.deepEqual(await w.unmatched(), []);
    });

    test("an erasure leaves nothing about the person, also if more events come", async () => {
      const w = await world();
      const token = { campaign: w.sent.campaign, subscriber: w.ada };
      const of = { account: w.account, addressKey: "ada@example.org" };
      await w.receive([w.event("soft", { detail: "ada's mailbox is full", ...token })]);
      assert.equal((await store.webhooks.ofPerson(of)).length, 1);
      await erase(w.account, "ada@example.org");
      await w.receive([w.event("complaint", { detail: "ada complains", ...token })]);
      assert.deepEqual([await store.webhooks.ofPerson(of), await w.unmatched()], [[], []]);
      const rows = await sql(
        `SELECT subscriber_id, address, address_key, detail FROM provider_event WHERE account_id = ${w.account}`,
      );
      assert.deepEqual(
        rows.map((row) => Object.values(row)),
        [
          [null, null, null, null],
          [null, null, null, null],
        ],
      );
    });

    test("a late complaint about somebody who was erased is kept for the address, and nothing else is", async () => {
      const w = await world();
      const of = { account: w.account, addressKey: "ada@example.org" };
      await w.unsubscribe("ada@example.org");
      await erase(w.account, "ada@example.org");
      await w.receive([w.event("complaint", { detail: "ada complains" }), w.event("soft")]);
      assert.deepEqual([await store.webhooks.ofPerson(of), await w.unmatched()], [[], []]);
      assert.equal(await w.show("ada@example.org"), null);
      assert.equal(await w.add(w.list, "ada@example.org"), "Blocked");
    });

    test("what was proved by a webhook that was replaced changes nothing", async () => {
      const w = await world();
      for (const as of [
        { ...w.key, secretHash: Buffer.alloc(32, 9) },
        { ...w.key, key: "01" },
        { ...w.key, topic: "another" },
      ]) {
        const given = { ...w.of, as, events: [w.event("hard")], once: null, now: NOW };
        assert.equal(await store.webhooks.receive(given), false);
      }
      assert.deepEqual((await w.state()).held, []);
    });

    test("many complaints pause the campaign, and warn before the next one", async () => {
      const w = await newWorld(store, sql);
      const { account, list } = w;
      const ids = await w.people(700);
      const sender = await store.senders.create({ account, ...senderValues, createdAt: NOW });
      const of = { account, id: sender.id };
      const key: ProvedAs = { secretHash: Buffer.alloc(32, 7), key: "00", topic: null };
      await store.webhooks.set({ ...of, provider: "plain", ...key, createdAt: NOW });
      const one = await begin(store, await draftIn(store, { account, list }, { sender: sender.id }), NOW);
      await sendSome(store, one, NOW, { limit: 600, outcome: () => SENT });
      const complain = async (from: number, to: number) => {
        const events = ids.slice(from, to).map((subscriber, nth) => ({
          ...{
            key: `c${from + nth}`,
            address: `person${from + nth}@example.net`,
            kind: "complaint" as const,
          },
          ...{ at: NOW, detail: null, campaign: one.campaign, subscriber },
        }));
        await store.webhooks.receive({ ...of, as: key, events, once: null, now: NOW });
        const found = await store.mailings.byId(one);
        return [found?.mailing.state, found?.mailing.reason ?? null];
      };
      assert.deepEqual(await complain(0, 4), ["sending", null], "four say nothing");
      const [state, reason] = await complain(4, 5);
      assert.equal(state, "paused");
      assert.match(reason ?? "", /^5 of 600 people complained/);
      await w.change(one, "resume");
      assert.deepEqual((await complain(5, 7))[0], "sending", "a person has resumed it");
      const none = await store.webhooks.complaintsBefore({ ...of, campaign: one.campaign });
      const before_ = await store.webhooks.complaintsBefore({ ...of, campaign: one.campaign + 1_000_000 });
      assert.deepEqual([none, before_], [null, { campaign: one.campaign, complaints: 7, sent: 600 }]);
    });

    test("a webhook is of one account, is replaced, and goes with its sender", async () => {
      const w = await world();
      const foreign = { account: await newAccount(store), id: w.of.id };
      assert.equal(await store.webhooks.find(foreign), null);
      assert.equal(
        await store.webhooks.receive({
          ...foreign,
          as: w.key,
          events: [w.event("hard")],
          once: null,
          now: NOW,
        }),
        false,
      );
      const values = {
        provider: "ses",
        secretHash: Buffer.alloc(32, 8),
        key: "",
        createdAt: NOW + 1,
      } as const;
      assert.equal(await store.webhooks.set({ ...foreign, ...values }), null);
      await w.receive([w.event("soft")]);
      assert.deepEqual((await store.webhooks.set({ ...w.of, ...values }))?.counts, noEventCounts);
      assert.equal((await store.webhooks.find(w.of))?.secretHash[0], 8);
      await store.senders.delete(w.of);
      assert.equal(await store.webhooks.find(w.of), null);
    });

    test("a topic counts when a person has confirmed it, and not another one that asks meanwhile", async () => {
      const w = await world();
      const { webhooks } = store;
      const ask = (topic: string, url: string, as: typeof w.key = w.key) =>
        webhooks.propose({ ...w.of, as, topic, url });
      assert.equal(await ask("a", "1", { ...w.key, key: "01" }), false, "it was replaced meanwhile");
      assert.deepEqual([await ask("a", "1"), await ask("b", "2")], [true, true]);
      assert.equal(await webhooks.confirm({ ...w.of, topic: "a" }), null);
      assert.equal((await webhooks.find(w.of))?.topic, null);
      const { topic, pendingTopic } = (await webhooks.confirm({ ...w.of, topic: "b" })) ?? {};
      assert.deepEqual([topic, pendingTopic], ["b", null]);
      assert.equal((await webhooks.remove(w.of))?.topic, "b");
      assert.deepEqual([await webhooks.remove(w.of), await webhooks.find(w.of)], [null, null]);
    });
  });
}
