/**
 * Takes recipients in batches: first the recipients of a process that has lost its lease, then recipients to
 * be tried again, then the next ones in order of id. If nothing is left, the mailing is finished. The lock on
 * the mailing makes sure that no two processes get the same recipients.
 */
import type { Batch, Ledger, Taken } from "#domain/ports/sending/ledger.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import { noAttempts } from "#domain/sending/delivery.ts";
import { holdReasons, mailingStates, type StateAfter } from "#domain/sending/mailing.ts";
import { longestRetryWait, stateOfNumber } from "#domain/sending/recipient.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import type { Db } from "../kit/db.ts";
import { boolean, integer, nullable, oneOf, statement } from "../kit/statement.ts";
import { giveUpSending, ONLY_PUT_BACK } from "../sending/batches.ts";
import { restoreEarlier } from "../sending/earlier-results.ts";
import { mergeDataOf } from "../sending/merge-data.ts";
import { lockIfDraft, publishDraft } from "../sending/publication.ts";
import { dropBatch, expiredBatch, hasBatch, insertBatch, type Members } from "./batch-rows.ts";
import { keepWaiting, release, type TakenRows } from "./give-back.ts";
import {
  counted,
  heldFor,
  isSending,
  leftOf,
  lockMailing,
  type MailingRow,
  resultsOf,
  saveMailing,
} from "./mailing-lock.ts";
import { erased, lost, type Settled, saveSettled, statesOf, takeRetries } from "./recipient-rows.ts";
import { isWaiting } from "./results.ts";

/** Most mailings that wait are answered by this: it locks nothing. */
const stateWithoutLock = statement(
  { state: oneOf(mailingStates), waitsUntil: nullable(integer) },
  `SELECT state, waits_until AS "waitsUntil" FROM mailing WHERE account_id = $1 AND campaign_id = $2`,
);
/** Up to the cursor: who comes after it would be found by the walk as well. */
const retriesThat = (isDue: string, direction: string) =>
  statement(
    { id: integer, attempts: integer, since: integer, dueAt: integer },
    `SELECT subscriber_id AS id, attempts, since, due_at AS "dueAt"
     FROM recipient_retry
     WHERE account_id = $1 AND campaign_id = $2 AND ${isDue} AND subscriber_id + 0 <= $5
     ORDER BY due_at ${direction}, subscriber_id ${direction}
     LIMIT $4 + 0`,
  );
const dueRetries = retriesThat("due_at <= $3", "ASC");
const latestRetries = retriesThat("due_at > $3", "DESC");
const someRetry = statement(
  { id: integer },
  `SELECT subscriber_id AS id
   FROM recipient_retry
   WHERE account_id = $1 AND campaign_id = $2
   ORDER BY due_at, subscriber_id
   LIMIT 1`,
);
const following = statement(
  { id: integer, state: integer, hasRetry: boolean },
  ({ exists }) => `
   SELECT
     r.subscriber_id AS id, r.state,
     ${exists(`
       SELECT 1 FROM recipient_retry AS t
       WHERE t.account_id = $1 AND t.campaign_id = $2 AND t.subscriber_id = r.subscriber_id
     `)} AS "hasRetry"
   FROM recipient AS r
   WHERE r.account_id = $1 AND r.campaign_id = $2 AND r.subscriber_id > $3
   ORDER BY r.subscriber_id
   LIMIT $4 + 0`,
);
/** After a restore, most of the rows that follow have ended: so many are visited at a time, and in all. */
const VISITS = 2000;
const MAX_VISITS = 20_000;
/** The most expired batches that one transaction looks at. */
const MAX_BATCHES = 20;

const nothing = (): TakenRows => ({ members: new Map(), settled: [] });

type Given = Parameters<Ledger["take"]>[0];

const nothingTaken: Taken = { batch: null, isTakenOver: false, heldBecause: null, unknown: 0 };
const unknownAmong = ({ settled }: TakenRows): number =>
  settled.filter(({ state }) => state === "unknown").length;

