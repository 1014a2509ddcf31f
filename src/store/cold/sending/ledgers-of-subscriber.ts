/**
 * The ledgers of an account as they concern one subscriber. No index leads from a subscriber to the
 * campaigns: the campaigns of the account are walked, and each is looked up together with the subscriber.
 */
import type { Page, PageRange } from "#domain/ports/listing.ts";
import type { OfSubscriber } from "#domain/ports/subscribers.ts";
import { mailingStates, type SentCampaign } from "#domain/sending/mailing.ts";
import { type RecipientState, skipNumber, stateNumber } from "#domain/sending/recipient.ts";
import type { Db } from "../kit/db.ts";
import type { ListingOperation } from "../kit/feature.ts";
import {
  type Columns,
  change,
  column,
  integer,
  nullable,
  oneOf,
  selectList,
  statement,
  text,
} from "../kit/statement.ts";
import { byId, inBoth, walkPage } from "../kit/walk.ts";
import { lockMailing } from "./mailing-row.ts";
import { toOutcome } from "./recipients.ts";

/** The most campaigns that one page looks at. */
const MAX_VISITS = 1000;

const keyAt = inBoth((order) =>
  statement(
    { key: integer },
    `SELECT campaign_id AS key
     FROM mailing
     WHERE account_id = $1 AND campaign_id >= $2 AND campaign_id < $3
     ORDER BY campaign_id${order}
     LIMIT 1 OFFSET $4`,
  ),
);
const matches = inBoth((order) =>
  statement(
    {
      ...{ key: integer, name: text, campaignState: oneOf(mailingStates) },
      ...{ state: integer, at: integer, code: nullable(integer) },
    },
    ({ lookUp }) => `
     SELECT m.campaign_id AS key, c.name, m.state AS "campaignState", r.state, r.at, r.code
     FROM mailing AS m
     ${lookUp("recipient", "r", "r.account_id = $1 AND r.campaign_id = m.campaign_id AND r.subscriber_id = $4")}
     ${lookUp("campaign", "c", "c.account_id = $1 AND c.id = m.campaign_id")}
     WHERE m.account_id = $1 AND m.campaign_id >= $2 AND m.campaign_id < $3
     ORDER BY m.campaign_id${order}
     LIMIT $5 + 0`,
  ),
);
/** What a table has about the subscriber in some campaigns. */
function ofCampaigns<const C extends Columns>(table: string, columns: C) {
  const row = { campaign: column("campaign_id", integer), ...columns };
  return statement(
    row,
    ({ isIn }) => `
     SELECT ${selectList(row)}
     FROM ${table}
     WHERE account_id = $1 AND subscriber_id = $2 AND ${isIn("campaign_id", "$3")}`,
  );
}
const replies = ofCampaigns("recipient_reply", { reply: text });
const firstAt = column("nullif(since, 0)", nullable(integer));
const retries = ofCampaigns("recipient_retry", { dueAt: integer, attempts: integer, firstAt });
const result = { state: integer, at: integer, code: nullable(integer), reply: nullable(text) };
const earlier = ofCampaigns("recipient_earlier", result);

export const ofSubscriber: ListingOperation<OfSubscriber, SentCampaign> = {
  kind: "listing",
  mayWalk: () => true,
  async page(db: Db, { account, subscriber }: OfSubscriber, range: PageRange): Promise<Page<SentCampaign>> {
    const page = await walkPage(
      db,
      {
        search: { account, subscriber },
        ...byId,
        keyAt: async ({ from, to }, direction, skipped) =>
          (await db.get(keyAt[direction], account, from, to, skipped))?.key ?? null,
        matches: ({ from, to }, direction, limit) =>
          db.all(matches[direction], account, from, to, subscriber, limit),
      },
      range,
      MAX_VISITS,
    );
    const campaigns = page.rows.map(({ key }) => key);
    const [said, waiting, before] = await Promise.all([
      db.all(replies, account, subscriber, campaigns),
      db.all(retries, account, subscriber, campaigns),
      db.all(earlier, account, subscriber, campaigns),
    ]);
    const replyOf = new Map(said.map(({ campaign, reply }) => [campaign, reply]));
    const retryOf = new Map(waiting.map(({ campaign, ...retry }) => [campaign, retry]));
    const earlierOf = new Map(
      before.map(({ campaign, reply, ...row }) => {
        const { state, at, code } = toOutcome(row);
        return [campaign, { state, at, code, reply }];
      }),
    );
    return {
      ...page,
      rows: page.rows.map(({ key, name, campaignState, ...row }) => ({
        ...{ campaign: key, name, campaignState },
        ...toOutcome(row),
        reply: replyOf.get(key) ?? null,
        retry: retryOf.get(key) ?? null,
        earlier: earlierOf.get(key) ?? null,
      })),
    };
  },
};

