/** Corrections of a subscriber by an operator, in every store. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Store } from "#domain/ports/store.ts";
import type { Retention } from "#domain/refused-call.ts";
import type { Correction } from "#domain/subscriber/correction.ts";
import { erase } from "#jobs/in-batches.ts";
import { JOB_STEP } from "#store/writes/step-limits.ts";
import { actor, addressOf, forEachOf, NOW, newAccount, newImport } from "./actor.ts";
import { finish, leaseAt } from "./job-steps.ts";
import { closeSound } from "./recount.ts";

const ADA = "ada@example.org";
const NEW = "ada@new.example";
const LATER = NOW + 1000;
const origin = { kind: "operator" } as const;
const done = (...replaced: readonly (readonly [field: string | bigint, old: string, now: string])[]) => ({
  outcome: "Done",
  replaced: replaced.map(([field, old, now]) => ({ field, old, new: now })),
});

/** An account in which Ada is on a list, with a name, a birthday and a town. */
async function accountWithAda(store: Store) {
  const account = await newAccount(store);
  const a = actor(store, account);
  const list = await a.list();
  const [town, dog] = [await a.createField("Town"), await a.createField("Dog")];
  assert.ok(typeof town === "object" && typeof dog === "object");
  const data = { firstName: "Ad", birthday: "1815-12-10", values: [{ field: town.id, value: "Paris" }] };
  assert.equal(await a.addData(list, ADA, data), "Done");
  return {
    ...a,
    list,
    town: town.id,
    dog: dog.id,
    correct: (given: Partial<Omit<Correction, "address">> & { email?: string }, email = ADA, at = LATER) =>
      store.subscribers.correct({
        account,
        address: addressOf(email),
        correction: {
          address: given.email === undefined ? null : addressOf(given.email),
          data: given.data ?? {},
          values: given.values ?? [],
        },
        at,
        origin,
      }),
    addToList: (email: string) => a.add(list, email),
    erase: (email: string) => erase(store, { account, address: addressOf(email), at: LATER }),
  };
}

