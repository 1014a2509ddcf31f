/** Erasure of a subscriber in every store, and the return of an erased address. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { CampaignEvent } from "#domain/campaign.ts";
import { noSubscriberCounts } from "#domain/import/batch.ts";
import { collect } from "#domain/paging.ts";
import { StoreUnavailable, VersionConflict } from "#domain/ports/errors.ts";
import type { Store } from "#domain/ports/store.ts";
import type { Retention } from "#domain/refused-call.ts";
import { type ClearableSuppression, noSuppressions } from "#domain/subscriber/subscriber.ts";
import { erase } from "#jobs/in-batches.ts";
import { actor, addressOf, encodedList, forEachOf, NOW, newAccount, newImport } from "./actor.ts";
import { closeSound } from "./recount.ts";

const ADA = "Ada@example.org";

/** An account with a list, a campaign and a field; most commands are about Ada. */
async function accountWithAda(store: Store) {
  const account = await newAccount(store);
  const a = actor(store, account, (email) => ({
    operation: "Subscriber.Add",
    args: JSON.stringify({ EMail: email }),
    isCut: false,
  }));
  const list = await a.list();
  const campaign = await a.campaign([list]);
  const city = await a.createField("City");
  assert.ok(typeof city === "object");
  return {
    account,
    list,
    campaign,
    add: (email = ADA) => a.add(list, email),
    addData: (email = ADA) =>
      a.addData(list, email, { firstName: "Ada", values: [{ field: city.id, value: "London" }] }),
    unsubscribe: (email = ADA, at = NOW + 1) => a.unsubscribe(email, at),
    event: (event: CampaignEvent, email = ADA, at = NOW + 2) => a.event(campaign, event, email, at),
    reactivate: (suppression: ClearableSuppression, email = ADA) => a.reactivate(email, suppression),
    block: (pattern: string, at = NOW + 3) => a.block(pattern, at),
    unblock: a.unblock,
    erase: (email = ADA) => erase(store, { account, address: addressOf(email), at: NOW + 9 }),
    take: async (
      onto: number | null,
      suppressions: Partial<Record<ClearableSuppression, number>> = {},
      email = ADA,
    ) => {
      const people = [
        { address: addressOf(email), joinedAt: NOW, suppressions, data: { firstName: "Ada" }, values: [] },
      ];
      const importing = await newImport(store, account, onto);
      const results = await store.imports.add({ ...importing, at: NOW, people });
      return results?.[0]?.outcome;
    },
    show: (email = ADA) => a.show(email),
    refusals: () => collect(store.refusals.all.pages({ account })),
    numbers: async () => {
      const found = (await collect(store.accounts.all.pages({}))).find(({ id }) => id === account);
      return [found?.activeSubscribers, await a.members(list)];
    },
    bounced: async () => {
      let text = "";
      for await (const { bytes } of encodedList(store, account, campaign)) text += Buffer.from(bytes);
      return text;
    },
  };
}

