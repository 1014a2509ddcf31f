/** Jobs: long work, and what became of it. */
import { type Job, stateOfJob } from "#domain/job/job.ts";
import { mustEnd } from "#domain/job/kinds.ts";
import type { OneJob } from "#domain/ports/jobs.ts";
import type { Page } from "#domain/ports/listing.ts";
import { namedJob, namedJobs } from "./actor-names.ts";
import { audited, query } from "./kit/action.ts";
import { existing, NotPossible } from "./kit/errors.ts";
import { type PageInputs, pageOf } from "./kit/paging.ts";

interface ListJobs extends PageInputs {
  /** null: of all accounts, and of the installation as a whole. */
  readonly account: OneJob["account"];
}

/** The newest first. */
export const listJobs = query(
  "job.list",
  "viewer",
  async ({ store }, { account, ...inputs }: ListJobs): Promise<Page<Job>> => {
    const { jobs } = store;
    const page = await (account === null
      ? pageOf(jobs.ofInstallation, {}, inputs)
      : pageOf(jobs.all, { account }, inputs));
    return { ...page, rows: await namedJobs(store, account, page.rows) };
  },
);

export const showJob = query(
  "job.show",
  "viewer",
  async ({ store }, one: OneJob): Promise<Job> =>
    namedJob(store, existing("job", one.id, await store.jobs.byId(one))),
);

/**
 * Ends a job. What it has done stays done; its counts and its result say what that was. A job that a process
 * is doing ends with its current step.
 */
export const cancelJob = audited(
  "job.cancel",
  "editor",
  async ({ store, clock, audit }, one: OneJob): Promise<Job> => {
    const now = clock();
    const { job, isCancelled } = existing("job", one.id, await store.jobs.cancel({ ...one, now, audit }));
    if (isCancelled) return namedJob(store, job);
    if (job.ending !== null)
      throw new NotPossible(`job ${job.id} has ended already: it is ${stateOfJob(job, now)}`);
    throw new NotPossible(`job ${job.id} (${job.name}) cannot be cancelled: ${mustEnd(job.kind)}`);
  },
);
