/** Deletes the ledger of a campaign, in batches; and with the last of it the mailing and its content. */
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { STEP } from "../../writes/step-limits.ts";
import type { Db } from "../kit/db.ts";
import { type Change, change, integer, statement } from "../kit/statement.ts";
import { lastVisited } from "./ledger-pages.ts";

const [deleteRecipients, ...deleteRest] = [
  "recipient",
  "recipient_reply",
  "recipient_retry",
  "recipient_earlier",
].map((table) =>
  change(
    `DELETE FROM ${table}
     WHERE account_id = $1 AND campaign_id = $2 AND subscriber_id > $3 AND subscriber_id <= $4`,
  ),
) as [Change, ...Change[]];

/**
 * Deletes the rows after a subscriber, in order of id. `after` is the last deleted one, from where the next
 * batch continues: PostgreSQL would otherwise pass what earlier ones deleted. null: none is left.
 */
export async function deleteLedgerRows(db: Db, { account, campaign }: OfMailing, after: SubscriberId) {
  const last = await lastVisited(db, { account, campaign }, after, STEP);
  const range = [account, campaign, after, last ?? Number.MAX_SAFE_INTEGER] as const;
  const done = await db.run(deleteRecipients, ...range);
  for (const rest of deleteRest) await db.run(rest, ...range);
  return { after: last, done };
}

const whole = ["delivery_batch", "mailing", "campaign_version", "campaign_content"].map((table) =>
  change(`DELETE FROM ${table} WHERE account_id = $1 AND campaign_id = $2`),
);
/** After the last row of the ledger. */
export async function deleteMailing(db: Db, { account, campaign }: OfMailing): Promise<void> {
  for (const table of whole) await db.run(table, account, campaign);
}

const ofAccount = statement(
  { campaign: integer },
  "SELECT campaign_id AS campaign FROM mailing WHERE account_id = $1 ORDER BY campaign_id LIMIT 1",
);
/** Deletes the next part of what an account has sent. False: there was nothing. */
export async function deleteFirstMailing(db: Db, account: number): Promise<boolean> {
  const first = await db.get(ofAccount, account);
  if (first === null) return false;
  const one = { account, campaign: first.campaign };
  const { after } = await deleteLedgerRows(db, one, 0);
  if (after === null) await deleteMailing(db, one);
  return true;
}

const stop = change(
  `UPDATE mailing SET state = 'cancelled', ended_at = $2
   WHERE account_id = $1 AND state NOT IN ('draft', 'finished', 'cancelled')`,
);
/** From now on nothing of the account is sent. */
export const stopMailings = (db: Db, account: number, at: number) => db.run(stop, account, at);