export async function take(db: Db, given: Given): Promise<Taken> {
  const { account, campaign, now } = given;
  const seen = await db.get(stateWithoutLock, account, campaign);
  if (seen === null || !isSending(seen, now)) return nothingTaken;
  await lockIfDraft(db, given);
  const mailing = await lockMailing(db, given);
  if (mailing === null || !isSending(mailing, now)) return nothingTaken;

  const left = given.takesOver === false ? noBatch() : await takeOver(db, given, mailing);
  if (left.hasDiedTwice) {
    const held = heldFor(mailing, holdReasons.process);
    await saveMailing(db, given, held);
    await assign(db, given, held, left, mailing.takenUpTo);
    // Resumed with that batch, the mailing would be held again.
    const released = await release(db, given);
    return { ...nothingTaken, heldBecause: held.reason, unknown: unknownAmong(left) + released };
  }
  if (left.members.size > 0)
    return {
      ...nothingTaken,
      batch: await assign(db, given, mailing, left, mailing.takenUpTo, left.resultsBefore),
      isTakenOver: left.resultsBefore !== null,
      unknown: unknownAmong(left),
    };
  const again = await retries(db, given, mailing.takenUpTo);
  const next = await walk(db, given, mailing.takenUpTo, given.limit - again.members.size);
  const found: TakenRows = {
    members: new Map([...again.members, ...next.members]),
    settled: [...left.settled, ...again.settled, ...next.settled],
  };
  const batch = await assign(db, given, mailing, found, next.takenUpTo);
  const unreported = batch === null && next.isAtEnd ? await end(db, given) : 0;
  return { ...nothingTaken, batch, unknown: unknownAmong(found) + unreported };
}

/** A batch of a process that died, or of this one, if it stood still for longer than its lease. */
interface ExpiredBatch extends TakenRows {
  /** Of the new batch. */
  readonly resultsBefore: number | null;
  /** The process before that one died with it, too; and the mailing has got no result since. */
  readonly hasDiedTwice: boolean;
}
const noBatch = (): ExpiredBatch => ({ ...nothing(), resultsBefore: null, hasDiedTwice: false });

/** Batches whose lease has expired, up to the first that has members left. */
async function takeOver(db: Db, given: Given, mailing: MailingRow): Promise<ExpiredBatch> {
  const results = resultsOf(mailing);
  const settled: Settled[] = [];
  for (let seen = 0; seen < MAX_BATCHES; seen += 1) {
    const batch = await expiredBatch(db, given, given.now);
    if (batch === null) break;
    const hasDied = batch.owner !== given.owner;
    if (hasDied && batch.resultsBefore === results) return { ...noBatch(), settled, hasDiedTwice: true };
    await dropBatch(db, given.account, batch.id);
    const found = await keepWaiting(db, given, batch.members);
    settled.push(...found.settled);
    const resultsBefore = hasDied ? results : batch.resultsBefore;
    if (found.members.size > 0) return { ...noBatch(), members: found.members, settled, resultsBefore };
  }
  return { ...noBatch(), settled };
}

/** Who is due, and who would be if the clock had not been ahead when the time was stored. */
async function retries(db: Db, given: Given, takenUpTo: SubscriberId): Promise<TakenRows> {
  const { account, campaign, now, limit } = given;
  const rows = [...(await db.all(dueRetries, account, campaign, now, limit, takenUpTo))];
  // Of the recipients that wait the longest only: a condition would visit all that wait. So whom a clock that
  // was ahead makes wait, waits no longer than others do who were deferred often.
  if (rows.length < limit) {
    const latest = await db.all(latestRetries, account, campaign, now, limit - rows.length, takenUpTo);
    rows.push(...latest.filter(({ dueAt, attempts }) => dueAt > now + longestRetryWait(attempts)));
  }
  if (rows.length === 0) return nothing();
  const due = new Map(rows.map(({ id, attempts, since }) => [id, { attempts, since: Math.min(since, now) }]));
  await takeRetries(db, given, [...due.keys()]);
  return await keepWaiting(db, given, due);
}

