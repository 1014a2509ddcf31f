/**
 * Finishes a job that a command has left, while its user waits. The command did what fitted into its
 * transaction; the rest is a job, and this process has its lease. It does the steps itself. If it loses the
 * lease, it waits until the new holder has finished, or takes the lease again. If it is killed, another
 * process finishes the job.
 */
import type { Clock } from "../domain/clocks.ts";
import { errorText, LEASE_MS, type Lease, type LeaseRequest } from "../domain/job.ts";
import type { Jobs } from "../domain/ports/jobs.ts";
import { leaseOwner } from "./owner.ts";
import { type Sleep, sleep } from "./sleep.ts";

/** How often it checks whether another process has finished the job. */
const LOOK_MS = 500;

export const requestLease = (now: number = Date.now()): LeaseRequest => ({
  owner: leaseOwner(),
  until: now + LEASE_MS,
});

/** Resolves when the job is finished. */
export async function finishJob(
  jobs: Jobs,
  first: Lease,
  clock: Clock = Date.now,
  pause: Sleep = sleep,
): Promise<void> {
  const { id } = first;
  let lease: Lease | null = first;
  for (;;) {
    if (lease !== null && (await workOff(jobs, lease, clock)) === "finished") return;
    if (!(await jobs.exists({ id }))) return;
    const now = clock();
    lease = await jobs.take({ ...requestLease(now), now, id });
    if (lease === null) await pause(LOOK_MS);
  }
}

async function workOff(jobs: Jobs, lease: Lease, clock: Clock): Promise<"finished" | "lost"> {
  try {
    for (;;) {
      const now = clock();
      const outcome = await jobs.step({ ...lease, now, until: now + LEASE_MS });
      if (outcome !== "continues") return outcome;
    }
  } catch (error) {
    // Whoever runs jobs next repeats the step. If this fails too, the lease expires.
    await jobs.fail({ ...lease, now: clock(), error: errorText(error) }).catch(() => null);
    throw error;
  }
}
