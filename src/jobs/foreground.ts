/**
 * Work that a person waits for, and that must be finished even if their process is killed: what does not fit
 * into the first transaction becomes a job, of which this process has the lease. It does the steps itself. If
 * the lease is lost, it waits for whoever has it.
 */

import type { Clock } from "../domain/clocks.ts";
import { errorText, type Jobs, LEASE_MS, type Lease, type LeaseRequest } from "../domain/job.ts";
import { leaseOwner } from "./owner.ts";
import { type Sleep, sleep } from "./sleep.ts";

/** How often it looks whether another process has finished the job. */
const LOOK_MS = 500;

export const requestLease = (clock: Clock): LeaseRequest => ({
  owner: leaseOwner(),
  until: clock() + LEASE_MS,
});

/** Resolves when the job is finished. */
export async function finishJob(
  jobs: Jobs,
  lease: Lease,
  clock: Clock = Date.now,
  pause: Sleep = sleep,
): Promise<void> {
  try {
    for (;;) {
      const now = clock();
      const outcome = await jobs.step({ ...lease, now, until: now + LEASE_MS });
      if (outcome === "finished") return;
      if (outcome === "lost") break;
    }
  } catch (error) {
    // Whoever runs jobs next repeats the step. If this fails too, the lease expires.
    await jobs.fail({ ...lease, now: clock(), error: errorText(error) }).catch(() => null);
    throw error;
  }
  while (await jobs.exists(lease)) await pause(LOOK_MS);
}