/** Recipients after the last one taken. Recipients that have ended, or wait to be tried again, are passed. */
async function walk(db: Db, { account, campaign }: OfMailing, from: SubscriberId, limit: number) {
  const members: Members = new Map();
  const settled: Settled[] = [];
  let takenUpTo = from;
  let isAtEnd = false;
  let size = limit;
  for (let visited = 0; members.size < limit && !isAtEnd && visited < MAX_VISITS; visited += size) {
    // Before a restore, each of the rows that follow is queued.
    size = visited === 0 ? limit : VISITS;
    const rows = await db.all(following, account, campaign, takenUpTo, size);
    isAtEnd = rows.length < size;
    for (const { id, state: number, hasRetry } of rows) {
      if (members.size === limit) {
        isAtEnd = false;
        break;
      }
      const state = stateOfNumber(number);
      if (isWaiting(state) && !hasRetry) members.set(id, noAttempts);
      else if (state === "sending") settled.push(lost(id));
      takenUpTo = id;
    }
  }
  return { members, settled, takenUpTo, isAtEnd };
}

/** Gives the members to the process, except erased ones. null: none is left. */
async function assign(
  db: Db,
  given: Given,
  mailing: MailingRow,
  found: TakenRows,
  takenUpTo: SubscriberId,
  resultsBefore: number | null = null,
): Promise<Batch | null> {
  const recipients = await mergeDataOf(db, given.account, [...found.members.keys()]);
  const known = new Set(recipients.map(({ subscriber }) => subscriber));
  const gone = [...found.members.keys()].filter((id) => !known.has(id));
  const states = await statesOf(db, given, gone);
  const settled = [...found.settled, ...gone.map((id) => erased(id, states.get(id) ?? "queued"))];
  const moves = settled.map(({ from, state }) => ({ from, to: state }));
  await saveSettled(db, given, given.now, settled);
  if (unknownAmong(found) > 0) await publishDraft(db, given);
  // A mailing that only waits for deferred recipients is looked at often, and must not write each time.
  if (settled.length > 0 || takenUpTo !== mailing.takenUpTo)
    await saveMailing(db, given, { ...counted(mailing, moves), takenUpTo });
  if (recipients.length === 0) return null;
  const kept: Members = new Map(
    recipients.map(({ subscriber }) => [subscriber, found.members.get(subscriber) ?? noAttempts]),
  );
  return { id: await insertBatch(db, given, given, kept, resultsBefore), recipients };
}

/**
 * No recipient is left after the last one taken. If other processes still have a batch, or a recipient is to
 * be tried again later, the mailing goes on. If the counters say that a recipient was missed, such as a
 * deferred subscriber who was erased, the recipients are walked again. Not in a mailing that was cancelled,
 * and sent again to recipients that were put back: the others stay queued. Returns how many became unknown.
 */
async function end(db: Db, given: Given): Promise<number> {
  const { account, campaign, now } = given;
  if ((await hasBatch(db, given)) || (await db.get(someRetry, account, campaign)) !== null) return 0;
  let mailing = await lockMailing(db, given);
  const wasCancelled = mailing?.takenUpTo === ONLY_PUT_BACK;
  let unknown = 0;
  if (wasCancelled && mailing !== null && mailing.sending > 0) {
    unknown = await giveUpSending(db, given);
    mailing = await lockMailing(db, given);
  }
  if (mailing === null) return unknown;
  const isDone = leftOf(mailing) === 0 || mailing.takenUpTo === 0;
  const state: StateAfter<"finish"> = isDone ? "finished" : "cancelled";
  const endedAt = isDone ? now : (mailing.endedAt ?? now);
  if (isDone || wasCancelled) await saveMailing(db, given, { ...mailing, state, endedAt });
  else await saveMailing(db, given, { ...mailing, takenUpTo: 0 });
  if (isDone || wasCancelled) await restoreEarlier(db, { account, campaign, now });
  return unknown;
}
