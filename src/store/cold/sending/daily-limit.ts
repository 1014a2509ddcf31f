/** Which campaigns have a sender that may hand nothing more over today. */
import type { CampaignId } from "#domain/campaign.ts";
import type { Mailings } from "#domain/ports/sending/mailings.ts";
import { dayOf } from "#domain/sending/delivery.ts";
import type { Db } from "../kit/db.ts";
import { integer, statement } from "../kit/statement.ts";

const limited = statement(
  { campaign: integer },
  ({ isIn }) => `
   SELECT c.campaign_id AS campaign
   FROM campaign_content AS c
   JOIN sender AS s ON s.account_id = c.account_id AND s.id = c.sender_id
   JOIN handed_over AS h
     ON h.account_id = s.account_id AND h.sender_id = s.id AND h.scope = $3 AND h.period = $4
   WHERE c.account_id = $1 AND ${isIn("c.campaign_id", "$2")} AND h.count >= s.per_day`,
);

export async function atDailyLimit(
  db: Db,
  { account, campaigns, now }: Parameters<Mailings["atDailyLimit"]>[0],
): Promise<readonly CampaignId[]> {
  const { scope, period } = dayOf(now);
  const rows = await db.all(limited, account, campaigns, scope, period);
  return rows.map(({ campaign }) => campaign);
}
