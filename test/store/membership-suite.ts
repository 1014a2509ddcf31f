/** Memberships that wait for the person's confirmation, in every store. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import type { Retention } from "#domain/refused-call.ts";
import { deleteList, erase } from "#jobs/in-batches.ts";
import { JOB_STEP } from "#store/writes/step-limits.ts";
import { actor, addressOf, forEachOf, NOW, newAccount, newImport } from "./actor.ts";
import { deletedOf, finish, leaseAt } from "./job-steps.ts";
import { closeSound } from "./recount.ts";

const ADA = "ada@example.org";

/** An account with two lists: Ada is pending on the first, and nobody is on the second. */
async function accountWithPending(store: Store) {
  const account = await newAccount(store);
  const a = actor(store, account);
  const [list, other] = [await a.list("First"), await a.list("Second")];
  assert.equal(await a.addPending(list, ADA), "Done");
  return {
    ...a,
    list,
    other,
    status: async (on = list) => (await a.show(ADA))?.lists.find(({ id }) => id === on)?.status ?? null,
    counted: async () => [await a.members(list), await a.members(other)],
    take: async (onto: number | null, email = ADA) => {
      const people = [
        { address: addressOf(email), joinedAt: NOW, suppressions: {}, data: { lastName: "L" }, values: [] },
      ];
      const importing = await newImport(store, account, onto);
      const [row] = (await store.imports.add({ ...importing, at: NOW + 5, people })) ?? [];
      const batch = await store.imports.byId({ account, id: importing.batch });
      return { row, counts: batch?.counts };
    },
  };
}

export function membershipSuite(name: string, open: (retention: Retention) => Promise<Store>): void {
  describe(`a pending membership in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open({ days: 90, rows: 5, bytes: 2 ** 28 });
    });
    after(() => closeSound(store));

    test("does not count, and is listed as pending", async () => {
      const a = await accountWithPending(store);
      await a.add(a.list, "bob@example.org");
      assert.deepEqual(await a.counted(), [1, 0]);
      const ada = await a.show(ADA);
      assert.equal(ada?.state, "active");
      assert.deepEqual(ada.lists, [
        { id: a.list, name: "First", joinedAt: NOW, status: "pending", counts: false },
      ]);
      assert.deepEqual(
        ada.history.map(({ kind, detail }) => [kind, detail]),
        [["joined", "pending until the person confirms"]],
      );
      const members = await collect(store.lists.members.pages({ account: a.account, list: a.list }));
      assert.deepEqual(
        members.map(({ address, status }) => [address, status]),
        [
          [ADA, "pending"],
          ["bob@example.org", "active"],
        ],
      );
    });

    test("is not confirmed by an add, which changes nothing but the given values", async () => {
      const a = await accountWithPending(store);
      const before = await a.show(ADA);
      assert.equal(await a.add(a.list, ADA, NOW + 1), "Done");
      assert.deepEqual(await a.show(ADA), before);
      assert.equal(await a.addData(a.list, ADA, { firstName: "Ada" }, NOW + 2), "Done");
      const after = await a.show(ADA);
      assert.deepEqual(after, { ...before, data: { ...before?.data, firstName: "Ada" } });
      assert.deepEqual(await a.counted(), [0, 0]);
    });

    test("is not started by a pending add of somebody who is already on the list", async () => {
      const a = await accountWithPending(store);
      await a.add(a.other, ADA);
      assert.equal(await a.addPending(a.other, ADA, NOW + 1), "Done");
      assert.deepEqual([await a.status(a.other), await a.counted()], ["active", [0, 1]]);
    });

    test("ends when it is removed", async () => {
      const a = await accountWithPending(store);
      assert.equal(await a.remove(a.list, ADA), "Done");
      assert.deepEqual([await a.status(), await a.counted()], [null, [0, 0]]);
      assert.equal(await a.remove(a.list, ADA), "NotOnList");
      assert.equal(await a.add(a.list, ADA), "Done");
      assert.deepEqual([await a.status(), await a.counted()], ["active", [1, 0]]);
    });

    test("is pending again after it was removed and added pending within one group", async () => {
      const a = await accountWithPending(store);
      await a.add(a.other, ADA);
      await Promise.all([a.remove(a.other, ADA), a.addPending(a.other, ADA)]);
      assert.deepEqual([await a.status(a.other), await a.counted()], ["pending", [0, 0]]);
    });

    test("stays pending and uncounted when suppressions are set and cleared", async () => {
      const a = await accountWithPending(store);
      await a.add(a.other, ADA);
      await a.unsubscribe(ADA);
      assert.deepEqual(await a.counted(), [0, 0]);
      await a.block("@example.org");
      await a.reactivate(ADA, "unsubscribed");
      assert.deepEqual(await a.counted(), [0, 0]);
      await a.unblock("@example.org");
      assert.deepEqual([await a.status(), await a.counted()], ["pending", [0, 1]]);
    });

    test("is not confirmed by an import, which fills in values and counts the row as pending", async () => {
      const a = await accountWithPending(store);
      const { row, counts } = await a.take(a.list);
      assert.equal(row?.outcome, "Pending");
      assert.ok(counts !== undefined && "pending" in counts);
      assert.deepEqual([counts.pending, counts.alreadyThere, counts.added], [1, 0, 0]);
      assert.equal((await a.show(ADA))?.data.lastName, "L");
      assert.deepEqual([await a.status(), await a.counted()], ["pending", [0, 0]]);
    });

    test("is no join for a campaign: the event has the earliest other join, or when the subscriber became known", async () => {
      const a = await accountWithPending(store);
      await a.add(a.other, ADA, NOW + 7);
      await a.addPending(a.list, "bob@example.org", NOW + 1);
      const campaign = await a.campaign([a.list, a.other]);
      await a.event(campaign, "bounced", ADA, NOW + 9);
      await a.event(campaign, "bounced", "bob@example.org", NOW + 9);
      assert.deepEqual(
        (await a.lost(campaign, "bounced")).map(({ joinedAt }) => joinedAt),
        [NOW + 7, NOW + 1],
      );
    });

    test("ends with its list and with its subscriber, and no count changes", async () => {
      const a = await accountWithPending(store);
      await a.add(a.other, ADA);
      await a.addPending(a.other, "bob@example.org");
      const erased = await erase(store, { account: a.account, address: addressOf(ADA), at: NOW });
      assert.deepEqual([erased.lists, await a.counted()], [2, [0, 0]]);
      await forEachOf(Array.from({ length: JOB_STEP }), (_, n) => a.addPending(a.other, `p${n}@example.org`));
      await a.add(a.other, "eva@example.org");
      const origin = { kind: "operator" } as const;
      const deletion = { account: a.account, id: a.other, at: NOW, origin };
      const begun = deletedOf(await store.lists.delete({ ...deletion, lease: leaseAt(NOW) }));
      assert.ok(begun.job);
      assert.deepEqual([begun.list.members, await a.counted()], [1, [0, 1]], "the first batch was pending");
      await finish(store, begun.job, NOW);
      const deleted = await deleteList(store, { account: a.account, id: a.list, at: NOW, origin });
      assert.equal(deletedOf(deleted).list.members, 0);
    });

    test("takes no place of the subscriber limit beyond the one of its subscriber", async () => {
      const a = await accountWithPending(store);
      await store.accounts.set({ id: a.account, settings: { limitSubscribers: 1 } });
      assert.equal(await a.addPending(a.other, ADA), "Done");
      assert.equal(await a.addPending(a.other, "bob@example.org"), "LimitReached");
    });
  });
}
