/** A job as a JSON document. */
import { type Job, stateOfJob } from "../../domain/job.ts";

/** null: the account of the job was deleted meanwhile. */
export const jobDocument = (job: Job | null, now: number) => ({
  job: job === null ? null : { ...job, state: stateOfJob(job, now) },
});
