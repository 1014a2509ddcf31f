/** The ledger of a campaign as operators see it: its rows in pages, and a recount of them. */
import type { Page, PageRange } from "#domain/ports/listing.ts";
import type { Balance, OfMailing } from "#domain/ports/sending/mailings.ts";
import { isBalanced } from "#domain/sending/mailing.ts";
import {
  noRecipients,
  type Recipient,
  type RecipientState,
  type RetriedState,
  recipientStates,
  skipOfNumber,
  stateNumber,
  stateOfNumber,
} from "#domain/sending/recipient.ts";
import type { Db } from "../kit/db.ts";
import type { ListingOperation } from "../kit/feature.ts";
import { integer, nullable, type RowOf, statement, text } from "../kit/statement.ts";
import { byId, inBoth, walkPage } from "../kit/walk.ts";
import { whoMayStart } from "../ledger/starts.ts";
import { idRows, subscribersByIds } from "../subscribers/by-ids.ts";
import { findComposed } from "./mailing-row.ts";

/** The most rows of the ledger that one page visits, if only rows in one state are wanted. */
const MAX_VISITS = 10_000;

const row = { key: integer, state: integer, at: integer, code: nullable(integer) };
const WALKED = `
  recipient AS r
  WHERE r.account_id = $1 AND r.campaign_id = $2 AND r.subscriber_id >= $3 AND r.subscriber_id < $4`;
const keyAt = inBoth((order) =>
  statement(
    { key: integer },
    `SELECT r.subscriber_id AS key FROM ${WALKED} ORDER BY r.subscriber_id${order} LIMIT 1 OFFSET $5`,
  ),
);
const matches = inBoth((order) =>
  statement(
    row,
    `SELECT r.subscriber_id AS key, r.state, r.at, r.code
     FROM ${WALKED} AND (CAST($5 AS bigint) < 0 OR r.state = $5)
     ORDER BY r.subscriber_id${order}
     LIMIT $6 + 0`,
  ),
);
const addresses = statement(
  { id: integer, address: text },
  (dialect) => `SELECT s.id, s.address FROM ${subscribersByIds(dialect, "$2")}`,
);
const replies = statement(
  { id: integer, reply: text },
  ({ isIn }) => `
   SELECT subscriber_id AS id, reply
   FROM recipient_reply
   WHERE account_id = $1 AND campaign_id = $2 AND ${isIn("subscriber_id", "$3")}`,
);

/**
 * The code of a row that was skipped is the number of the reason; of a row that is being sent or unknown, a
 * mark of the attempt.
 */
export function toOutcome({ state: number, at, code }: Omit<RowOf<typeof row>, "key">) {
  const state = stateOfNumber(number);
  const isSkipped = state === "skipped";
  const isMark = state === "sending" || state === "unknown";
  return {
    state,
    at: at * 1000,
    code: isSkipped || isMark ? null : code,
    skipped: isSkipped ? skipOfNumber(code) : null,
  };
}

async function completed(db: Db, { account, campaign }: OfMailing, rows: readonly RowOf<typeof row>[]) {
  if (rows.length === 0) return [];
  const ids = rows.map(({ key }) => key);
  const [people, said] = await Promise.all([
    db.all(addresses, account, idRows(ids)),
    db.all(replies, account, campaign, ids),
  ]);
  const addressOf = new Map(people.map(({ id, address }) => [id, address]));
  const replyOf = new Map(said.map(({ id, reply }) => [id, reply]));
  return rows.map(({ key, ...rest }) => ({
    subscriber: key,
    address: addressOf.get(key) ?? null,
    ...toOutcome(rest),
    reply: replyOf.get(key) ?? null,
  }));
}

export const recipients: ListingOperation<OfMailing & { readonly state: RecipientState | null }, Recipient> =
  {
    kind: "listing",
    mayWalk: ({ state }) => state !== null,
    async page(db: Db, given, range: PageRange): Promise<Page<Recipient>> {
      const { account, campaign, state } = given;
      const wanted = state === null ? -1 : stateNumber(state);
      const page = await walkPage(
        db,
        {
          search: { account, campaign, state },
          ...byId,
          keyAt: async ({ from, to }, direction, skipped) =>
            (await db.get(keyAt[direction], account, campaign, from, to, skipped))?.key ?? null,
          matches: ({ from, to }, direction, limit) =>
            db.all(matches[direction], account, campaign, from, to, wanted, limit),
        },
        range,
        state === null ? Math.min(MAX_VISITS, range.limit + 1) : MAX_VISITS,
      );
      return { ...page, rows: await completed(db, given, page.rows) };
    },
  };

/**
 * Recipients that would get the message if they were put back. A page may be empty although there are more.
 */
export const retriable: ListingOperation<OfMailing & { readonly state: RetriedState }, Recipient> = {
  kind: "listing",
  mayWalk: recipients.mayWalk,
  async page(db: Db, given, range: PageRange): Promise<Page<Recipient>> {
    const page = await recipients.page(db, given, range);
    const starts = page.rows.map(({ subscriber, address }) => ({ subscriber, address: address ?? "" }));
    const able = await whoMayStart(db, given, starts);
    return { ...page, rows: page.rows.filter(({ subscriber }) => able.has(subscriber)) };
  },
};

const countRows = statement(
  { state: integer, count: integer },
  `SELECT state, count(*) AS count
   FROM recipient
   WHERE account_id = $1 AND campaign_id = $2
   GROUP BY state`,
);

export async function balanceOf(db: Db, one: OfMailing): Promise<Balance | null> {
  const mailing = (await findComposed(db, one))?.mailing ?? null;
  if (mailing === null) return null;
  const counted = await db.all(countRows, one.account, one.campaign);
  const rows = noRecipients();
  for (const { state, count } of counted) rows[recipientStates[state] ?? "unknown"] += count;
  return { mailing, rows, isBalanced: isBalanced(mailing, rows) };
}
