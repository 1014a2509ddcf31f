/** Jobs: long work, and what became of it. */
import { type Job, type JobId, stateOfJob } from "#domain/job/job.ts";
import { mustEnd } from "#domain/job/kinds.ts";
import type { Page } from "#domain/ports/listing.ts";
import type { OneJob } from "#domain/ports/work/jobs.ts";
import { action } from "../kit/action.ts";
import { NotFound, NotPossible } from "../kit/errors.ts";
import { type PageInputs, pageOf } from "../kit/paging.ts";
import { namedJob, namedJobs } from "./named-jobs.ts";

interface ListJobs extends PageInputs {
  /** null: of all accounts, and of the installation as a whole. */
  readonly account: OneJob["account"];
}

/** The newest first. */
export const listJobs = action(
  "job.list",
  "viewer",
  "nothing",
  async ({ store }, { account, ...inputs }: ListJobs): Promise<Page<Job>> => {
    const { jobs } = store;
    const page = await (account === null
      ? pageOf(jobs.ofInstallation, {}, inputs)
      : pageOf(jobs.all, { account }, inputs));
    return { ...page, rows: await namedJobs(store, account, page.rows) };
  },
);

function existing<Found>(id: JobId, job: Found | null): Found {
  if (job === null) throw new NotFound("job", id);
  return job;
}

export const showJob = action(
  "job.show",
  "viewer",
  "nothing",
  async ({ store }, one: OneJob): Promise<Job> =>
    namedJob(store, existing(one.id, await store.jobs.byId(one))),
);

/**
 * Ends a job. What it has done stays done; its counts and its result say what that was. A job that somebody
 * is doing ends with its current step.
 */
export const cancelJob = action(
  "job.cancel",
  "editor",
  "audit log",
  async ({ store, clock, audit }, one: OneJob): Promise<Job> => {
    const now = clock();
    const { job, isCancelled } = existing(one.id, await store.jobs.cancel({ ...one, now, audit }));
    if (isCancelled) return namedJob(store, job);
    if (job.ending !== null)
      throw new NotPossible(`job ${job.id} has ended already: it is ${stateOfJob(job, now)}`);
    throw new NotPossible(`job ${job.id} (${job.name}) cannot be cancelled: ${mustEnd(job.kind)}`);
  },
);
