/**
 * A dry run: makes the message of every recipient, sends none, and reports what is wrong and how long the
 * sending would take. It is a job, because there may be a million of them.
 */
import type { Job } from "#domain/job/job.ts";
import { dryRunJob } from "#domain/job/kinds.ts";
import { action } from "../../kit/action.ts";
import { NotPossible } from "../../kit/errors.ts";
import { requireMail } from "../../kit/mail-tools.ts";
import { startJob } from "../../kit/start-job.ts";
import type { OfCampaign } from "../campaigns.ts";
import { findComposed } from "./find.ts";

/** `job.result` is a `DryRunReport` as soon as the job has begun. */
export const dryRunCampaign = action(
  "campaign.dryRun",
  "editor",
  "audit log",
  async (admin, one: OfCampaign): Promise<{ readonly job: Job | null }> => {
    const { account, campaign } = one;
    requireMail(admin);
    const { content } = await findComposed(admin, one);
    if (content.lists.length === 0)
      throw new NotPossible(`campaign ${campaign} goes to no list; choose at least one`);
    const job = await startJob(admin, {
      ...{ account, kind: "dry-run-campaign", name: dryRunJob(campaign) },
      ...{ args: { campaign }, total: null, audited: { campaign } },
    });
    return { job };
  },
);
