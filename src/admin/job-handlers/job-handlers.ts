/** What a process does for the kinds of jobs that it does itself. Each is loaded when there is such a job. */
import type { WorkedKind } from "#domain/job/kinds.ts";
import type { JobHandlers, JobWork } from "#jobs/do-job.ts";
import type { Services } from "#operations/caller.ts";
import { type MailTools, requireMail } from "../kit/mail-tools.ts";

/** A work may remember something from piece to piece, so there is one of each. */
function lazy<Kind extends WorkedKind>(load: () => Promise<JobWork<Kind>>): JobWork<Kind> {
  let loaded: Promise<JobWork<Kind>> | null = null;
  return async (...piece) => {
    loaded ??= load();
    return await (await loaded)(...piece);
  };
}

/** Without `mail`, jobs that make messages fail and are left to another process. */
export const jobHandlers = (services: Services & { readonly mail?: MailTools }): JobHandlers => ({
  "replay-refusals": lazy(async () => (await import("./replay-refused-calls.ts")).replayRefusals(services)),
  import: lazy(async () => (await import("./import-uploads.ts")).importUploads(services)),
  "rewrite-database": lazy(async () => (await import("./rewrite-database.ts")).rewriteDatabase(services)),
  "dry-run-campaign": lazy(async () => {
    const { dryRunCampaign } = await import("./dry-run-campaign.ts");
    return dryRunCampaign({ ...services, mail: requireMail(services) });
  }),
});
