/** What a process does for the kinds of jobs that it does itself. Each is loaded when there is such a job. */
import type { WorkedKind } from "../../domain/job/kinds.ts";
import type { JobWork, JobWorks } from "../../jobs/work.ts";
import type { Services } from "../../operations/caller.ts";

/** A work may remember something from piece to piece, so there is one of each. */
function lazy<Kind extends WorkedKind>(load: () => Promise<JobWork<Kind>>): JobWork<Kind> {
  let loaded: Promise<JobWork<Kind>> | null = null;
  return async (...piece) => {
    loaded ??= load();
    return await (await loaded)(...piece);
  };
}

export const jobWorks = (services: Services): JobWorks => ({
  "replay-refusals": lazy(async () => (await import("./replay-refusals.ts")).replayRefusals(services)),
  import: lazy(async () => (await import("./import-uploads.ts")).importUploads(services)),
  "rewrite-database": lazy(async () => (await import("./rewrite-database.ts")).rewriteDatabase(services)),
});
