/**
 * A relay that is away or refuses everything makes the mailing wait, not its recipients: longer with each
 * failure, for all nodes.
 */
import type { Ledger } from "#domain/ports/sending/ledger.ts";
import { storedReply } from "#domain/sending/delivery.ts";
import { mustWait, relayDelay } from "#domain/sending/mailing.ts";
import type { Db } from "../kit/db.ts";
import { change } from "../kit/statement.ts";
import { lockMailing, saveMailing } from "./mailing-lock.ts";

const works = change(
  `UPDATE mailing SET
     relay_failures = 0, waits_until = NULL, reason = CASE WHEN state = 'sending' THEN NULL ELSE reason END
   WHERE account_id = $1 AND campaign_id = $2 AND relay_failures > 0`,
);

/** Until when to wait. Connections that fail together count as one failure. */
export async function relayFailed(db: Db, given: Parameters<Ledger["relayFailed"]>[0]): Promise<number> {
  const { now, reason } = given;
  const mailing = await lockMailing(db, given);
  if (mailing === null) return now + relayDelay(1);
  if (mustWait(mailing.waitsUntil, now)) return mailing.waitsUntil;
  const relayFailures = mailing.relayFailures + 1;
  const waitsUntil = now + relayDelay(relayFailures);
  // If it was paused meanwhile, that reason stays.
  const why = mailing.state === "sending" ? storedReply(reason) : mailing.reason;
  await saveMailing(db, given, { ...mailing, relayFailures, waitsUntil, reason: why });
  return waitsUntil;
}

export async function relayWorks(
  db: Db,
  { account, campaign }: Parameters<Ledger["relayWorks"]>[0],
): Promise<null> {
  await db.run(works, account, campaign);
  return null;
}