export function correctionSuite(name: string, open: (retention: Retention) => Promise<Store>): void {
  describe(`corrections in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open({ days: 90, rows: 10_000, bytes: 2 ** 28 });
    });
    after(() => closeSound(store));

    test("replaces, fills and clears values, and records the old and the new ones", async () => {
      const a = await accountWithAda(store);
      const replaced = [
        ["firstName", "Ad", "Ada"],
        ["gender", "", "F"],
        ["birthday", "1815-12-10", ""],
        [a.town, "Paris", ""],
        [a.dog, "", "Rex"],
      ] as const;
      const result = await a.correct({
        data: { firstName: "Ada", gender: "F", birthday: null, lastName: "" },
        values: [
          { field: a.town, value: "" },
          { field: a.dog, value: "Rex" },
        ],
      });
      assert.deepEqual(result, done(...replaced));
      const ada = await a.show(ADA);
      assert.deepEqual(ada?.data, {
        firstName: "Ada",
        lastName: "",
        gender: "F",
        birthday: null,
        country: null,
      });
      assert.deepEqual(ada.values, [
        { field: a.dog, name: "Dog", value: "Rex", at: LATER, key: null, batch: null },
      ]);
      assert.deepEqual(ada.history.at(-1), {
        at: LATER,
        kind: "changed",
        origin,
        campaign: null,
        list: null,
        detail: null,
        replaced: done(...replaced).replaced,
      });
    });

    test("records nothing if every value is as given", async () => {
      const a = await accountWithAda(store);
      const given = { data: { firstName: "Ad", lastName: "" }, values: [{ field: a.dog, value: "" }] };
      assert.deepEqual(await a.correct({ ...given, email: ADA }), done());
      assert.deepEqual(
        (await a.show(ADA))?.history.map(({ kind }) => kind),
        ["joined"],
      );
    });

    test("a corrected value is newer than an import, and an import fills a cleared one", async () => {
      const a = await accountWithAda(store);
      const fromFile = async (country: string, town: string) => {
        const people = [
          {
            address: addressOf(ADA),
            joinedAt: NOW,
            suppressions: {},
            data: { country, lastName: "King" },
            values: [{ field: a.dog, value: town }],
          },
        ];
        const importing = await newImport(store, a.account, a.list);
        assert.ok(await store.imports.add({ ...importing, at: NOW, people }));
      };
      await fromFile("FR", "Rex");
      await a.correct({ data: { country: "GB", lastName: "" }, values: [{ field: a.dog, value: "Bo" }] });
      assert.deepEqual((await a.show(ADA))?.imported, []);
      await fromFile("FR", "Rex");
      const ada = await a.show(ADA);
      assert.deepEqual([ada?.data.country, ada?.data.lastName], ["GB", "King"]);
      assert.deepEqual(
        ada?.values.map(({ value }) => value),
        ["Paris", "Bo"],
      );
    });

    test("refuses a correction of an unknown subscriber, and of a field of another account", async () => {
      const a = await accountWithAda(store);
      const other = await accountWithAda(store);
      assert.deepEqual(await a.correct({ data: { firstName: "B" } }, "bob@example.org"), {
        outcome: "UnknownSubscriber",
      });
      assert.deepEqual(
        await a.correct({ data: { firstName: "B" }, values: [{ field: other.town, value: "Rome" }] }),
        { outcome: "UnknownField" },
      );
      assert.equal((await a.show(ADA))?.data.firstName, "Ad");
    });

    test("changes the address, and everything else stays with the subscriber", async () => {
      const a = await accountWithAda(store);
      const campaign = await a.campaign([a.list]);
      await a.event(campaign, "bounced", ADA, NOW + 1);
      await a.reactivate(ADA, "bounced");
      const old = await a.show(ADA);
      assert.deepEqual(await a.correct({ email: NEW, data: { firstName: "Ada" } }), {
        ...done(["address", ADA, NEW], ["firstName", "Ad", "Ada"]),
      });
      assert.equal(await a.show(ADA), null);
      const moved = await a.show(NEW);
      assert.deepEqual(
        { ...moved, history: moved?.history.slice(0, -1) },
        { ...old, address: NEW, data: { ...old?.data, firstName: "Ada" } },
      );
      assert.deepEqual(
        (await a.lost(campaign, "bounced")).map(({ address }) => address),
        [NEW],
      );
      assert.equal(await a.members(a.list), 1);
      assert.equal(await a.addToList(NEW), "Done", "an add of the new address finds the subscriber");
      assert.equal(await a.addToList(ADA), "Done", "the old address is somebody new");
      assert.equal(await a.members(a.list), 2);
    });

    test("changes the letter case of the address of anybody", async () => {
      const a = await accountWithAda(store);
      await a.unsubscribe(ADA);
      assert.deepEqual(await a.correct({ email: "Ada@EXAMPLE.org" }), {
        ...done(["address", ADA, "Ada@EXAMPLE.org"]),
      });
      const ada = await a.show(ADA);
      assert.deepEqual([ada?.address, ada?.state], ["Ada@EXAMPLE.org", "unsubscribed"]);
    });

    test("refuses an address that another subscriber of the account has", async () => {
      const a = await accountWithAda(store);
      const other = await accountWithAda(store);
      await other.correct({ email: NEW });
      await a.addToList("bob@example.org");
      await a.unsubscribe("cleo@example.org");
      for (const email of ["BOB@example.org", "cleo@example.org"])
        assert.deepEqual(await a.correct({ email, data: { firstName: "B" } }), { outcome: "AddressTaken" });
      assert.equal((await a.show(ADA))?.data.firstName, "Ad", "nothing of the correction is saved");
      assert.equal((await a.correct({ email: NEW })).outcome, "Done", "another account does not matter");
    });

    test("never frees the address of a suppressed subscriber", async () => {
      const a = await accountWithAda(store);
      const campaign = await a.campaign([a.list]);
      const refuses = async (state: string) => {
        assert.deepEqual(await a.correct({ email: NEW }), { outcome: "Suppressed", state });
        assert.equal((await a.correct({ data: { lastName: state } })).outcome, "Done", "data is corrected");
      };
      await a.event(campaign, "bounced", ADA);
      await refuses("bounced");
      await a.unsubscribe(ADA);
      await refuses("unsubscribed");
      await a.event(campaign, "complained", ADA);
      await refuses("complained");
      await a.block("@example.org");
      await refuses("blocked");
      assert.notEqual(await a.addToList(ADA), "Done");
      assert.equal(await a.show(NEW), null);
    });

    test("never gives a subscriber an address that is blocked, or suppressed since an erasure", async () => {
      const a = await accountWithAda(store);
      await a.unsubscribe("gone@example.org");
      await a.erase("gone@example.org");
      await a.block("spam@example.net");
      await a.block("@spam.example");
      for (const [email, state] of [
        ["Gone@example.org", "unsubscribed"],
        ["spam@example.net", "blocked"],
        ["ada@spam.example", "blocked"],
      ] as const)
        assert.deepEqual(await a.correct({ email }), { outcome: "AddressSuppressed", state });
      assert.equal((await a.show(ADA))?.address, ADA);
      assert.equal(await a.addToList("gone@example.org"), "Unsubscribed");
    });

    test("an erasure record that was reactivated does not return with the change of address", async () => {
      const a = await accountWithAda(store);
      await a.unsubscribe(ADA);
      await a.erase(ADA);
      assert.equal(await a.reactivate(ADA, "unsubscribed"), "Done");
      assert.equal(await a.move(ADA, NEW), "Done");
      assert.equal(await a.move(NEW, ADA), "Done");
    });

    test("refuses to move somebody whom a block covers that is not applied yet", async () => {
      const a = await accountWithAda(store);
      await forEachOf(Array.from({ length: 1.5 * JOB_STEP }), (_, n) => a.addToList(`a${n}@spam.example`));
      await a.addToList("z@spam.example");
      const block = { account: a.account, pattern: "@spam.example", at: NOW, origin };
      const { job } = await store.blocks.add({ ...block, lease: leaseAt(NOW) });
      assert.ok(job);
      assert.equal((await a.show("z@spam.example"))?.state, "active");
      assert.deepEqual(await a.correct({ email: NEW }, "z@spam.example"), {
        outcome: "Suppressed",
        state: "blocked",
      });
      await finish(store, job, NOW);
    });

    test("a block that is being applied misses nobody when an address changes", async () => {
      const a = await accountWithAda(store);
      const numbered = (n: number) => `p${String(n).padStart(4, "0")}@spam.example`;
      await forEachOf(Array.from({ length: 1.5 * JOB_STEP }), (_, n) => a.addToList(numbered(n)));
      await a.block("@spam.example");
      const block = { account: a.account, pattern: "@spam.example", at: NOW, origin };
      const { job } = await store.blocks.remove({ ...block, lease: leaseAt(NOW) });
      assert.ok(job);
      // The last one that the job has looked at moves behind all the others.
      assert.equal((await a.correct({ email: "z@other.example" }, numbered(JOB_STEP - 1))).outcome, "Done");
      await finish(store, job, NOW);
      assert.equal((await a.show(numbered(1.5 * JOB_STEP - 1)))?.state, "active");
      assert.equal(await a.members(a.list), 1.5 * JOB_STEP + 1);
    });

    test("an add of the new address at the same moment comes before or after the correction", async () => {
      for (const isAddFirst of [true, false, true, false]) {
        const a = await accountWithAda(store);
        const early = isAddFirst ? a.addToList(NEW) : null;
        const correcting = a.correct({ email: NEW });
        const [added, { outcome }] = await Promise.all([early ?? a.addToList(NEW), correcting]);
        assert.equal(added, "Done");
        assert.ok(outcome === "Done" || outcome === "AddressTaken", outcome);
        assert.equal(await a.members(a.list), outcome === "Done" ? 1 : 2);
      }
    });

    test("erasing the subscriber afterwards deletes the old address, too", async () => {
      const a = await accountWithAda(store);
      await a.correct({ email: NEW });
      const { wasKnown, history } = await a.erase(NEW);
      assert.deepEqual([wasKnown, history], [true, 2]);
      assert.equal(await a.show(NEW), null);
      assert.equal(await a.show(ADA), null);
    });
  });
}
