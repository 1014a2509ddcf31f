/** Deletion of fields and campaigns in every store: in batches, and unknown to everybody from the first. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { campaignEvents } from "#domain/campaign.ts";
import { collect } from "#domain/paging.ts";
import type { FieldUsage } from "#domain/ports/fields.ts";
import type { Store } from "#domain/ports/store.ts";
import { JOB_STEP, VISITED } from "#store/writes/step-limits.ts";
import { actor, addressOf, forEachOf, NOW, newAccount } from "./actor.ts";
import { finish, finishAll, leaseAt, stepOf } from "./job-steps.ts";
import { closeSound, wrongNumbers } from "./recount.ts";

/** `open` opens the same database every time: each store is a node. */
export function deletionSuite(name: string, open: () => Promise<Store>): void {
  describe(`deletions in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(async () => {
      try {
        await finishAll(store);
      } finally {
        await closeSound(store);
      }
    });

    const idOf = async (account: number, named: string): Promise<bigint> => {
      const found = (await fieldsOf(account)).find((field) => field.name === named);
      assert.ok(found);
      return found.id;
    };
    const fieldsOf = (account: number) => collect(store.fields.all.pages({ account }));
    const deleteField = async (account: number, id: bigint) => {
      const deleted = await store.fields.delete({ account, id, at: NOW, lease: leaseAt(NOW) });
      assert.ok(deleted === null || "job" in deleted, "no campaign needs it");
      return deleted;
    };
    const deleteCampaign = async (account: number, id: number) => {
      const deleted = await store.campaigns.delete({ account, id, at: NOW, lease: leaseAt(NOW) });
      assert.ok(deleted === null || "job" in deleted, "nobody sends it");
      return deleted;
    };

    /** Everybody has a value of both fields. */
    async function newFields(people: number) {
      const a = actor(store, await newAccount(store));
      const list = await a.list();
      await a.field("Old");
      await a.field("Kept");
      const [old, kept] = [await idOf(a.account, "Old"), await idOf(a.account, "Kept")];
      await forEachOf(Array.from({ length: people }), (_, n) =>
        a.addData(list, `p${n}@example.org`, {
          values: [
            { field: old, value: `old ${n}` },
            { field: kept, value: `kept ${n}` },
          ],
        }),
      );
      return { ...a, list, old, kept };
    }

    test("the use of fields is counted in a small account, and estimated from a random sample of a larger one", async () => {
      const { account, list, old, kept, add } = await newFields(40);
      // They come behind those with values, by their ids and by their addresses.
      await forEachOf(Array.from({ length: 360 }), (_, n) => add(list, `q${n}@example.org`));
      const exact = await store.fields.usage({ account, limit: 400 });
      assert.deepEqual([exact.subscribers, exact.hasMore], [400, false]);
      assert.deepEqual(
        exact.counts.map(({ values }) => values),
        [40, 40],
      );
      const samples: FieldUsage[] = [];
      for (let n = 0; n < 20; n += 1) samples.push(await store.fields.usage({ account, limit: 100 }));
      const sum = (of: (usage: (typeof samples)[number]) => number) =>
        samples.reduce((all, usage) => all + of(usage), 0);
      const people = sum(({ subscribers }) => subscribers);
      assert.ok(
        people >= 300 && people <= 800 && samples.every(({ hasMore }) => hasMore),
        `${people} people`,
      );
      for (const id of [old, kept]) {
        const share = sum(({ counts }) => counts.find(({ field }) => field === id)?.values ?? 0) / people;
        // 0.1 is true, and the deviation of 500 draws is 0.013; the first hundred would have 0.4.
        assert.ok(share > 0.02 && share < 0.2, `${share}`);
      }
      assert.ok(!samples.every((sample) => isDeepStrictEqual(sample, samples[0])));
    });

    test("a field with few values is deleted without a job, and other fields keep theirs", async () => {
      const { account, old, kept, show } = await newFields(3);
      const other = await newFields(1);
      assert.equal((await store.fields.withValueCount({ account, id: old, limit: 10_000 }))?.values, 3);
      const deleted = await deleteField(account, old);
      assert.deepEqual([deleted?.field.name, deleted?.job], ["Old", null]);
      assert.deepEqual(
        (await fieldsOf(account)).map(({ id }) => id),
        [kept],
      );
      const person = await show("p2@example.org");
      assert.deepEqual(
        person?.values.map(({ value }) => value),
        ["kept 2"],
      );
      assert.equal((await other.show("p0@example.org"))?.values.length, 2);
      assert.equal(await store.fields.withValueCount({ account, id: old, limit: 10_000 }), null);
      assert.equal(await deleteField(account, old), null);
    });

    test("a field is deleted in bounded steps, and does not exist for anybody from the first one on", async () => {
      // Two values each: a step looks at half as many people as rows.
      const people = VISITED + 100;
      const { account, list, old, kept, show, addData, createField } = await newFields(people);
      const deleted = await deleteField(account, old);
      assert.ok(deleted?.job);
      assert.deepEqual(
        (await fieldsOf(account)).map(({ id }) => id),
        [kept],
      );
      const last = `p${people - 1}@example.org`;
      assert.equal((await show(last))?.values.length, 1, "a value that is still stored is not shown");
      const values = [{ field: old, value: "again" }];
      assert.equal(await addData(list, "p0@example.org", { values }), "UnknownField");
      const corrected = await store.subscribers.correct({
        account,
        at: NOW,
        origin: { kind: "operator" },
        address: addressOf("p0@example.org"),
        correction: { address: null, data: {}, values },
      });
      assert.equal(corrected.outcome, "UnknownField");
      assert.equal(await store.fields.rename({ account, id: old, name: "New" }), "UnknownField");
      assert.equal(await createField("Same id", old), "IdTaken");
      const again = await createField("old");
      assert.ok(typeof again === "object", "the name is free at once");
      assert.equal(await addData(list, last, { values: [{ field: again.id, value: "new" }] }), "Done");
      assert.equal(await finish(store, deleted.job, NOW), 2);
      assert.equal(await store.fields.withValueCount({ account, id: old, limit: 10_000 }), null);
      assert.equal((await store.fields.withValueCount({ account, id: kept, limit: 10_000 }))?.values, people);
      assert.equal((await store.fields.withValueCount({ account, id: again.id, limit: 10_000 }))?.values, 1);
      assert.ok(typeof (await createField("Same id", old)) === "object");
      assert.equal(
        (await store.fields.withValueCount({ account, id: old, limit: 10_000 }))?.values,
        0,
        "all values are gone",
      );
    });

    test("a field that is being deleted does not count towards the limit", async () => {
      const { account, old, createField, field } = await newFields(VISITED);
      await store.accounts.set({ id: account, settings: { limitFields: 2 } });
      assert.equal(await field("Third"), "LimitReached");
      const deleted = await deleteField(account, old);
      assert.ok(deleted?.job);
      assert.equal(await field("Third"), "Done");
      assert.equal(await createField("Fourth"), "LimitReached");
      await finish(store, deleted.job, NOW);
    });

    test("the same command takes over an interrupted deletion of a field", async () => {
      const { account, old } = await newFields(VISITED);
      const first = await deleteField(account, old);
      assert.ok(first?.job);
      assert.equal((await store.fields.withValueCount({ account, id: old, limit: 10_000 }))?.name, "Old");
      const second = await deleteField(account, old);
      assert.ok(second?.job);
      assert.equal(await stepOf(store, first.job, NOW), "lost");
      await finish(store, second.job, NOW);
      assert.equal(await deleteField(account, old), null);
    });

    test("another account's field or campaign is not deleted", async () => {
      const { account, old, list, campaign } = await newFields(1);
      const sent = await campaign([list]);
      const stranger = await newAccount(store);
      assert.equal(await deleteField(stranger, old), null);
      assert.equal(await deleteCampaign(stranger, sent), null);
      assert.equal((await fieldsOf(account)).length, 2);
      assert.ok(await store.campaigns.byId({ account, id: sent }));
    });

    /** Everybody unsubscribed by it, and the first hundred complained besides. */
    async function newCampaign(people: number) {
      const a = actor(store, await newAccount(store));
      const list = await a.list();
      const [old, kept] = [await a.campaign([list]), await a.campaign([list], NOW - 1, NOW - 1)];
      await forEachOf(Array.from({ length: people }), (_, n) => a.add(list, `p${n}@example.org`));
      await a.event(kept, "bounced", "p0@example.org");
      await forEachOf(Array.from({ length: people }), (_, n) =>
        a.event(old, "unsubscribed", `p${n}@example.org`),
      );
      await forEachOf(Array.from({ length: Math.min(100, people) }), (_, n) =>
        a.event(old, "complained", `p${n}@example.org`),
      );
      return { ...a, list, old, kept };
    }

    test("a small campaign is deleted with its results; suppressions and history stay", async () => {
      const { account, old, kept, show, lost } = await newCampaign(2);
      const deleted = await deleteCampaign(account, old);
      assert.deepEqual([deleted?.campaign.id, deleted?.job], [old, null]);
      assert.equal(await store.campaigns.byId({ account, id: old }), null);
      assert.deepEqual(await lost(old, "unsubscribed"), []);
      assert.equal((await lost(kept, "bounced")).length, 1);
      const person = await show("p1@example.org");
      assert.deepEqual([person?.state, person?.losses], ["complained", []]);
      assert.ok(person?.history.some((entry) => entry.kind === "unsubscribed" && entry.campaign === old));
      assert.equal(await deleteCampaign(account, old), null);
    });

    test("a campaign is deleted in bounded steps, and does not exist for anybody from the first one on", async () => {
      const people = 2 * JOB_STEP + 100;
      const { account, old, kept, list, event, add, show } = await newCampaign(people);
      const deleted = await deleteCampaign(account, old);
      assert.ok(deleted?.job);
      assert.equal(await store.campaigns.byId({ account, id: old }), null);
      assert.equal((await store.campaigns.lastSent({ account }))?.id, kept);
      const all = await collect(store.campaigns.all.pages({ account }));
      assert.deepEqual(
        all.map(({ id }) => id),
        [kept],
      );
      const sent = { account, id: old, name: "New", createdAt: NOW, sentAt: null };
      assert.equal(await store.campaigns.set(sent), null);
      await add(list, "new@example.org");
      assert.equal(await event(old, "bounced", "new@example.org"), "UnknownCampaign");
      assert.deepEqual((await show(`p${people - 1}@example.org`))?.losses, []);
      assert.deepEqual(await wrongNumbers(store), []);
      assert.equal(await stepOf(store, deleted.job, NOW), "continues");
      assert.equal(await stepOf(store, deleted.job, NOW), "finished");
      for (const kind of campaignEvents) {
        const of = { account, campaign: old, event: kind };
        assert.deepEqual((await store.campaigns.events.page(of, { after: null, limit: 1 })).rows, []);
      }
      assert.equal(await store.campaigns.toDelete({ account, id: old }), null);
    });
  });
}
