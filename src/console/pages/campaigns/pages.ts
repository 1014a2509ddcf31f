/** The pages of campaigns. */
import type { AnyPage } from "../../kit/page.ts";
import { campaignPage } from "./campaign.ts";
import { campaignsPage } from "./campaigns.ts";
import { changeCampaignPage } from "./change.ts";
import { campaignDeletionPage } from "./deletion.ts";
import { campaignPeoplePages } from "./people.ts";
import { recordCampaignPage } from "./record.ts";

export const campaignPages: readonly AnyPage[] = [
  campaignsPage,
  recordCampaignPage,
  campaignPage,
  ...campaignPeoplePages,
  changeCampaignPage,
  campaignDeletionPage,
];
