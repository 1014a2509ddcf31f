/** The pages of campaigns. */
import type { Clock } from "#domain/clocks.ts";
import type { AnyPage } from "../../kit/page.ts";
import { campaignPage } from "./campaign.ts";
import { campaignsPage } from "./campaigns.ts";
import { changeCampaignPage } from "./change.ts";
import { campaignDeletionPage } from "./deletion.ts";
import { campaignPeoplePages } from "./people.ts";
import { recordCampaignPage } from "./record.ts";
import { sendingPages } from "./sending/pages.ts";

export const campaignPages = (options: { readonly clock: Clock }): readonly AnyPage[] => [
  campaignsPage,
  ...sendingPages(options),
  recordCampaignPage,
  campaignPage,
  ...campaignPeoplePages,
  changeCampaignPage,
  campaignDeletionPage,
];