/** A result of an unknown recipient can still arrive. */
const mayGetResult = [
  "queued",
  "sending",
  "deferred",
  "unknown",
] as const satisfies readonly RecipientState[];

const campaignsOf = statement(
  { campaign: integer },
  "SELECT campaign_id AS campaign FROM mailing WHERE account_id = $1 ORDER BY campaign_id",
);
const withoutEnd = statement(
  { campaign: integer },
  ({ lookUp }) => `
   SELECT m.campaign_id AS campaign
   FROM mailing AS m
   ${lookUp("recipient", "r", "r.account_id = $1 AND r.campaign_id = m.campaign_id AND r.subscriber_id = $2")}
   WHERE m.account_id = $1 AND r.state IN (${mayGetResult.map(stateNumber).join(", ")})
   ORDER BY m.campaign_id`,
);
const lockAll = statement(
  { campaign: integer },
  ({ isIn, lockRows }) => `
   SELECT campaign_id AS campaign
   FROM mailing AS m
   WHERE account_id = $1 AND ${isIn("campaign_id", "$2")}
   ORDER BY campaign_id
   ${lockRows("m")}`,
);
const dropReplies = change(
  ({ isIn }) => `
   DELETE FROM recipient_reply WHERE account_id = $1 AND subscriber_id = $2 AND ${isIn("campaign_id", "$3")}`,
);
const dropEarlierReplies = change(
  ({ isIn }) => `
   UPDATE recipient_earlier SET reply = NULL
   WHERE account_id = $1 AND subscriber_id = $2 AND ${isIn("campaign_id", "$3")}`,
);
const toBeTried = statement(
  { campaign: integer },
  ({ isIn }) => `
   SELECT campaign_id AS campaign
   FROM recipient_retry
   WHERE account_id = $1 AND subscriber_id = $2 AND ${isIn("campaign_id", "$3")}
   ORDER BY campaign_id`,
);
const dropRetry = change(
  "DELETE FROM recipient_retry WHERE account_id = $1 AND campaign_id = $2 AND subscriber_id = $3",
);
const stateOf = statement(
  { state: integer },
  "SELECT state FROM recipient WHERE account_id = $1 AND campaign_id = $2 AND subscriber_id = $3",
);
const skip = change(
  `UPDATE recipient SET state = ${stateNumber("skipped")}, code = ${skipNumber("erased")}, at = $4
   WHERE account_id = $1 AND campaign_id = $2 AND subscriber_id = $3`,
);
const countSkipped = change(
  "UPDATE mailing SET skipped = skipped + 1, deferred = deferred - $3 WHERE account_id = $1 AND campaign_id = $2",
);

/**
 * Erases what relays said about a person. Their rows in the ledgers stay, as numbers; who was to be tried
 * again is skipped. Others who are queued are skipped when it is their turn. The mailings are locked, so that
 * a result which arrives meanwhile is stored before its words are erased, or after the subscriber is.
 */
export async function eraseFromLedgers(db: Db, { account, subscriber }: OfSubscriber, at: number) {
  const campaigns = (await db.all(campaignsOf, account)).map(({ campaign }) => campaign);
  if (campaigns.length === 0) return;
  const open = (await db.all(withoutEnd, account, subscriber)).map(({ campaign }) => campaign);
  if (open.length > 0) await db.all(lockAll, account, open);
  const waiting = await db.all(toBeTried, account, subscriber, campaigns);
  for (const { campaign } of waiting) {
    await lockMailing(db, { account, campaign });
    // Unless a process took it meanwhile; it finds that the person was erased.
    if ((await db.run(dropRetry, account, campaign, subscriber)) === 0) continue;
    const state = (await db.get(stateOf, account, campaign, subscriber))?.state;
    const isDeferred = state === stateNumber("deferred");
    if (!isDeferred && state !== stateNumber("queued")) continue;
    await db.run(skip, account, campaign, subscriber, Math.floor(at / 1000));
    await db.run(countSkipped, account, campaign, isDeferred ? 1 : 0);
  }
  await db.run(dropReplies, account, subscriber, campaigns);
  await db.run(dropEarlierReplies, account, subscriber, campaigns);
}
