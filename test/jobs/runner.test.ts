/** The runner: how many jobs at a time, what it does about failures, and how it stops. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { LEASE_MS, type Lease, LONGEST_WAIT_MS } from "#domain/job/job.ts";
import type { Jobs } from "#domain/ports/jobs.ts";
import type { Store } from "#domain/ports/store.ts";
import { JobRunner, POLL_MS, type RunnerEvents, TURN_MS } from "#jobs/runner.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { JOB_STEP } from "#store/writes/step-limits.ts";
import { actor, forEachOf, NOW, newAccount } from "../store/actor.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-runner-"));
let store: Store;
before(async () => {
  store = await SqliteStore.open(join(folder, "m.db"), { days: 90, rows: 1000, bytes: 2 ** 20 });
  // Periodic jobs are not due in these tests.
  await store.jobs.ensurePeriodic({ now: NOW + LONGEST_WAIT_MS / 2 });
});
after(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** A list that a process began to delete and never finished; the lease expires at NOW. */
async function newDeletion(members = 2 * JOB_STEP + 1): Promise<Lease> {
  const a = actor(store, await newAccount(store));
  const id = await a.list();
  await forEachOf(Array.from({ length: members }), (_, n) => a.add(id, `p${n}@example.org`));
  const lease = { owner: "killed", until: NOW };
  const origin = { kind: "operator" } as const;
  const deleted = await store.lists.delete({ account: a.account, id, at: NOW - LEASE_MS, origin, lease });
  assert.ok(deleted !== null && "job" in deleted && deleted.job !== null);
  return deleted.job;
}

/** A runner that looks for work again when the test says so. Reports what happens, in order. */
function controlled(jobs: Jobs = store.jobs, clock = () => NOW) {
  const happened: string[] = [];
  let notify: () => void = () => {};
  const record = (what: string): void => {
    happened.push(what);
    notify();
  };
  const pauses: { readonly ms: number; readonly end: () => void }[] = [];
  const events: RunnerEvents = {
    onEnded: ({ id }, ending) => record(`${ending} ${id}`),
    onFailed: ({ id }, error, retryMs) => record(`failed ${id}: ${(error as Error).message}, ${retryMs} ms`),
    onLost: ({ id }) => record(`lost ${id}`),
    onClaimed: () => record("claimed"),
    onClaimFailed: (error) => record(`claim failed: ${(error as Error).message}`),
  };
  const runner = new JobRunner({
    jobs,
    works: {},
    owner: "runner",
    clock,
    sleep: (ms, signal) =>
      new Promise((end) => {
        pauses.push({ ms, end });
        signal?.addEventListener("abort", () => end(), { once: true });
      }),
    events,
  });
  const until = async (what: string): Promise<void> => {
    while (!happened.includes(what))
      await new Promise<void>((resolve) => {
        notify = resolve;
      });
  };
  return { runner, happened, until, pauses };
}

test("runs at most two jobs at a time, and the next one when one has ended", async () => {
  const leases = [await newDeletion(), await newDeletion(), await newDeletion()];
  let [running, most] = [0, 0];
  const jobs: Jobs = {
    ...store.jobs,
    step: async (args) => {
      running += 1;
      most = Math.max(most, running);
      const outcome = await store.jobs.step(args);
      running -= 1;
      return outcome;
    },
  };
  const { runner, until } = controlled(jobs);
  runner.start();
  for (const { id } of leases) await until(`finished ${id}`);
  await runner.stop();
  assert.equal(most, 2);
});

test("jobs that take long take turns, so that none waits until two others have ended", async () => {
  const members = 5 * JOB_STEP + 1;
  const leases = [await newDeletion(members), await newDeletion(members), await newDeletion(members)];
  const steps: number[] = [];
  const jobs: Jobs = {
    ...store.jobs,
    step: (args) => {
      steps.push(args.id);
      now += TURN_MS / 3;
      return store.jobs.step(args);
    },
  };
  let now = NOW;
  const { runner, until } = controlled(jobs, () => now);
  runner.start();
  for (const { id } of leases) await until(`finished ${id}`);
  await runner.stop();
  const [first, second, third] = leases.map(({ id }) => id);
  assert.ok(first && second && third);
  const waited = steps.indexOf(third);
  assert.ok(waited < steps.lastIndexOf(first) && waited < steps.lastIndexOf(second), steps.join(" "));
});

