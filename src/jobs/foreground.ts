/**
 * What becomes of a job that a command has left. The command did what fitted into its transaction; the rest
 * is a job, and this process has its lease.
 */
import type { Clock } from "#domain/clocks.ts";
import { errorText, type Job, LEASE_MS, type Lease, type LeaseRequest } from "#domain/job/job.ts";
import type { Jobs } from "#domain/ports/jobs.ts";
import type { JobHandlers } from "./do-job.ts";
import { doJob } from "./do-job.ts";
import { leaseOwner } from "./owner.ts";
import { type Sleep, sleep } from "./sleep.ts";

/** How often it checks whether another process has finished the job. */
const LOOK_MS = 500;

export const requestLease = (now: number): LeaseRequest => ({
  owner: leaseOwner(),
  until: now + LEASE_MS,
});

/**
 * What is done about a job that is left. Returns the job as it is then; null if it does not exist any more,
 * because its account was deleted.
 */
export type ContinueJob = (lease: Lease) => Promise<Job | null>;

/** A job that is due later than this was created by a clock that was wrong. */
const LONGEST_PAUSE_MS = 5000;

interface Waiting {
  readonly works?: Partial<JobHandlers>;
  readonly clock?: Clock;
  readonly pause?: Sleep;
}
/**
 * Does the job while its user waits, and returns when it has ended. If this process loses the lease, it waits
 * until the new holder has finished, or takes the lease again. If it is killed, another process finishes the
 * job.
 */
export const finishJob =
  (jobs: Jobs, { works = {}, clock = Date.now, pause = sleep }: Waiting = {}): ContinueJob =>
  async (first) => {
    const { id } = first;
    const signal = new AbortController().signal;
    const early = first.dueAt - clock();
    if (early > 0) await pause(Math.min(early, LONGEST_PAUSE_MS));
    let lease: Lease | null = first;
    for (;;) {
      try {
        if (lease !== null) await doJob({ jobs, works, clock, signal }, lease);
      } catch (error) {
        // Whoever runs jobs next repeats the step. If this fails too, the lease expires.
        if (lease !== null)
          await jobs.fail({ ...lease, now: clock(), error: errorText(error) }).catch(() => null);
        throw error;
      }
      const job = await jobs.byId({ account: null, id });
      if (job === null || job.ending !== null) return job;
      const now = clock();
      lease = await jobs.take({ ...requestLease(now), now, id });
      if (lease === null) await pause(LOOK_MS);
    }
  };

/** Leaves the job to the runner of a server; `wake` makes that of this process look for work. */
export const leaveJob =
  (jobs: Jobs, wake: () => void): ContinueJob =>
  async (lease) => {
    await jobs.handBack(lease);
    wake();
    return jobs.byId({ account: null, id: lease.id });
  };
