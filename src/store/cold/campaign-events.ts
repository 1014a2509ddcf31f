/**
 * Counts the events of one campaign: of each kind at most a given number, the oldest ones. They are read from
 * the index alone, which does not have the account in SQLite. The order makes the planners use it: otherwise
 * PostgreSQL reads the whole table if one campaign has most events.
 */
import { DAY_MS } from "../../domain/calendar.ts";
import { type CampaignEvent, type CampaignId, campaignEvents } from "../../domain/campaign.ts";
import type { OfCampaignEvent } from "../../domain/ports/campaigns.ts";
import type { OfAccount } from "../../domain/ports/command.ts";
import type { DayRange } from "../../domain/statistics.ts";
import type { Db } from "./kit/db.ts";
import type { Dialect } from "./kit/dialect.ts";
import { integer, oneOf, statement } from "./kit/statement.ts";

const ofCampaign = ({ keysHaveAccount }: Dialect): string =>
  keysHaveAccount
    ? "account_id = $1 AND campaign_id = $2"
    : "campaign_id = (SELECT id FROM campaign WHERE account_id = $1 AND id = $2)";

const count = statement(
  { count: integer },
  (dialect) => `
   SELECT count(*) AS count
   FROM (
     SELECT 1 AS one FROM campaign_event
     WHERE ${ofCampaign(dialect)} AND event = $3
     ORDER BY at, id
     LIMIT $4 + 0
   ) AS counted`,
);
const daysOf = (kind: CampaignEvent, dialect: Dialect): string => `
  SELECT at / ${DAY_MS} AS day, '${kind}' AS event, count(*) AS count
  FROM (
    SELECT at FROM campaign_event
    WHERE ${ofCampaign(dialect)} AND event = '${kind}' AND at >= $3 AND at < $4
    ORDER BY at, id
    LIMIT $5 + 0
  ) AS counted
  GROUP BY 1`;
const days = statement(
  { day: integer, event: oneOf(campaignEvents), count: integer },
  (dialect) => `${campaignEvents.map((kind) => daysOf(kind, dialect)).join(" UNION ALL ")} ORDER BY 1, 2`,
);

export const countEvents = async (
  db: Db,
  { account, campaign, event, most }: OfCampaignEvent & { readonly most: number },
): Promise<number> => (await db.one(count, account, campaign, event, most)).count;

export const eventDays = (
  db: Db,
  {
    account,
    campaign,
    from,
    to,
    most,
  }: OfAccount & DayRange & { readonly campaign: CampaignId; readonly most: number },
) => db.all(days, account, campaign, from * DAY_MS, (to + 1) * DAY_MS, most);
