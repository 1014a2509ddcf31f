/** What can be seen of a job while it runs and after its end; how it is cancelled, replaced and dropped. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { KEPT_JOB_MS, LEASE_MS, type Lease, stateOfJob } from "#domain/job/job.ts";
import type { StartJob } from "#domain/ports/jobs.ts";
import type { Store } from "#domain/ports/store.ts";
import { JOB_STEP } from "#store/writes/step-limits.ts";
import { actor, forEachOf, NOW, newAccount } from "./actor.ts";
import { claim, finish, finishAll, leaseAt, purge, stepOf } from "./job-steps.ts";
import { closeSound } from "./recount.ts";

const origin = { kind: "operator", name: "ada" } as const;
const audit = { at: NOW, origin, from: null, action: "list.delete" };

export function endedJobsSuite(name: string, open: () => Promise<Store>): void {
  describe(`jobs that can be looked at in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => closeSound(store));

    async function newDeletion() {
      const a = actor(store, await newAccount(store));
      const id = await a.list("Old");
      const members = 2 * JOB_STEP + 100;
      await forEachOf(Array.from({ length: members }), (_, n) => a.add(id, `p${n}@example.org`));
      const deletion = { account: a.account, id, at: NOW, origin, audit };
      const deleted = await store.lists.delete({ ...deletion, lease: leaseAt(NOW) });
      assert.ok(deleted !== null && "job" in deleted && deleted.job !== null);
      return { ...a, deletion, members, lease: deleted.job };
    }
    const args = { operation: "Op", outcome: "None", key: null, upTo: 0 };
    /** A job that can be cancelled; nobody needs to have refused calls for it. */
    async function newJob(more: Partial<StartJob> = {}): Promise<Lease> {
      const account = more.account ?? (await newAccount(store));
      const started = await store.jobs.start({
        ...{ account, kind: "replay-refusals", name: `replay-refusals ${account}`, total: 7, at: NOW },
        ...{ args: { ...args, origin }, lease: leaseAt(NOW), audited: { outcome: "None" }, audit },
        ...more,
      });
      assert.ok(started);
      return started;
    }
    const jobOf = async ({ id }: { readonly id: number }) => {
      const job = await store.jobs.byId({ account: null, id });
      assert.ok(job);
      return job;
    };
    const term = { now: NOW, until: NOW + LEASE_MS };

    test("a job says who began it and how far it is, and is kept after its end", async () => {
      const { lease, account, members } = await newDeletion();
      const first = await jobOf(lease);
      assert.deepEqual(
        [first.account, first.by, first.done, first.total, stateOfJob(first, NOW)],
        [account, { kind: "operator", id: null, name: "ada" }, JOB_STEP, members, "running"],
      );
      await stepOf(store, lease, NOW);
      assert.equal((await jobOf(lease)).done, 2 * JOB_STEP);
      await finish(store, lease, NOW + 5);
      const last = await jobOf(lease);
      assert.deepEqual(
        [last.done, last.endedAt, stateOfJob(last, NOW), last.leasedUntil],
        [members, NOW + 5, "finished", null],
      );
      assert.ok((await store.jobs.left()).every(({ id }) => id !== lease.id));
      assert.equal(await stepOf(store, lease, NOW), "lost");
      const now = NOW + LEASE_MS;
      assert.equal(await store.jobs.take({ ...leaseAt(now), now, id: lease.id }), null);
    });

    test("a command about the same thing replaces a job that is left, and not one that has ended", async () => {
      const account = await newAccount(store);
      const first = await newJob({ account });
      const second = await newJob({ account });
      assert.equal(second.id, first.id);
      const piece = { progress: { after: 0 }, done: 1, result: null, error: null };
      const ended = { ...piece, ending: "finished" } as const;
      assert.equal(await store.jobs.proceed({ ...first, ...term, ...ended }), "lost");
      assert.equal(await store.jobs.proceed({ ...second, ...term, ...ended }), "finished");
      const third = await newJob({ account });
      assert.notEqual(third.id, first.id);
      const { rows } = await store.jobs.all.page({ account }, { after: null, limit: 9 });
      assert.deepEqual(
        rows.map((job) => [job.id, stateOfJob(job, NOW)]),
        [
          [third.id, "running"],
          [first.id, "finished"],
        ],
      );
    });

    test("a process continues where another one saved its progress, and only with the lease", async () => {
      await finishAll(store);
      const lease = await newJob();
      const start = await store.jobs.resume({ ...lease, ...term });
      assert.deepEqual(start, { args: { ...args, origin }, progress: null, result: null });
      const piece = { progress: { after: 5 }, done: 5, result: { succeeded: 3 }, ending: null, error: null };
      assert.equal(await store.jobs.proceed({ ...lease, ...term, ...piece }), "continues");
      const later = NOW + LEASE_MS;
      const [other] = (await claim(store, later, "other")).filter(({ id }) => id === lease.id);
      assert.ok(other);
      const next = { now: later, until: later + LEASE_MS };
      const position = await store.jobs.resume({ ...other, ...next });
      assert.ok(typeof position === "object");
      assert.deepEqual([position.progress, position.result], [{ after: 5 }, { succeeded: 3 }]);
      assert.equal(await store.jobs.proceed({ ...lease, ...term, ...piece }), "lost");
      assert.equal(await store.jobs.resume({ ...lease, ...term }), "lost");
      const failed = { ...piece, done: 1, ending: "failed", error: "the file is gone" } as const;
      assert.equal(await store.jobs.proceed({ ...other, ...next, ...failed }), "failed");
      const job = await jobOf(lease);
      assert.deepEqual(
        [job.done, job.total, job.result, job.ending, job.lastError],
        [6, 7, { succeeded: 3 }, "failed", "the file is gone"],
      );
    });

    test("a job that somebody is doing is cancelled by its next step", async () => {
      const lease = await newJob();
      const cancelled = await store.jobs.cancel({ account: lease.account, id: lease.id, now: NOW, audit });
      assert.deepEqual([cancelled?.isCancelled, cancelled?.job.ending], [true, null]);
      const piece = { progress: { after: 5 }, done: 5, result: { succeeded: 3 }, ending: null, error: null };
      assert.equal(await store.jobs.proceed({ ...lease, ...term, ...piece }), "cancelled");
      const job = await jobOf(lease);
      assert.deepEqual([job.ending, job.done, job.result], ["cancelled", 5, { succeeded: 3 }]);
      const again = await store.jobs.cancel({ account: null, id: lease.id, now: NOW, audit });
      assert.equal(again?.isCancelled, false, "it has ended");
    });

    test("a cancelled job of the store ends before its next step, also for who takes it over", async () => {
      const stepped = await newJob({ kind: "dismiss-refusals", args });
      const worked = await newJob();
      for (const { id } of [stepped, worked]) await store.jobs.cancel({ account: null, id, now: NOW });
      assert.equal(await stepOf(store, stepped, NOW), "cancelled");
      assert.equal(await store.jobs.resume({ ...worked, ...term }), "cancelled");
    });

    test("a job that nobody is doing is cancelled at once", async () => {
      const lease = await newJob();
      await store.jobs.handBack(lease);
      const cancelled = await store.jobs.cancel({ account: null, id: lease.id, now: NOW + 1 });
      assert.deepEqual([cancelled?.job.ending, cancelled?.job.endedAt], ["cancelled", NOW + 1]);
    });

    test("a deletion that has begun cannot be cancelled, nor a job of another account", async () => {
      const { lease, account } = await newDeletion();
      const refused = await store.jobs.cancel({ account, id: lease.id, now: NOW, audit });
      assert.deepEqual([refused?.isCancelled, refused?.job.cancelledAt], [false, null]);
      await finish(store, lease, NOW);
      const other = await newAccount(store);
      const mine = await newJob();
      assert.equal(await store.jobs.cancel({ account: other, id: mine.id, now: NOW }), null);
      assert.equal(await store.jobs.byId({ account: other, id: mine.id }), null);
      assert.equal((await jobOf(mine)).cancelledAt, null);
    });

    test("an account has a limited number of jobs that are left to do", async () => {
      const account = await newAccount(store);
      const start = (n: number) => newJob({ account, name: `job ${account} ${n}` });
      for (let n = 0; n < 100; n += 1) await start(n);
      await assert.rejects(start(100));
      assert.ok(await start(7), "one that is replaced is not one more");
      for (const { id } of (await store.jobs.left()).filter((job) => job.account === account))
        await store.jobs.cancel({ account, id, now: NOW + LEASE_MS });
    });

    test("jobs are dropped 30 days after their end", async () => {
      await finishAll(store);
      const lease = await newJob();
      await store.jobs.handBack(lease);
      await store.jobs.cancel({ account: null, id: lease.id, now: NOW });
      const left = await newJob();
      await purge(store, NOW + KEPT_JOB_MS);
      assert.ok(await jobOf(lease));
      await purge(store, NOW + KEPT_JOB_MS + 1);
      assert.equal(await store.jobs.byId({ account: null, id: lease.id }), null);
      assert.ok(await jobOf(left), "work that is left is not dropped");
      await store.jobs.cancel({ account: null, id: left.id, now: NOW + LEASE_MS });
    });

    test("what a job was told and where it was are deleted with its end", async () => {
      const lease = await newJob();
      const piece = { progress: { after: 5 }, done: 5, result: null, ending: null, error: null };
      await store.jobs.proceed({ ...lease, ...term, ...piece });
      await store.jobs.proceed({ ...lease, ...term, ...piece, ending: "finished" });
      const again = await newJob({ account: lease.account ?? 0 });
      const position = await store.jobs.resume({ ...again, ...term });
      assert.ok(typeof position === "object" && position.progress === null);
      await store.jobs.handBack(again);
      await store.jobs.cancel({ account: null, id: again.id, now: NOW });
    });
  });
}
