/** Ends a batch before all of it was sent: anybody can take what is left of it. */
import type { Ledger } from "../../../../domain/ports/sending/ledger.ts";
import type { Db } from "../../kit/db.ts";
import { dropBatch, findBatch } from "./batch-rows.ts";
import { counted, lockMailing, saveMailing } from "./mailing-lock.ts";
import { lost, saveRetries, saveSettled, statesOf } from "./recipient-rows.ts";
import { isWaiting } from "./results.ts";

/**
 * Those that wait are due now, with their earlier attempts. A member that is `sending` has no result, and
 * will have none unless it comes late.
 */
export async function giveBack(db: Db, given: Parameters<Ledger["giveBack"]>[0]): Promise<null> {
  const { account, now, owner } = given;
  const mailing = await lockMailing(db, given);
  const batch = mailing === null ? null : await findBatch(db, given, given.batch);
  if (mailing === null || batch === null || batch.owner !== owner) return null;
  const states = await statesOf(db, given, [...batch.members.keys()]);
  const waiting = [...batch.members].filter(([id]) => isWaiting(states.get(id)));
  const settled = [...batch.members.keys()].filter((id) => states.get(id) === "sending").map(lost);
  const retries = waiting.map(([id, attempts]) => ({ id, dueAt: now, ...attempts }));
  const moves = settled.map(({ from, state }) => ({ from, to: state }));
  await Promise.all([
    dropBatch(db, account, batch.id),
    saveRetries(db, given, retries),
    saveSettled(db, given, now, settled),
    settled.length === 0 ? null : saveMailing(db, given, counted(mailing, moves)),
  ]);
  return null;
}