export function erasureSuite(name: string, open: (retention: Retention) => Promise<Store>): void {
  describe(`erasures in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open({ days: 90, rows: 10_000, bytes: 2 ** 28 });
    });
    after(() => closeSound(store));

    test("erases everything about an active subscriber, who has no history when added again", async () => {
      const a = await accountWithAda(store);
      for (const email of [ADA, "bob@example.org"]) assert.equal(await a.addData(email), "Done");
      assert.deepEqual(await a.erase("ADA@EXAMPLE.ORG"), {
        wasKnown: true,
        values: 1,
        lists: 1,
        history: 1,
        losses: 0,
        refusedCalls: 0,
        kept: null,
        rewriteAt: null,
      });
      assert.equal(await a.show(), null);
      assert.deepEqual(await a.numbers(), [1, 1]);
      assert.equal((await a.show("bob@example.org"))?.data.firstName, "Ada", "others are unchanged");
      assert.equal(await a.add(), "Done");
      const back = await a.show();
      assert.deepEqual([back?.data.firstName, back?.values, back?.history.length], ["", [], 1]);
      assert.deepEqual(await a.numbers(), [2, 2]);
    });

    test("erases the address from the names of imported files", async () => {
      const a = await accountWithAda(store);
      const counts = noSubscriberCounts;
      const names = [
        "ADA@example.org.csv",
        "ada%40example.org.rejected-2.csv",
        "export-ada@example.org.csv",
        "ada@example.net.csv",
        "all.csv",
      ];
      for (const fileName of names) {
        const source = { fileName, startedBy: "tester", startedAt: NOW };
        await store.imports.start({ ...source, account: a.account, list: a.list, counts });
      }
      await a.erase();
      const batches = await collect(store.imports.all.pages({ account: a.account }));
      assert.deepEqual(batches.map(({ fileName }) => fileName).toReversed(), [
        "(erased)",
        "(erased)",
        "(erased)",
        "ada@example.net.csv",
        "all.csv",
      ]);
    });

    for (const [what, suppression, out, refused] of [
      ["opted out", "unsubscribed", (a) => a.unsubscribe(), "Unsubscribed"],
      ["bounced", "bounced", (a) => a.event("bounced"), "Bounced"],
      ["complained", "complained", (a) => a.event("complained"), "Blocked"],
    ] as const satisfies readonly (readonly [
      string,
      ClearableSuppression,
      (a: Awaited<ReturnType<typeof accountWithAda>>) => Promise<unknown>,
      string,
    ])[])
      test(`keeps of a subscriber who ${what} that, and nothing else`, async () => {
        const a = await accountWithAda(store);
        await a.addData();
        await out(a);
        const since = (await a.show())?.suppressions[suppression];
        assert.ok(since);
        const { kept } = await a.erase();
        assert.deepEqual(kept, { ...noSuppressions, [suppression]: since });
        assert.equal(await a.show(), null);
        assert.equal(await a.add(), refused);
        assert.equal(await a.addData(), refused);
        assert.equal(await a.take(a.list), "Erased");
        assert.equal(await a.take(null, { [suppression]: NOW }), "NoOp");
        if (suppression === "unsubscribed") assert.equal(await a.unsubscribe(), "Done");
        else assert.equal(await a.event(suppression === "bounced" ? "bounced" : "complained"), "Done");
        assert.equal(await a.show(), null, "none of this brings the person back");
        assert.equal(await a.bounced(), "");
        assert.deepEqual(await a.numbers(), [0, 0]);
        // Another account is not affected.
        assert.equal(await (await accountWithAda(store)).add(), "Done");
      });

    test("keeps on a second erasure what the first one kept", async () => {
      const a = await accountWithAda(store);
      await a.unsubscribe();
      await a.erase();
      const again = await a.erase();
      assert.equal(again.wasKnown, false);
      assert.deepEqual(again.kept, { ...noSuppressions, unsubscribed: NOW + 1 });
      assert.equal(await a.add(), "Unsubscribed");
    });

    test("keeps an opt-out until the operator reactivates the subscriber, and then nothing", async () => {
      const a = await accountWithAda(store);
      await a.event("bounced");
      await a.unsubscribe();
      await a.erase();
      assert.equal(await a.reactivate("complained"), "UnknownSubscriber");
      assert.equal(await a.reactivate("unsubscribed"), "Done");
      const back = await a.show();
      assert.deepEqual(
        back?.suppressions,
        { ...noSuppressions, bounced: NOW + 2 },
        "the other suppression still holds",
      );
      assert.deepEqual(
        back.history.map(({ kind }) => kind),
        ["reactivated", "unsubscribed", "bounced"],
      );
      assert.equal(await a.reactivate("bounced"), "Done");
      assert.equal(await a.add(), "Done");
      assert.deepEqual(await a.numbers(), [1, 1]);
      assert.equal((await a.erase()).kept, null, "what was cleared is not remembered");
      assert.equal(await a.add(), "Done");
    });

    test("creates one subscriber with all kept suppressions when more is recorded after an erasure", async () => {
      const a = await accountWithAda(store);
      await a.event("bounced");
      await a.erase();
      assert.equal(await a.unsubscribe(), "Done");
      assert.deepEqual((await a.show())?.suppressions, {
        ...noSuppressions,
        bounced: NOW + 2,
        unsubscribed: NOW + 1,
      });
      await a.erase();
      assert.equal(await a.take(null, { complained: NOW + 5 }), "Recorded");
      assert.equal((await a.show())?.suppressions.complained, NOW + 5);
      assert.equal((await a.show())?.suppressions.bounced, NOW + 2);
      assert.equal(await a.add(), "Blocked");
      assert.deepEqual(await a.numbers(), [0, 0]);
    });

    test("removes the address from the block list, and keeps it blocked until it is unblocked", async () => {
      const a = await accountWithAda(store);
      await a.add();
      await a.block("ada@example.org");
      assert.deepEqual((await a.erase()).kept, { ...noSuppressions, blocked: NOW + 3 });
      assert.deepEqual(await collect(store.blocks.all.pages({ account: a.account })), []);
      assert.equal(await a.add(), "Blocked");
      assert.equal(await a.take(a.list), "Erased");
      // Created again by an opt-out, still blocked, even after a block of the domain was added and removed.
      await a.unsubscribe();
      assert.equal((await a.show())?.state, "blocked");
      await a.block("@example.org");
      await a.unblock("@example.org");
      assert.equal((await a.show())?.state, "blocked");
      await a.erase();
      assert.equal(await a.unblock("ada@example.org"), true);
      assert.equal(await a.unblock("ada@example.org"), false);
      assert.equal(await a.add(), "Unsubscribed");
    });
    test("keeps the date of the first of two blocks", async () => {
      const a = await accountWithAda(store);
      await a.block("ada@example.org");
      await a.erase();
      await a.block("ada@example.org", NOW + 4);
      assert.deepEqual((await a.erase()).kept, { ...noSuppressions, blocked: NOW + 3 });
      await a.block("@example.org", NOW + 5);
      await a.unsubscribe();
      assert.equal((await a.show())?.suppressions.blocked, NOW + 3);
    });
    test("keeps nothing of a subscriber whose block was removed", async () => {
      const a = await accountWithAda(store);
      await a.block("ada@example.org");
      await a.erase();
      assert.equal(await a.unblock("ada@example.org"), true);
      assert.equal(await a.take(a.list), "Joined");
    });
    test("leaves the block of a domain unchanged, and keeps nothing for it", async () => {
      const a = await accountWithAda(store);
      await a.add();
      await a.block("@example.org");
      assert.equal((await a.erase()).kept, null);
      assert.equal(await a.add(), "Blocked");
      await a.unblock("@example.org");
      assert.equal(await a.add(), "Done");
    });

    test("removes the subscriber from campaign results, and keeps the others", async () => {
      const a = await accountWithAda(store);
      for (const email of [ADA, "bob@example.org"]) await a.event("bounced", email);
      assert.equal(await a.bounced(), "<Ada@example.org><bob@example.org>");
      assert.deepEqual((await a.show())?.losses, [
        { campaign: a.campaign, name: "Campaign", event: "bounced", at: NOW + 2, joinedAt: NOW + 2 },
      ]);
      assert.equal((await a.erase()).losses, 1);
      assert.equal(await a.bounced(), "<bob@example.org>");
    });

    test("deletes any number of refused calls that name the address, and no others", async () => {
      const a = await accountWithAda(store);
      await a.unsubscribe();
      const refuse = (args: string) =>
        store.fields.add({
          account: a.account,
          at: NOW,
          origin: { kind: "operator" },
          recordedCall: { operation: "Op", args, isCut: false },
          field: null,
        });
      const others = ["bigada@example.org", "ada@example.org.uk", "ada@example.com", "x.ada@example.org"];
      const strangers = Array.from({ length: 2100 }, (_, n) => `p${n}@example.org`);
      await forEachOf(strangers, (email) => refuse(JSON.stringify({ EMail: email })));
      for (const email of others) await refuse(JSON.stringify({ EMail: email }));
      assert.equal(await a.add(), "Unsubscribed");
      await refuse(JSON.stringify({ Note: "line\nADA@example.org." }));
      assert.equal((await a.refusals()).length, 2106);
      assert.equal((await a.erase()).refusedCalls, 2);
      const left = (await a.refusals()).map(({ args }) => args);
      assert.equal(left.length, 2104);
      for (const email of others) assert.ok(left.includes(JSON.stringify({ EMail: email })), email);
    });

    test("deletes refused calls that name the address in another spelling, even among long ones", async () => {
      const a = await accountWithAda(store);
      const { account } = a;
      const refuse = (email: string, note = "") =>
        store.fields.add({
          account,
          at: NOW,
          origin: { kind: "operator" },
          recordedCall: { operation: "Op", args: JSON.stringify({ EMail: email, Note: note }), isCut: false },
          field: null,
        });
      const spellings = [
        "ada%40example.org",
        "%41da%2540EXAMPLE.org",
        "ａｄａ＠example.org",
        "mailto:ADA@example.org",
        "Ada <ada@example.org>",
        "ada\\u0040example.org",
      ];
      const filler = "long ".repeat(6000);
      const others = Array.from({ length: 30 }, (_, n) => `p${n}%40example.org`);
      for (const [n, email] of others.entries()) {
        await refuse(email, filler);
        await refuse(spellings[n] ?? email, n % 2 === 0 ? filler : "");
      }
      assert.equal((await a.erase()).refusedCalls, spellings.length);
      const left = (await a.refusals()).map(({ args }) => (JSON.parse(args) as { EMail: string }).EMail);
      assert.deepEqual([...new Set(left)].sort(), others.sort());
    });

    test("ends although a call is refused after each batch that was searched", async () => {
      const a = await accountWithAda(store);
      await a.unsubscribe();
      await a.add();
      let batches = 0;
      const refusals: Store["refusals"] = {
        ...store.refusals,
        erase: async (args) => {
          const batch = await store.refusals.erase(args);
          batches += 1;
          assert.ok(batches < 5, "the search goes on");
          await a.unsubscribe(`p${batches}@example.org`);
          await a.add(`p${batches}@example.org`);
          return batch;
        },
      };
      const command = { account: a.account, address: addressOf(ADA), at: NOW + 9 };
      assert.equal((await erase({ ...store, refusals }, command)).refusedCalls, 1);
      assert.equal(batches, 2, "one before the subscriber is erased, and one after");
    });

    test("that is interrupted can be repeated, because the subscriber is still there", async () => {
      const a = await accountWithAda(store);
      await a.unsubscribe();
      await a.add();
      const command = { account: a.account, address: addressOf(ADA), at: NOW + 9 };
      const away = (): never => {
        throw new StoreUnavailable("away");
      };
      const withoutRefusals = { ...store, refusals: { ...store.refusals, erase: away } };
      await assert.rejects(erase(withoutRefusals, command), StoreUnavailable);
      const id = (await a.show())?.id;
      assert.ok(id !== undefined);
      const outdated = { origin: { kind: "operator" }, action: "test", at: NOW, from: null } as const;
      const conditional = { ...command, audit: { ...outdated, ifVersion: ["another"] } };
      await assert.rejects(erase(store, conditional), VersionConflict);
      assert.equal((await a.refusals()).length, 1, "nothing was erased");
      assert.equal((await erase(store, command)).refusedCalls, 1);
      assert.deepEqual([await a.show(), (await a.refusals()).length], [null, 0]);
    });

    test("is visible to later commands of the same group", async () => {
      const a = await accountWithAda(store);
      await a.unsubscribe();
      await a.erase();
      const outcomes = await Promise.all([
        a.add(),
        a.add("new@example.org"),
        a.unsubscribe("new@example.org"),
        a.add("new@example.org"),
        a.add(),
      ]);
      assert.deepEqual(outcomes, ["Unsubscribed", "Done", "Done", "Unsubscribed", "Unsubscribed"]);
    });
  });
}
