/** Finds a campaign that is composed here. */
import type { CampaignId } from "#domain/campaign.ts";
import type { ComposedCampaign } from "#domain/sending/mailing.ts";
import type { Admin } from "../../kit/action.ts";
import { NotFound } from "../../kit/errors.ts";
import { findCampaign, type OfCampaign } from "../campaigns.ts";

/** Throws NotFound, also if the campaign was only recorded. */
export async function findComposed(admin: Admin, one: OfCampaign): Promise<ComposedCampaign> {
  const { account, campaign } = one;
  const found = await admin.store.mailings.byId({ account, campaign });
  if (found !== null) return found;
  await findCampaign(admin, one);
  throw notComposed(campaign);
}

export const notComposed = (id: CampaignId): NotFound =>
  new NotFound("composed campaign", id, [
    `campaign ${id} was recorded, because another tool sends it; to send one with Mailroll, compose it`,
  ]);
