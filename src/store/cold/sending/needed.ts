/**
 * Which campaign needs a list, a field or the ledger of another campaign: one that is scheduled or under way,
 * and names it. There are few such campaigns at a time, and an index of them; to whom each goes is read.
 */
import type { AccountId } from "#domain/account.ts";
import type { Campaign, CampaignId } from "#domain/campaign.ts";
import { type Audience, mailingStates, needsAudience } from "#domain/sending/mailing.ts";
import { namedBy } from "#domain/subscriber/filter.ts";
import { campaign } from "../../tables/entities.ts";
import type { Db } from "../kit/db.ts";
import { byIdOf } from "../kit/of-account.ts";
import { integer, json, statement } from "../kit/statement.ts";

/** As in the index `mailing_unended`. */
const NEEDING = mailingStates
  .filter(needsAudience)
  .map((state) => `'${state}'`)
  .join(", ");
const unended = statement(
  {
    id: integer,
    lists: json<Audience["lists"]>(),
    excludedLists: json<Audience["excludedLists"]>(),
    filter: json<Audience["filter"]>(),
  },
  ({ lookUp }) => `
   SELECT m.campaign_id AS id, c.included_lists AS lists, c.excluded_lists AS "excludedLists", c.filter
   FROM mailing AS m
   ${lookUp("campaign_content", "c", "c.account_id = m.account_id AND c.campaign_id = m.campaign_id")}
   WHERE m.account_id = $1 AND m.state IN (${NEEDING})
   ORDER BY m.campaign_id`,
);
const campaignById = byIdOf(campaign);

/**
 * The first of them; null: none. A command that deletes what it is asked about must have locked the account:
 * so nobody schedules, resumes or retries a campaign in between.
 */
export async function campaignThatNeeds(
  db: Db,
  account: AccountId,
  needs: (audience: Audience) => boolean,
): Promise<Campaign | null> {
  const found = (await db.all(unended, account)).find(needs);
  return found === undefined ? null : await db.get(campaignById, account, found.id);
}

/** Without the ledger, nobody knows who got the campaign. */
export const campaignWithLedger = (db: Db, account: AccountId, id: CampaignId) =>
  campaignThatNeeds(db, account, ({ filter }) => namedBy(filter).campaigns.includes(id));
