/** One change to all subscribers that a search finds, in steps, while others are added and erased. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import type { Lease } from "#domain/job/job.ts";
import type { Store } from "#domain/ports/store.ts";
import type { BulkChange } from "#domain/subscriber/bulk-change.ts";
import { parseAddressSearch, type SubscriberSearch } from "#domain/subscriber/search.ts";
import { JOB_STEP } from "#store/writes/step-limits.ts";
import { actor, addressOf, forEachOf, NOW, newAccount } from "./actor.ts";
import { finish, leaseAt, stepOf } from "./job-steps.ts";
import { closeSound } from "./recount.ts";

const origin = { kind: "operator", name: "ada" } as const;
const nobodyElse: SubscriberSearch = { address: null, name: null, state: null, list: null, filter: [] };
const emailOf = (n: number): string => `p${String(n).padStart(4, "0")}@example.org`;

export function bulkSuite(name: string, open: () => Promise<Store>): void {
  describe(`a change of many subscribers in ${name}`, () => {
    let store: Store;
    let a: ReturnType<typeof actor>;
    let [from, to] = [0, 0];
    before(async () => {
      store = await open();
    });
    after(() => closeSound(store));
    beforeEach(async () => {
      a = actor(store, await newAccount(store));
      [from, to] = [await a.list("From"), await a.list("To")];
    });

    const fill = (count: number) =>
      forEachOf(Array.from({ length: count }), (_, n) => a.add(from, emailOf(n)));
    async function start(
      change: BulkChange,
      search: Partial<SubscriberSearch> = {},
      kind: "change-subscribers" | "dry-run-change" = "change-subscribers",
    ): Promise<Lease> {
      const lease = await store.jobs.start({
        ...{ account: a.account, kind, name: `${kind} ${a.account} ${change.kind}` },
        args: { search: { ...nobodyElse, ...search }, change, at: NOW + 1, origin },
        ...{ total: null, audited: {}, at: NOW + 1, lease: leaseAt(NOW + 1) },
      });
      assert.ok(lease);
      return lease;
    }
    const jobOf = async ({ id }: Lease) => {
      const job = await store.jobs.byId({ account: a.account, id });
      assert.ok(job);
      return job;
    };
    const step = (lease: Lease) => stepOf(store, lease, NOW + 2);

    test("follows the rules of a call: nobody who is suppressed is added, and each result is counted", async () => {
      await fill(6);
      await a.add(to, emailOf(0));
      await a.unsubscribe(emailOf(1));
      await a.block(emailOf(2));
      const lease = await start({ kind: "add", list: to }, { list: from });
      await finish(store, lease, NOW + 2);
      const { done, result, ending } = await jobOf(lease);
      assert.deepEqual([done, ending], [6, "finished"]);
      assert.deepEqual(result, { changed: 3, unchanged: 1, refused: { Unsubscribed: 1, Blocked: 1 } });
      assert.equal(await a.members(to), 4);
      const entry = (await a.show(emailOf(3)))?.history.at(-1);
      assert.deepEqual([entry?.kind, entry?.list, entry?.at, entry?.origin], ["joined", to, NOW + 2, origin]);
    });

    test("a dry run counts everybody once, also if it starts again, and changes nobody", async () => {
      await fill(JOB_STEP + 10);
      await a.unsubscribe(emailOf(1));
      const lease = await start({ kind: "unsubscribe" }, {}, "dry-run-change");
      assert.equal(await step(lease), "continues");
      // The address that it has reached.
      await store.subscribers.erase({
        account: a.account,
        address: addressOf(emailOf(JOB_STEP)),
        at: NOW + 3,
      });
      await store.subscribers.erase({
        account: a.account,
        address: addressOf(emailOf(JOB_STEP - 1)),
        at: NOW + 3,
      });
      await finish(store, lease, NOW + 4);
      const { done, result, ending } = await jobOf(lease);
      assert.deepEqual([done, ending], [JOB_STEP + 8, "finished"]);
      assert.deepEqual(result, { changed: JOB_STEP + 7, unchanged: 1, refused: {} });
      assert.equal(await a.members(from), JOB_STEP + 7);
    });

    test("removes from a list, and unsubscribes; those who need no change are counted as such", async () => {
      await fill(3);
      await a.add(to, emailOf(0));
      const removal = await start({ kind: "remove", list: to });
      await finish(store, removal, NOW + 2);
      assert.deepEqual((await jobOf(removal)).result, { changed: 1, unchanged: 2, refused: {} });
      await a.unsubscribe(emailOf(1));
      const optOut = await start({ kind: "unsubscribe" }, { address: parseAddressSearch("@example.org") });
      await finish(store, optOut, NOW + 2);
      assert.deepEqual((await jobOf(optOut)).result, { changed: 2, unchanged: 1, refused: {} });
      assert.equal(await a.members(from), 0);
    });

    test("changes only those whom a filter matches, and knows jobs that earlier versions have started", async () => {
      await a.addData(from, emailOf(0), { lastName: "Lovelace" });
      await fill(3);
      const filter = [{ about: "last name", test: "is", value: "lovelace" }] as const;
      const filtered = await start({ kind: "add", list: to }, { filter });
      await finish(store, filtered, NOW + 2);
      assert.deepEqual((await jobOf(filtered)).result, { changed: 1, unchanged: 0, refused: {} });
      const earlier = await start({ kind: "add", list: to }, { filter: undefined as never });
      await finish(store, earlier, NOW + 2);
      assert.deepEqual((await jobOf(earlier)).result, { changed: 2, unchanged: 1, refused: {} });
    });

    test("deals with everybody once while others are added, removed and erased", async () => {
      const count = 2 * JOB_STEP + 50;
      await fill(count);
      const lease = await start({ kind: "unsubscribe" });
      assert.equal(await step(lease), "continues");
      const after = await jobOf(lease);
      assert.deepEqual([after.done, after.result?.changed], [JOB_STEP, JOB_STEP]);
      // Behind and before the place that the job has reached.
      await a.add(from, "a-new@example.org", NOW + 2);
      await a.add(from, "z-new@example.org", NOW + 2);
      await a.remove(from, emailOf(count - 1));
      const gone = emailOf(count - 2);
      await store.subscribers.erase({ account: a.account, address: addressOf(gone), at: NOW + 2 });
      while ((await step(lease)) === "continues");
      const last = await jobOf(lease);
      assert.deepEqual([last.ending, last.done], ["finished", count - 1]);
      assert.deepEqual(last.result, { changed: count - 1, unchanged: 0, refused: {} });
      assert.equal(await a.show(gone), null, "an erased subscriber is not created again");
      assert.equal(await a.members(from), 2, "those who came later are not changed");
      for (const n of [0, JOB_STEP - 1, JOB_STEP, count - 1]) {
        const person = await a.show(emailOf(n));
        assert.equal(person?.history.filter(({ kind }) => kind === "unsubscribed").length, 1);
      }
    });

    test("what a cancelled job has done stays, and its result says what that is", async () => {
      await fill(JOB_STEP + 10);
      const lease = await start({ kind: "unsubscribe" });
      await step(lease);
      await store.jobs.cancel({ account: a.account, id: lease.id, now: NOW + 2 });
      assert.equal(await step(lease), "cancelled");
      const { ending, done, result } = await jobOf(lease);
      assert.deepEqual([ending, done, result?.changed], ["cancelled", JOB_STEP, JOB_STEP]);
      assert.equal(await a.members(from), 10);
    });

    test("fails for good if the list to which it adds was deleted meanwhile", async () => {
      await fill(JOB_STEP + 10);
      const lease = await start({ kind: "add", list: to });
      await step(lease);
      await store.lists.delete({ account: a.account, id: to, at: NOW, origin, lease: leaseAt(NOW) });
      assert.equal(await step(lease), "failed");
      const { ending, lastError, result } = await jobOf(lease);
      assert.deepEqual([ending, lastError], ["failed", `list ${to} does not exist any more`]);
      assert.equal(result?.changed, JOB_STEP);
    });

    test("an erasure leaves the address in no search, and in no place that a job has reached", async () => {
      await fill(JOB_STEP + 10);
      const erase = (email: string) =>
        store.subscribers.erase({ account: a.account, address: addressOf(email), at: NOW + 3 });
      const one = await start({ kind: "remove", list: from }, { address: parseAddressSearch(emailOf(5)) });
      await erase(emailOf(5));
      assert.equal((await jobOf(one)).ending, "cancelled");
      const all = await start({ kind: "unsubscribe" });
      await step(all);
      const reached = emailOf(JOB_STEP);
      await erase(reached);
      while ((await step(all)) === "continues");
      const { done, result } = await jobOf(all);
      assert.equal(result?.changed, JOB_STEP + 9);
      assert.equal(done, 2 * JOB_STEP + 8, "it started again");
      assert.equal(await a.members(from), 0);
    });
  });
}
