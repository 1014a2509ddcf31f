/**
 * Batches of recipients that no process sends to any more: in a restored database, and of a mailing that was
 * cancelled. How processes take and end their batches is in `ledger/`.
 */
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import type { Mailing } from "#domain/sending/mailing.ts";
import { stateNumber } from "#domain/sending/recipient.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { STEP } from "../../writes/step-limits.ts";
import type { Db } from "../kit/db.ts";
import { change, integer, statement } from "../kit/statement.ts";
import { hasBatch } from "../ledger/batch-rows.ts";
import { dropBatches, dropSomeRetries } from "../ledger/purge.ts";
import { tryEarlierAgain } from "./earlier-results.ts";
import { lastVisited } from "./ledger-pages.ts";

const moveCursor = change("UPDATE mailing SET taken_up_to = $3 WHERE account_id = $1 AND campaign_id = $2");
/** The cursor of a mailing that was cancelled and sends only to recipients that were put back. */
export const ONLY_PUT_BACK = Number.MAX_SAFE_INTEGER;
const rewind = change(
  `UPDATE mailing SET taken_up_to = 0
   WHERE account_id = $1 AND campaign_id = $2 AND taken_up_to < ${ONLY_PUT_BACK}`,
);
/**
 * Of a mailing that was held. A restored database has no batches, and does not know who was in one: the
 * recipients are walked again from the first one. Recipients that are to be tried again are taken when the
 * cursor has passed them. A mailing that was cancelled is not walked: whom the cancellation left out stays
 * left out. With a batch, the service itself has held the mailing: a process may be sending to its members,
 * and otherwise they are taken over or given back.
 */
export async function walkAgain(db: Db, { account, campaign, now }: OfMailing & { readonly now: number }) {
  if (await hasBatch(db, { account, campaign })) return;
  const isWalked = (await db.run(rewind, account, campaign)) > 0;
  if (!isWalked) await tryEarlierAgain(db, { account, campaign }, now);
}

const someUnknown = change(
  `UPDATE recipient SET state = ${stateNumber("unknown")}
   WHERE account_id = $1 AND campaign_id = $2 AND subscriber_id > $3 AND subscriber_id <= $4
     AND state = ${stateNumber("sending")}`,
);
const countUnknown = change(
  `UPDATE mailing SET sending = sending - $3, unknown = unknown + $3 WHERE account_id = $1 AND campaign_id = $2`,
);
/** In a restored database, no process will report a result of what was being sent. Returns how many. */
export async function giveUpSending(db: Db, { account, campaign }: OfMailing): Promise<number> {
  let unknown = 0;
  // A statement that read a large ledger at once could take longer than it may.
  for (let after: SubscriberId | null = 0; after !== null; ) {
    const upTo: SubscriberId | null = await lastVisited(db, { account, campaign }, after);
    unknown += await db.run(someUnknown, account, campaign, after, upTo ?? Number.MAX_SAFE_INTEGER);
    after = upTo;
  }
  await db.run(countUnknown, account, campaign, unknown);
  return unknown;
}

const liveBatch = statement(
  { id: integer },
  "SELECT id FROM delivery_batch WHERE account_id = $1 AND campaign_id = $2 AND leased_until > $3 LIMIT 1",
);
/**
 * Of a mailing that is over: recipients that are being sent, unless a process is left that reports their
 * results.
 */
export async function giveUpUnreported(db: Db, { account, campaign, counts }: Mailing, now: number) {
  if (counts.sending === 0 || (await db.get(liveBatch, account, campaign, now)) !== null) return;
  await giveUpSending(db, { account, campaign });
}

/** Deletes some of the recipients that were to be tried again. Returns whether none is left. */
export const leaveOutDeferred = async (db: Db, { account, campaign }: OfMailing): Promise<boolean> =>
  (await db.run(dropSomeRetries, account, campaign, STEP)) < STEP;

/**
 * A mailing that was cancelled is about to send again, only to the recipients that are put back. A process
 * that still has a batch of it has stopped, and reports what it was sending without the batch. Recipients
 * that were to be tried again are left out with `leaveOutDeferred`.
 */
export async function leaveOutQueued(db: Db, mailing: Mailing, now: number): Promise<void> {
  const { account, campaign } = mailing;
  await giveUpUnreported(db, mailing, now);
  await db.run(dropBatches, account, campaign);
  await db.run(moveCursor, account, campaign, ONLY_PUT_BACK);
}
