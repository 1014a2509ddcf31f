/**
 * Campaigns and the lists they were sent to. Campaign events are recorded in groups with other writes
 * (`caller-commands.ts`).
 */
import {
  type Campaign,
  type CampaignEvent,
  type CampaignId,
  campaignEvents,
  MAX_COUNTED,
} from "#domain/campaign.ts";
import type { ListId } from "#domain/list.ts";
import type { Campaigns, OfCampaignEvent } from "#domain/ports/campaigns.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import { changeable } from "#domain/version.ts";
import { storedEvent } from "../reads/event-row.ts";
import { campaign } from "../tables/entities.ts";
import { bounces, countEvents, eventDays } from "./campaign-events.ts";
import { campaignToDelete, deleteCampaign } from "./jobs/delete-campaign.ts";
import { auditing } from "./kit/auditing.ts";
import { command, feature, read } from "./kit/feature.ts";
import { listing } from "./kit/listing.ts";
import { allOf, byIdOf, byName, insertOf, updateOf } from "./kit/of-account.ts";
import { boolean, change, column, integer, selectList, statement, text } from "./kit/statement.ts";
import { findMailing } from "./sending/mailing-row.ts";

const targetedList = { id: integer, name: text, createdAt: integer, members: integer, isDeleted: boolean };
/** Names and addresses are copied into the events, and kept current there. */
const event = {
  id: integer,
  subscriber: column("subscriber_id", integer),
  address: text,
  firstName: text,
  lastName: text,
  joinedAt: integer,
  at: integer,
};

const byId = byIdOf(campaign, "NOT is_deleting");
const visibleById = byIdOf(campaign, "NOT is_deleting AND NOT is_draft");
const lastSent = statement(
  campaign.row,
  `SELECT ${campaign.columns}
   FROM campaign
   WHERE account_id = $1 AND sent_at IS NOT NULL AND NOT is_deleting AND NOT is_draft
   ORDER BY sent_at DESC, id DESC
   LIMIT 1`,
);
const existingLists = statement(
  { id: integer },
  ({ isIn }) => `SELECT id FROM list WHERE account_id = $1 AND ${isIn("id", "$2")}`,
);
const insert = insertOf(campaign, "account_id");
const insertWithId = insertOf(campaign, "account_id", "id");
const insertTargetedLists = change(
  ({ isIn }) => `
   INSERT INTO campaign_list (account_id, campaign_id, list_id, name, list_created_at)
   SELECT account_id, $2, id, name, created_at
   FROM list
   WHERE account_id = $1 AND ${isIn("id", "$3")}`,
);
const update = updateOf(campaign, "NOT is_deleting");
/** In the order of the index: otherwise PostgreSQL reads the whole table if one campaign has most events. */
const countUpTo = (kind: CampaignEvent, ofAccount: string): string =>
  `(SELECT count(*) FROM (
     SELECT 1 AS one FROM campaign_event AS e
     WHERE ${ofAccount} e.campaign_id = c.id AND e.event = '${storedEvent[kind]}'
     ORDER BY e.at, e.id
     LIMIT ${MAX_COUNTED}
   ) AS counted) AS "${kind}"`;

const audited = auditing<Campaign & { readonly lists?: readonly ListId[] }>("campaign", [
  ...changeable.campaign,
  "lists",
]);

const newestFirst = { by: ["createdAt", "id"], descending: true } as const;

export const campaigns = feature<Omit<Campaigns, "recordEvent" | "subscribersByEvent">>({
  all: allOf(campaign, { which: "NOT is_deleting", ...newestFirst }),
  visible: allOf(campaign, { which: "NOT is_deleting AND NOT is_draft", ...newestFirst }),
  totals: listing({
    row: { ...campaign.row, bounced: integer, unsubscribed: integer, complained: integer },
    select: (condition, { keysHaveAccount }) => `
     SELECT
       ${campaign.columns}, ${campaignEvents.map((kind) => countUpTo(kind, keysHaveAccount ? "e.account_id = $1 AND" : "")).join(", ")}
     FROM campaign AS c
     WHERE account_id = $1 AND NOT is_deleting AND ${condition}`,
    ...newestFirst,
    parameters: ({ account }: OfAccount) => [account],
  }),
  targetedLists: listing({
    row: targetedList,
    // A subquery is looked up for each row. For a join, PostgreSQL reads all lists before those of the page.
    select: (condition) => `
     SELECT
       c.list_id AS id, c.name, c.list_created_at AS "createdAt",
       coalesce((SELECT member_count FROM list AS l WHERE l.account_id = $1 AND l.id = c.list_id), 0) AS members,
       (SELECT l.id FROM list AS l WHERE l.account_id = $1 AND l.id = c.list_id) IS NULL AS "isDeleted"
     FROM campaign_list AS c
     WHERE c.account_id = $1 AND c.campaign_id = $2 AND ${condition}`,
    by: [["id", "c.list_id"]],
    parameters: ({ account, campaign: id }: OfAccount & { readonly campaign: CampaignId }) => [account, id],
  }),
  events: listing({
    row: event,
    select: (condition) => `
     SELECT ${selectList(event)}
     FROM campaign_event
     WHERE account_id = $1 AND campaign_id = $2 AND event = $3 AND ${condition}`,
    by: ["at", "id"],
    parameters: ({ account, campaign: id, event: kind }: OfCampaignEvent) => [account, id, storedEvent[kind]],
  }),
  bounces,
  named: byName(campaign, { which: "NOT is_deleting", order: "created_at DESC, id DESC", names: ["name"] }),
  byId: read((db, { account, id }) => db.get(byId, account, id), { isLookup: true }),
  visibleById: read((db, { account, id }) => db.get(visibleById, account, id), { isLookup: true }),
  lastSent: read((db, { account }) => db.get(lastSent, account), { isLookup: true }),
  record: command(async (db, { account, id = null, lists, audit, ...values }) => {
    const existing = new Set((await db.all(existingLists, account, lists)).map(({ id }) => id));
    const unknownList = lists.find((id) => !existing.has(id));
    if (unknownList !== undefined) return { unknownList };
    if (id !== null && !(await db.reserveId("campaign", id))) return { takenId: id };
    const parameters = campaign.parameters(values);
    const recorded = await (id === null
      ? db.one(insert, account, ...parameters)
      : db.one(insertWithId, account, id, ...parameters));
    await db.run(insertTargetedLists, account, recorded.id, lists);
    await audited(db, { account, audit }, recorded.id, null, { ...recorded, lists });
    return recorded;
  }),
  set: command(async (db, { account, id, audit, ...values }) => {
    const before = await db.get(byId, account, id);
    const mailing = before === null ? null : await findMailing(db, { account, campaign: id });
    const isOther = before?.createdAt !== values.createdAt || before.sentAt !== values.sentAt;
    if (mailing !== null && isOther) return { mailing };
    const changed = await db.get(update, account, id, ...campaign.parameters(values));
    if (changed !== null) await audited(db, { account, audit }, id, before, changed);
    return changed;
  }),
  countEvents: read(countEvents),
  eventDays: read(eventDays),
  toDelete: read(campaignToDelete),
  delete: command(async (db, deletion) => {
    const { account, id } = deletion;
    const before = await db.get(byId, account, id);
    const deleted = await deleteCampaign(db, deletion);
    if (deleted !== null && !("campaign" in deleted)) return deleted;
    // An interrupted deletion that is continued has its entry already.
    if (before !== null) await audited(db, deletion, id, before, null);
    return deleted;
  }),
});
