/**
 * Ends batches before all of them was sent: any process can take what is left. By the process that has the
 * batch; or, if that is gone and the mailing is not being sent, by any process.
 */
import type { Ledger } from "#domain/ports/sending/ledger.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import type { Db } from "../kit/db.ts";
import { lockIfDraft, publishDraft } from "../sending/publication.ts";
import { type BatchRow, dropBatch, expiredBatch, findBatch, type Members } from "./batch-rows.ts";
import { counted, lockMailing, type MailingRow, saveMailing } from "./mailing-lock.ts";
import { lost, type Settled, saveRetries, saveSettled, statesOf } from "./recipient-rows.ts";
import { isWaiting } from "./results.ts";

/** The most expired batches that one transaction ends. */
const MAX_BATCHES = 20;

export async function giveBack(db: Db, given: Parameters<Ledger["giveBack"]>[0]): Promise<void> {
  await lockIfDraft(db, given);
  const mailing = await lockMailing(db, given);
  const batch = mailing === null ? null : await findBatch(db, given, given.batch);
  if (mailing !== null && batch?.owner === given.owner) await endBatch(db, given, mailing, batch);
}

export async function release(db: Db, given: Parameters<Ledger["release"]>[0]): Promise<number> {
  await lockIfDraft(db, given);
  let mailing = await lockMailing(db, given);
  let unknown = 0;
  for (let seen = 0; seen < MAX_BATCHES; seen += 1) {
    // A mailing that is being sent again is taken over as a whole.
    if (mailing === null || mailing.state === "sending") break;
    const batch = await expiredBatch(db, given, given.now);
    if (batch === null) break;
    const after = await endBatch(db, given, mailing, batch);
    unknown += after.unknown - mailing.unknown;
    mailing = after;
  }
  return unknown;
}

/** What a transaction has found. */
export interface TakenRows {
  readonly members: Members;
  readonly settled: readonly Settled[];
}
/** Members that wait are kept; no process will report the results of members that were being sent. */
export async function keepWaiting(db: Db, of: OfMailing, members: Members): Promise<TakenRows> {
  const states = await statesOf(db, of, [...members.keys()]);
  const waiting = [...members].filter(([id]) => isWaiting(states.get(id)));
  const unfinished = [...members.keys()].filter((id) => states.get(id) === "sending");
  return { members: new Map(waiting), settled: unfinished.map(lost) };
}

/**
 * Members that wait are due now, with their earlier attempts. A member that is `sending` has no result, and
 * will have none unless it comes late.
 */
async function endBatch(
  db: Db,
  of: OfMailing & { readonly now: number },
  mailing: MailingRow,
  batch: BatchRow,
): Promise<MailingRow> {
  const { account, now } = of;
  const { members, settled } = await keepWaiting(db, of, batch.members);
  const retries = [...members].map(([id, attempts]) => ({ id, dueAt: now, ...attempts }));
  const after = counted(
    mailing,
    settled.map(({ from, state }) => ({ from, to: state })),
  );
  await Promise.all([
    dropBatch(db, account, batch.id),
    saveRetries(db, of, retries),
    saveSettled(db, of, now, settled),
    settled.length === 0 ? null : saveMailing(db, of, after),
  ]);
  if (settled.length > 0) await publishDraft(db, of);
  return after;
}
