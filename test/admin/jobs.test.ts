/** Actions that leave a job, and the actions about jobs, on both databases. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addBlock } from "#admin/blocks.ts";
import { jobHandlers } from "#admin/job-handlers/job-handlers.ts";
import { cancelJob, listJobs, showJob } from "#admin/jobs.ts";
import { type Admin, perform } from "#admin/kit/action.ts";
import { InvalidInput, NotFound, NotPossible } from "#admin/kit/errors.ts";
import { deleteList } from "#admin/lists.ts";
import { dismissRefusalGroup, previewRefusalGroup, replayRefusalGroup } from "#admin/refused-calls.ts";
import { LEASE_MS, stateOfJob } from "#domain/job/job.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import { doJob } from "#jobs/do-job.ts";
import { finishJob, leaveJob } from "#jobs/foreground.ts";
import { JOB_STEP } from "#store/writes/step-limits.ts";
import { bothStores } from "../shared-postgres.ts";
import { actor, addressOf, forEachOf, NOW, newAccount } from "../store/actor.ts";
import { claim, finishAll } from "../store/job-steps.ts";
import { closeSound } from "../store/recount.ts";

for (const [name, open] of await bothStores())
  describe(`actions and jobs on ${name}`, () => {
    let store: Store;
    let admin: Admin;
    before(async () => {
      store = await open();
      const works = jobHandlers({ store, clock: () => NOW });
      admin = {
        store,
        clock: () => NOW,
        actor: { origin: { kind: "operator", name: "ada" }, roleIn: () => "administrator" },
        continueJob: finishJob(store.jobs, { works, clock: () => NOW }),
      };
    });
    after(() => closeSound(store));

    async function largeList() {
      const a = actor(store, await newAccount(store));
      const list = await a.list("Old");
      await forEachOf(Array.from({ length: JOB_STEP + 1 }), (_, n) => a.add(list, `p${n}@example.org`));
      return { ...a, list };
    }

    /** Calls that were refused because list 9999 did not exist. */
    async function refusedCalls(count: number) {
      const a = actor(store, await newAccount(store));
      const list = await a.list("News");
      for (let n = 0; n < count; n += 1)
        await store.subscribers.add({
          ...{ account: a.account, at: NOW, list: 99_999, address: addressOf(`r${n}@example.org`) },
          origin: { kind: "operator" },
          recordedCall: {
            operation: "Subscriber.Add",
            args: JSON.stringify({ EMail: `r${n}@example.org`, SubscribersListID: String(list) }),
            isCut: n === 1,
          },
        });
      const group = { account: a.account, operation: "Subscriber.Add", outcome: "UnknownList", key: null };
      const left = async () =>
        (await collect(store.refusals.all.pages({ account: a.account }))).map(({ args }) => args);
      return { ...a, list, group, left };
    }

    test("an adapter that leaves the job gets it at once, and the runner of its process is woken", async () => {
      await finishAll(store);
      const { account, list, members } = await largeList();
      let wakes = 0;
      const leaving = { ...admin, continueJob: leaveJob(store.jobs, () => (wakes += 1)) };
      const { job } = await perform(leaving, deleteList, { account, id: list });
      assert.ok(job);
      assert.deepEqual([stateOfJob(job, NOW), job.done, wakes], ["waiting", JOB_STEP, 1]);
      assert.equal(await members(list), 1);
      const [lease] = await claim(store, NOW, "runner");
      assert.equal(lease?.id, job.id, "the lease was handed back");
      assert.ok(lease);
      const { signal } = new AbortController();
      assert.equal(await doJob({ jobs: store.jobs, works: {}, clock: () => NOW, signal }, lease), "finished");
      assert.equal(await members(list), null);
    });

    test("an adapter that waits gets the job when it has ended; none if the first batch did all", async () => {
      const { account, list, add } = await largeList();
      const { job } = await perform(admin, deleteList, { account, id: list });
      assert.equal(job?.ending, "finished");
      const a = actor(store, account);
      const small = await a.list("Small");
      await add(small, "one@other.example");
      const blocked = await perform(admin, addBlock, { account, pattern: "@other.example" });
      assert.deepEqual(blocked, { pattern: "@other.example", isNew: true, job: null });
      assert.equal((await perform(admin, deleteList, { account, id: small })).job, null);
    });

    test("jobs are listed newest first, shown by id, and not found in another account", async () => {
      const { account, list } = await largeList();
      const { job } = await perform(admin, deleteList, { account, id: list });
      assert.ok(job);
      const { rows } = await perform(admin, listJobs, { account, limit: 10 });
      assert.deepEqual(rows, [job]);
      assert.deepEqual(await perform(admin, showJob, { account, id: job.id }), job);
      const all = await perform(admin, listJobs, { account: null, limit: 1 });
      assert.deepEqual([all.rows, all.next !== null], [[job], true]);
      const other = await newAccount(store);
      await assert.rejects(perform(admin, showJob, { account: other, id: job.id }), NotFound);
      await assert.rejects(perform(admin, listJobs, { account, limit: 0 }), InvalidInput);
      await assert.rejects(perform(admin, listJobs, { account, limit: 1, after: "x" }), InvalidInput);
    });

    test("a job that must end, or has ended, is not cancelled, and the message says why", async () => {
      const { account, list } = await largeList();
      const leaving = { ...admin, continueJob: leaveJob(store.jobs, () => {}) };
      const { job } = await perform(leaving, deleteList, { account, id: list });
      assert.ok(job);
      const cancelling = () => perform(admin, cancelJob, { account, id: job.id });
      await assert.rejects(cancelling(), (error) => {
        assert.ok(error instanceof NotPossible);
        assert.match(error.message, /cannot be cancelled: part of the list is deleted already/);
        return true;
      });
      await finishAll(store);
      await assert.rejects(cancelling(), /has ended already: it is finished/);
      await assert.rejects(perform(admin, cancelJob, { account, id: 987_654 }), NotFound);
    });

    test("a group of refused calls is replayed in order; what fails again stays and is counted", async () => {
      const { account, list, group, left, members, block } = await refusedCalls(5);
      await block("r2@example.org");
      const shown = await perform(admin, previewRefusalGroup, group);
      assert.deepEqual([shown.count, shown.isMore, shown.sample.length], [5, false, 5]);
      const { job } = await perform(admin, replayRefusalGroup, group);
      assert.deepEqual(
        [job?.ending, job?.done, job?.total, job?.result],
        ["finished", 5, 5, { succeeded: 3, notReplayable: 1, refused: { Blocked: 1 } }],
      );
      assert.equal(await members(list), 3);
      const stays = await left();
      assert.ok(stays.length === 2 && stays.every((args) => /r1@|r2@/.test(args)));
      assert.equal((await perform(admin, listJobs, { account, limit: 1 })).rows[0]?.id, job?.id);
    });

    test("a replay that was killed before it saved its progress does each call once in effect", async () => {
      await finishAll(store);
      const { list, group, left, members, show } = await refusedCalls(4);
      const leaving = { ...admin, continueJob: leaveJob(store.jobs, () => {}) };
      const { job } = await perform(leaving, replayRefusalGroup, group);
      assert.ok(job);
      const { signal } = new AbortController();
      const doing = {
        jobs: store.jobs,
        works: jobHandlers({ store, clock: () => NOW }),
        clock: () => NOW,
        signal,
      };
      const [first] = await claim(store, NOW, "killed");
      assert.ok(first);
      const killed = { ...store.jobs, proceed: () => Promise.reject(new Error("killed")) };
      await assert.rejects(doJob({ ...doing, jobs: killed }, first), /killed/);
      assert.equal(await members(list), 3);
      const clock = () => NOW + LEASE_MS;
      const [second] = await claim(store, clock(), "other");
      assert.ok(second);
      assert.equal(await doJob({ ...doing, clock }, second), "finished");
      assert.equal(await members(list), 3);
      assert.equal((await left()).length, 1, "the one that cannot be replayed");
      const joined = (await show("r0@example.org"))?.history.filter(({ kind }) => kind === "joined");
      assert.equal(joined?.length, 1);
    });

    test("a group of refused calls is dismissed, and no other one", async () => {
      const { group, left, account } = await refusedCalls(3);
      await store.fields.add({
        ...{ account, at: NOW, origin: { kind: "operator" }, field: null },
        recordedCall: { operation: "Field.Add", args: "{}", isCut: false },
      });
      const { job } = await perform(admin, dismissRefusalGroup, group);
      assert.deepEqual([job?.ending, job?.done], ["finished", 3]);
      assert.deepEqual(await left(), ["{}"]);
      await assert.rejects(perform(admin, dismissRefusalGroup, group), NotPossible);
      await assert.rejects(perform(admin, replayRefusalGroup, { ...group, key: 4 }), NotPossible);
    });
  });
