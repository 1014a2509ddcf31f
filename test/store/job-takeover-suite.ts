/** Jobs whose process does not come back, in every store: another node continues from the saved progress. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { LEASE_MS, type Lease } from "#domain/job/job.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import { JOB_STEP, STEP } from "#store/writes/step-limits.ts";
import { actor, forEachOf, NOW, newAccount } from "./actor.ts";
import { claim, finish, finishAll, leaseAt, stepOf } from "./job-steps.ts";
import { closeSound } from "./recount.ts";

const DAY_MS = 86_400_000;
const origin = { kind: "operator" } as const;

/** `open` opens the same database every time: each store is a node. */
export function jobTakeoverSuite(name: string, open: () => Promise<Store>): void {
  describe(`jobs that another node takes over in ${name}`, () => {
    let store: Store;
    let other: Store;
    before(async () => {
      store = await open();
      other = await open();
    });
    after(async () => {
      await other.close();
      await closeSound(store);
    });

    test("another node continues a block where the lease of the first one expired", async () => {
      await finishAll(store);
      const a = actor(store, await newAccount(store));
      const list = await a.list();
      const email = (n: number) => `p${String(n).padStart(4, "0")}@spam.example`;
      await forEachOf(Array.from({ length: 2.5 * JOB_STEP }), (_, n) => a.add(list, email(n)));
      const block = { account: a.account, pattern: "@spam.example", at: NOW, origin };
      const { job } = await store.blocks.add({ ...block, lease: leaseAt(NOW) });
      assert.ok(job);
      assert.equal(await stepOf(store, job, NOW), "continues");
      assert.equal(await a.members(list), 0.5 * JOB_STEP);
      const later = NOW + LEASE_MS;
      const taken = (await claim(other, later, "other")).find(({ id }) => id === job.id);
      assert.ok(taken);
      assert.ok(taken.epoch > job.epoch);
      assert.equal(await stepOf(store, job, later), "lost");
      assert.equal(await finish(other, taken, later), 1, "only what was left");
      assert.equal(await a.members(list), 0);
      for (const n of [0, JOB_STEP, 2 * JOB_STEP, 2.5 * JOB_STEP - 1]) {
        const history = (await a.show(email(n)))?.history.map(({ kind }) => kind);
        assert.deepEqual(history, ["joined", "blocked"], email(n));
      }
    });

    test("another node continues to drop refused calls where the lease of the first one expired", async () => {
      await finishAll(store);
      const account = await newAccount(store);
      const refuse = (args: string, at: number) =>
        store.fields.add({
          account,
          at,
          origin,
          recordedCall: { operation: "Op", args, isCut: false },
          field: null,
        });
      await forEachOf(Array.from({ length: STEP + 200 }), (_, n) => refuse(`${n}`, NOW - 100 * DAY_MS));
      await refuse("young", NOW);
      await store.jobs.ensurePeriodic({ now: NOW });
      const now = NOW + DAY_MS;
      const isPurge = ({ kind }: Lease): boolean => kind === "purge";
      const lease = (await claim(store, now, "first")).find(isPurge);
      assert.ok(lease);
      const left = async () => (await collect(store.refusals.all.pages({ account }))).length;
      // Others are deleted before refused calls.
      while ((await left()) > STEP) assert.equal(await stepOf(store, lease, now), "continues");
      assert.equal(await left(), 201);
      const later = now + LEASE_MS;
      const taken = (await claim(other, later, "second")).find(isPurge);
      assert.ok(taken);
      assert.equal(await stepOf(store, lease, now), "lost", "the epoch is old");
      assert.equal(await left(), 201);
      await finish(other, taken, later);
      assert.equal(await left(), 1);
    });
  });
}
