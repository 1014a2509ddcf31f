/** Finds a campaign that is composed here. */
import type { ComposedCampaign } from "../../../domain/sending/mailing.ts";
import type { Admin } from "../../kit/action.ts";
import { NotPossible } from "../../kit/errors.ts";
import { findCampaign, type OfCampaign } from "../campaigns.ts";

/** Throws NotFound; NotPossible if the campaign was only recorded. */
export async function findComposed(admin: Admin, one: OfCampaign): Promise<ComposedCampaign> {
  const { account, campaign } = one;
  const found = await admin.store.mailings.byId({ account, campaign });
  if (found !== null) return found;
  await findCampaign(admin, one);
  throw notComposed(campaign);
}

export const notComposed = (campaign: number): NotPossible =>
  new NotPossible(
    `campaign ${campaign} was recorded, not composed here: another tool sends it. To send one with Mailroll, compose it`,
  );
