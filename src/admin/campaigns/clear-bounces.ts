/**
 * Clears the suppressions that hard bounces of one campaign have caused: after a relay has called addresses
 * nonexistent that exist. What else suppresses somebody stays.
 */
import type { Job } from "#domain/job/job.ts";
import { changeSubscribersJob } from "#domain/job/kinds.ts";
import { action } from "../kit/action.ts";
import { requirePast, requireReason } from "../kit/inputs.ts";
import { countRows, type RowCount } from "../kit/paging.ts";
import { startJob } from "../kit/start-job.ts";
import { findCampaign, type OfCampaign } from "./campaigns.ts";

type OfBounces = OfCampaign & {
  /** null: all of them. */
  readonly since: number | null;
};

/** How many subscribers `clearBounces` would concern. */
export const previewClearBounces = action(
  "campaign.previewClearBounces",
  "viewer",
  "nothing",
  async (admin, { since, ...one }: OfBounces): Promise<RowCount> => {
    await findCampaign(admin, one);
    return await countRows(admin.store.campaigns.bounces, { ...one, since });
  },
);

/** As a job. Each of them has an entry in the history, with the reason. The events of the campaign stay. */
export const clearBounces = action(
  "campaign.clearBounces",
  "editor",
  "audit log",
  async (
    admin,
    { account, campaign, since, reason: given }: OfBounces & { readonly reason: string },
  ): Promise<{ readonly job: Job | null }> => {
    const reason = requireReason(given);
    const now = admin.clock();
    if (since !== null) requirePast(since, "since", now);
    await findCampaign(admin, { account, campaign });
    const kind = "clear-bounces";
    const job = await startJob(admin, {
      account,
      kind: "change-subscribers",
      name: changeSubscribersJob(account, kind, String(campaign)),
      args: {
        search: null,
        change: { kind, campaign, since, reason },
        at: now,
        origin: admin.actor.origin,
      },
      total: null,
      // Not the reason: it may be about a person, and is in the history of each.
      audited: { change: kind, campaign, since },
    });
    return { job };
  },
);
