/** Campaigns and the lists they were sent to. */
import type { CampaignId } from "../../domain/campaign.ts";
import type { Campaigns } from "../../domain/ports/campaigns.ts";
import type { OfAccount } from "../../domain/ports/command.ts";
import { CAMPAIGN } from "../rows.ts";
import { feature } from "./feature.ts";
import { listing } from "./listing.ts";
import { integer, nullable, text } from "./statement.ts";

const campaign = { id: integer, name: text, createdAt: integer, sentAt: nullable(integer) };
const targetedList = { id: integer, name: text, createdAt: integer, members: integer };

export const campaigns = feature<Pick<Campaigns, "all" | "targetedLists">>({
  all: listing({
    row: campaign,
    select: (condition) => `SELECT ${CAMPAIGN} FROM campaign WHERE account_id = $1 AND ${condition}`,
    by: [
      ["createdAt", "created_at"],
      ["id", "id"],
    ],
    descending: true,
    parameters: ({ account }: OfAccount) => [account],
  }),
  targetedLists: listing({
    row: targetedList,
    select: (condition) => `
     SELECT c.list_id AS id, c.name, c.list_created_at AS "createdAt", coalesce(l.member_count, 0) AS members
     FROM campaign_list AS c LEFT JOIN list AS l ON l.account_id = c.account_id AND l.id = c.list_id
     WHERE c.account_id = $1 AND c.campaign_id = $2 AND ${condition}`,
    by: [["id", "c.list_id"]],
    parameters: ({ account, campaign: id }: OfAccount & { readonly campaign: CampaignId }) => [account, id],
  }),
});
