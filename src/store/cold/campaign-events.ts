/**
 * Counts the events of one campaign: of each kind at most a given number, the oldest ones. They are read from
 * the index alone, which does not have the account in SQLite. The order makes the planners use it: otherwise
 * PostgreSQL reads the whole table if one campaign has most events. And finds whom a campaign has suppressed
 * because their address bounced.
 */
import { DAY_MS } from "#domain/calendar.ts";
import { type CampaignEvent, campaignEvents } from "#domain/campaign.ts";
import type { BouncedSubscriber, Campaigns, OfCampaignEvent } from "#domain/ports/campaigns.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import type { BouncesOfCampaign } from "#domain/subscriber/bulk-change.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { storedEvent } from "../reads/event-row.ts";
import { KNOWN, knownRow, toKnown } from "../reads/rows.ts";
import { COUNTED_MEMBERSHIP } from "../reads/who-counts.ts";
import type { Db } from "./kit/db.ts";
import type { Dialect } from "./kit/dialect.ts";
import type { ListingOperation } from "./kit/feature.ts";
import { completedListing } from "./kit/listing.ts";
import { boolean, integer, nullable, oneOf, statement, text } from "./kit/statement.ts";
import { idRows, subscribersByIds } from "./subscribers/by-ids.ts";

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
    WHERE ${ofCampaign(dialect)} AND event = '${storedEvent[kind]}' AND at >= $3 AND at < $4
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
): Promise<number> => (await db.one(count, account, campaign, storedEvent[event], most)).count;

export const eventDays = (
  db: Db,
  { account, campaign, from, to, most }: Parameters<Campaigns["eventDays"]>[0],
) => db.all(days, account, campaign, from * DAY_MS, (to + 1) * DAY_MS, most);

/** What the rules of an event need to know of people and a campaign (`decideEvent`). */
const parts = statement(
  { id: integer, address: text, ...knownRow, isRecorded: boolean, earliestJoin: nullable(integer) },
  (dialect) => `
   SELECT s.id, s.address, ${KNOWN},
     ${dialect.exists(`
       SELECT 1 FROM campaign_event AS e
       WHERE e.account_id = $1 AND e.campaign_id = $2 AND e.event = $4 AND e.subscriber_id = s.id
     `)} AS "isRecorded",
     (
       SELECT min(m.joined_at)
       FROM membership AS m
       WHERE m.account_id = $1 AND m.subscriber_id = s.id AND ${COUNTED_MEMBERSHIP} AND m.list_id IN (
         SELECT c.list_id FROM campaign_list AS c WHERE c.account_id = $1 AND c.campaign_id = $2
       )
     ) AS "earliestJoin"
   FROM ${subscribersByIds(dialect, "$3")}`,
);
/** The account must be locked. Who was erased meanwhile is left out. */
export const partsInCampaign = async (
  db: Db,
  { account, campaign, event }: OfCampaignEvent,
  ids: readonly SubscriberId[],
) =>
  (await db.all(parts, account, campaign, idRows(ids), storedEvent[event])).map(
    ({ id, address, isRecorded, earliestJoin, ...row }) => ({
      ...{ id, address, isRecorded, earliestJoin, known: toKnown(row) },
    }),
  );

/**
 * A bounce of an address that had bounced in the campaign before is no further event. But the history names
 * the campaign that has suppressed the subscriber, and the time.
 */
const suppressed = statement(
  { subscriber: integer, address: text, since: integer },
  (dialect) => `
   SELECT s.id AS subscriber, s.address, coalesce(s.bounced_at, 0) AS since
   FROM ${subscribersByIds(dialect, "$2")}
   WHERE s.bounced_at >= $4 AND ${dialect.exists(`
     SELECT 1 FROM history AS h
     WHERE h.account_id = $1 AND h.subscriber_id = s.id AND h.campaign_id = $3 AND h.kind = 'bounced'
       AND h.at = s.bounced_at
   `)}
   ORDER BY s.id`,
);
/** In the order of their first bounces. A page may be empty although there are more. */
export const bounces: ListingOperation<OfAccount & BouncesOfCampaign, BouncedSubscriber> = completedListing(
  {
    row: { id: integer, at: integer, subscriber: integer },
    select: (condition) => `
     SELECT id, at, subscriber_id AS subscriber
     FROM campaign_event
     WHERE account_id = $1 AND campaign_id = $2 AND event = '${storedEvent.bounced}' AND ${condition}`,
    by: ["at", "id"],
    parameters: ({ account, campaign }: OfAccount & BouncesOfCampaign) => [account, campaign],
  },
  (db, { account, campaign, since }, rows) =>
    db.all(suppressed, account, idRows(rows.map(({ subscriber }) => subscriber)), campaign, since ?? 0),
);
