/** Does the work of jobs without a runner, at a time that the test chooses. */
import assert from "node:assert/strict";
import { LEASE_MS, type Lease, LONGEST_LEASE_MS, type StepOutcome } from "#domain/job/job.ts";
import { isWorkedKind } from "#domain/job/kinds.ts";
import type { Needed } from "#domain/ports/campaigns.ts";
import type { Store } from "#domain/ports/store.ts";
import { NOW } from "./actor.ts";

export const leaseAt = (now: number, owner = "test") => ({ owner, until: now + LEASE_MS });

export const stepOf = ({ jobs }: Store, lease: Lease, now: number): Promise<StepOutcome> =>
  jobs.step({ ...lease, now, until: now + LEASE_MS });

/** Returns how many steps it took. */
export async function finish(store: Store, lease: Lease, now: number): Promise<number> {
  let steps = 1;
  for (;;) {
    const outcome = await stepOf(store, lease, now);
    if (outcome === "finished") return steps;
    assert.equal(outcome, "continues");
    steps += 1;
  }
}

export const claim = ({ jobs }: Store, now: number, owner: string): Promise<readonly Lease[]> =>
  jobs.claim({ ...leaseAt(now, owner), now, limit: 100 });

const ended = { progress: {}, done: 0, result: null, ending: "finished", error: null } as const;
/** Finishes what other tests have left, so that a claim does not find it. */
export async function finishAll(store: Store): Promise<void> {
  const now = NOW + LONGEST_LEASE_MS * 100;
  for (const { id } of await store.jobs.left()) {
    const lease = await store.jobs.take({ ...leaseAt(now), now, id });
    if (lease === null) continue;
    if (isWorkedKind(lease.kind)) await store.jobs.proceed({ ...lease, ...leaseAt(now), now, ...ended });
    else await finish(store, lease, now);
  }
}

/** How many items the list of the job has. If nothing is to be deleted, each takes a step. */
const ITEMS = 9;
/** Deletes what is older than it is kept. Returns how many more steps it took than if there were nothing. */
export async function purge(store: Store, now: number): Promise<number> {
  await store.jobs.ensurePeriodic({ now });
  const job = (await store.jobs.left()).find(({ name }) => name === "purge");
  assert.ok(job);
  const lease = await store.jobs.take({ ...leaseAt(now), now, id: job.id });
  assert.ok(lease);
  return (await finish(store, lease, now)) - ITEMS;
}

/** What was deleted, or is being deleted: no campaign needs it. */
export function deletedOf<Deleted extends object>(result: Deleted | Needed | null): Deleted {
  assert.ok(result !== null && !("neededBy" in result));
  return result;
}
