/**
 * Which campaigns wait for the limit that their sender has for each domain. It is found out when an operator
 * looks: to store it would cost a write whenever the limit is reached, and each process sees only a part of
 * the recipients. The recipients in batches are looked at, as only they are sent to now. If a process has
 * given its batches back because it waits, due recipients are looked at instead.
 */

import type { CampaignId } from "#domain/campaign.ts";
import type { AtDomainLimit, Mailings, OfMailing } from "#domain/ports/sending/mailings.ts";
import { dayOf, domainMinuteOf } from "#domain/sending/delivery.ts";
import type { Db } from "../kit/db.ts";
import { integer, nullable, statement, text } from "../kit/statement.ts";
import { someMembers } from "../ledger/batch-rows.ts";
import { handedOver } from "../ledger/limits.ts";
import { domainOf } from "../ledger/starts.ts";
import { idRows, subscribersByIds } from "../subscribers/by-ids.ts";

/** So many recipients of a campaign are looked at. */
const SAMPLE = 500;

const limits = statement(
  { campaign: integer, sender: integer, perMinute: nullable(integer) },
  ({ isIn }) => `
   SELECT c.campaign_id AS campaign, s.id AS sender, s.per_domain_minute AS "perMinute"
   FROM campaign_content AS c
   JOIN sender AS s ON s.account_id = c.account_id AND s.id = c.sender_id
   WHERE c.account_id = $1 AND ${isIn("c.campaign_id", "$2")}
   ORDER BY c.campaign_id`,
);
const dueRetries = statement(
  { id: integer },
  `SELECT subscriber_id AS id
   FROM recipient_retry
   WHERE account_id = $1 AND campaign_id = $2 AND due_at <= $3
   ORDER BY due_at, subscriber_id
   LIMIT ${SAMPLE}`,
);
const addresses = statement(
  { address: text },
  (dialect) => `SELECT s.address FROM ${subscribersByIds(dialect, "$2")}`,
);

async function domainsOfNext(db: Db, of: OfMailing, now: number): Promise<readonly string[]> {
  const { account, campaign } = of;
  const members = await someMembers(db, of);
  const ids =
    members.length > 0
      ? members.slice(0, SAMPLE)
      : (await db.all(dueRetries, account, campaign, now)).map(({ id }) => id);
  if (ids.length === 0) return [];
  const found = await db.all(addresses, account, idRows(ids));
  return [...new Set(found.map(({ address }) => domainOf(address)))].toSorted();
}

export async function atDomainLimit(
  db: Db,
  { account, campaigns, now }: Parameters<Mailings["atDomainLimit"]>[0],
): Promise<readonly AtDomainLimit[]> {
  const waiting: AtDomainLimit[] = [];
  for (const { campaign, sender, perMinute } of await db.all(limits, account, campaigns)) {
    if (perMinute === null) continue;
    const domains = await domainsOfNext(db, { account, campaign }, now);
    const { period, endsAt } = domainMinuteOf(now);
    const counts = await handedOver(
      db,
      account,
      sender,
      domains.map((scope) => ({ scope, period })),
    );
    const reached = counts.filter(({ count }) => count >= perMinute).length;
    if (reached > 0 && reached === domains.length) waiting.push({ campaign, perMinute, domains, endsAt });
  }
  return waiting;
}

/** Campaigns whose sender may hand nothing more over today. */
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