test("looks for work again after a pause, also if that failed", async () => {
  let fails = true;
  const jobs: Jobs = {
    ...store.jobs,
    claim: (args) => (fails ? Promise.reject(new Error("no connection")) : store.jobs.claim(args)),
  };
  const { runner, until, pauses } = controlled(jobs);
  runner.start();
  await until("claim failed: no connection");
  const lease = await newDeletion();
  fails = false;
  assert.equal(pauses.at(-1)?.ms, POLL_MS);
  pauses.at(-1)?.end();
  await until(`finished ${lease.id}`);
  await runner.stop();
});

test("reports a step that failed, and leaves the job to a later attempt", async () => {
  const lease = await newDeletion();
  const jobs: Jobs = { ...store.jobs, step: () => Promise.reject(new Error("the disk is full")) };
  const { runner, until } = controlled(jobs);
  runner.start();
  await until(`failed ${lease.id}: the disk is full, 5000 ms`);
  await runner.stop();
  const job = (await store.jobs.left()).find(({ id }) => id === lease.id);
  assert.deepEqual(
    [job?.attempts, job?.lastError, job?.dueAt, job?.leasedUntil],
    [1, "the disk is full", NOW + 5000, null],
  );
  const [again] = await store.jobs.claim({ owner: "again", now: NOW + 5000, until: NOW + 9000, limit: 1 });
  assert.equal(again?.id, lease.id);
  assert.ok(again);
  const step = { ...again, now: NOW + 5000, until: NOW + 9000 };
  while ((await store.jobs.step(step)) !== "finished");
});

test("reports the first failure after a step that succeeded as the first", async () => {
  const { id } = await newDeletion();
  const [failing] = await store.jobs.claim({ owner: "failing", now: NOW, until: NOW + 1, limit: 1 });
  assert.ok(failing);
  // Due again at once.
  await store.jobs.fail({ ...failing, now: NOW - 5000, error: "the disk is full" });
  let steps = 0;
  const step: Jobs["step"] = (args) => {
    steps += 1;
    return steps === 2 ? Promise.reject(new Error("the disk is full")) : store.jobs.step(args);
  };
  const { runner, until } = controlled({ ...store.jobs, step });
  runner.start();
  await until(`failed ${id}: the disk is full, 5000 ms`);
  await runner.stop();
  const lease = { owner: "again", now: NOW, until: NOW + 9000 };
  const again = await store.jobs.take({ ...lease, id });
  assert.equal(again?.attempts, 1);
  assert.ok(again);
  assert.equal(await store.jobs.step({ ...again, ...lease }), "finished");
});

test("survives a database that is away while a failure is recorded", async () => {
  const lease = await newDeletion(JOB_STEP + 1);
  const away = () => Promise.reject(new Error("no connection"));
  const { runner, until } = controlled({ ...store.jobs, step: away, fail: away, release: away });
  runner.start();
  await until(`failed ${lease.id}: no connection, 5000 ms`);
  await runner.stop();
  const now = NOW + LEASE_MS;
  const [again] = await store.jobs.claim({ owner: "again", now, until: now + 9000, limit: 1 });
  assert.equal(again?.id, lease.id, "the lease has expired");
  assert.ok(again);
  assert.equal(await store.jobs.step({ ...again, now, until: now + 9000 }), "finished");
});

test("stops after the current step and gives the lease back", async () => {
  const lease = await newDeletion(4 * JOB_STEP + 1);
  let onStep: () => void = () => {};
  const began = new Promise<void>((resolve) => {
    onStep = resolve;
  });
  let steps = 0;
  const jobs: Jobs = {
    ...store.jobs,
    step: (args) => {
      steps += 1;
      onStep();
      return store.jobs.step(args);
    },
  };
  const { runner, happened } = controlled(jobs);
  runner.start();
  await began;
  await runner.stop();
  assert.equal(steps, 1);
  assert.ok(!happened.some((what) => what.startsWith("finished")));
  const [taken] = await store.jobs.claim({ owner: "next", now: NOW, until: NOW + 9000, limit: 1 });
  assert.equal(taken?.id, lease.id);
  assert.ok(taken);
  while ((await store.jobs.step({ ...taken, now: NOW, until: NOW + 9000 })) !== "finished");
});

test("leaves a job to whoever has replaced it", async () => {
  const lease = await newDeletion();
  const jobs: Jobs = {
    ...store.jobs,
    step: async (args) => {
      await store.jobs.release({ owner: "runner" });
      return store.jobs.step(args);
    },
  };
  const { runner, until } = controlled(jobs);
  runner.start();
  await until(`lost ${lease.id}`);
  await runner.stop();
  const [taken] = await store.jobs.claim({ owner: "next", now: NOW, until: NOW + 9000, limit: 1 });
  assert.ok(taken);
  while ((await store.jobs.step({ ...taken, now: NOW, until: NOW + 9000 })) !== "finished");
});
