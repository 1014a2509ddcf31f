/** Starts a job of which nothing is done yet, and continues it as the adapter wants. */
import type { Job } from "#domain/job/job.ts";
import type { JobKind } from "#domain/job/kinds.ts";
import type { StartJob } from "#domain/ports/jobs.ts";
import { requestLease } from "#jobs/foreground.ts";
import type { Performing } from "./action.ts";
import { NotPossible } from "./errors.ts";

/** null: the account was deleted meanwhile. */
export async function startJob<Kind extends JobKind>(
  { store, clock, audit, continueJob }: Performing,
  job: Omit<StartJob<Kind>, "at" | "lease" | "audit">,
): Promise<Job | null> {
  const at = clock();
  const lease = await store.jobs.start({ ...job, at, lease: requestLease(at), audit } as StartJob);
  if (lease === null) throw tooManyJobs();
  return continueJob(lease);
}

export const tooManyJobs = (): NotPossible =>
  new NotPossible("the account has too many jobs that have not ended; wait until some have ended");
