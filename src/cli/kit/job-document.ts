/** A job that a command has waited for: as a JSON document, and whether all of it was done. */
import { type Job, stateOfJob } from "../../domain/job/job.ts";
import { Failure } from "./command.ts";

/** null: the account of the job was deleted meanwhile. */
export const jobDocument = (job: Job | null, now: number) => ({
  job: job === null ? null : { ...job, state: stateOfJob(job, now) },
});

export function requireFinished(job: Job | null): void {
  if (job === null) throw new Failure("the account was deleted before all of it was done");
  if (job.ending === "finished") return;
  const reason = job.lastError === null ? "" : `: ${job.lastError}`;
  throw new Failure(
    `not all of it was done: job ${job.id} ${job.ending === "failed" ? "has failed" : `was ${job.ending ?? "left"}`}${reason}`,
  );
}
