/** A job as commands show it, and whether all of one that a command has waited for was done. */
import { type Job, stateOfJob } from "#domain/job/job.ts";
import { Failure } from "./command.ts";
import { inWords } from "./documents.ts";

export const jobDocument = (job: Job, now: number) =>
  inWords(
    { ...job, state: stateOfJob(job, now) },
    {
      ...{ account: "accountId", by: "actor", done: "doneCount", total: "totalCount" },
      ...{ attempts: "failureCount", leasedUntil: "leasedUntilAt" },
    },
  );

/** null: the account of the job was deleted meanwhile. */
export function requireFinished(job: Job | null): void {
  if (job === null) throw new Failure("the account was deleted before all of it was done");
  if (job.ending === "finished") return;
  const reason = job.lastError === null ? "" : `: ${job.lastError}`;
  throw new Failure(
    `not all of it was done: job ${job.id} ${job.ending === "failed" ? "has failed" : `was ${job.ending ?? "left"}`}${reason}`,
  );
}
