/**
 * Takes recipients in batches: first those of a process that has lost its lease, then those to be tried
 * again, then the next ones in order of id. If nothing is left, the mailing is finished. The lock on the
 * mailing makes sure that nobody gets the same recipients.
 */
import type { Batch, Ledger, Taken } from "../../../../domain/ports/sending/ledger.ts";
import type { MergeData, OfMailing } from "../../../../domain/ports/sending/mailings.ts";
import { noAttempts } from "../../../../domain/sending/delivery.ts";
import { mailingStates } from "../../../../domain/sending/mailing.ts";
import { LONGEST_RETRY_WAIT_MS, stateOfNumber } from "../../../../domain/sending/recipient.ts";
import type { SubscriberId } from "../../../../domain/subscriber/subscriber.ts";
import type { Db } from "../../kit/db.ts";
import { boolean, integer, nullable, oneOf, statement } from "../../kit/statement.ts";
import { giveUpSending, ONLY_PUT_BACK } from "../batches.ts";
import { restoreEarlier } from "../earlier-results.ts";
import { mergeDataOf } from "../merge-data.ts";
import { lockIfDraft, publishDraft } from "../publication.ts";
import { dropBatch, expiredBatch, hasBatch, insertBatch, type Members } from "./batch-rows.ts";
import { counted, isSending, leftOf, lockMailing, type MailingRow, saveMailing } from "./mailing-lock.ts";
import { erased, lost, type Settled, saveSettled, statesOf, takeRetries } from "./recipient-rows.ts";
import { isWaiting } from "./results.ts";

/** Most mailings that wait are answered by this: it locks nothing. */
const glance = statement(
  { state: oneOf(mailingStates), waitsUntil: nullable(integer) },
  `SELECT state, waits_until AS "waitsUntil" FROM mailing WHERE account_id = $1 AND campaign_id = $2`,
);
/** Between two times. Up to the cursor: who comes after it would be found by the walk as well. */
const retriesBetween = statement(
  { id: integer, attempts: integer, since: integer },
  `SELECT subscriber_id AS id, attempts, since
   FROM recipient_retry
   WHERE account_id = $1 AND campaign_id = $2 AND due_at > $3 AND due_at <= $4
     AND subscriber_id + 0 <= $6
   ORDER BY due_at, subscriber_id
   LIMIT $5 + 0`,
);
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
const MOST_VISITS = 20_000;
/** The most expired batches that one transaction looks at. */
const MOST_BATCHES = 20;

/** What a transaction has found so far. */
interface TakenRows {
  readonly members: Members;
  readonly settled: readonly Settled[];
}
const nothing = (): TakenRows => ({ members: new Map(), settled: [] });

type Given = Parameters<Ledger["take"]>[0];

const nothingTaken: Taken = { batch: null, unknown: 0 };
const unknownAmong = ({ settled }: TakenRows): number =>
  settled.filter(({ state }) => state === "unknown").length;

export async function take(db: Db, given: Given): Promise<Taken> {
  const { account, campaign, now } = given;
  const seen = await db.get(glance, account, campaign);
  if (seen === null || !isSending(seen, now)) return nothingTaken;
  await lockIfDraft(db, given);
  const mailing = await lockMailing(db, given);
  if (mailing === null || !isSending(mailing, now)) return nothingTaken;

  const left = await takeOver(db, given);
  if (left.members.size > 0)
    return {
      batch: await hand(db, given, mailing, left, mailing.takenUpTo),
      unknown: unknownAmong(left),
    };
  const again = await retries(db, given, mailing.takenUpTo);
  const next = await walk(db, given, mailing.takenUpTo, given.limit - again.members.size);
  const found: TakenRows = {
    members: new Map([...again.members, ...next.members]),
    settled: [...left.settled, ...again.settled, ...next.settled],
  };
  const batch = await hand(db, given, mailing, found, next.takenUpTo);
  const unreported = batch === null && next.isAtEnd ? await end(db, given) : 0;
  return { batch, unknown: unknownAmong(found) + unreported };
}

/** Members that wait are kept; nobody will report the results of those that were being sent. */
async function sort(db: Db, of: OfMailing, members: Members): Promise<TakenRows> {
  const states = await statesOf(db, of, [...members.keys()]);
  const waiting = [...members].filter(([id]) => isWaiting(states.get(id)));
  const unfinished = [...members.keys()].filter((id) => states.get(id) === "sending");
  return { members: new Map(waiting), settled: unfinished.map(lost) };
}

/** Batches whose lease has expired, up to the first of which somebody is left. */
async function takeOver(db: Db, given: Given): Promise<TakenRows> {
  const settled: Settled[] = [];
  for (let seen = 0; seen < MOST_BATCHES; seen += 1) {
    const batch = await expiredBatch(db, given, given.now);
    if (batch === null) break;
    await dropBatch(db, given.account, batch.id);
    const found = await sort(db, given, batch.members);
    settled.push(...found.settled);
    if (found.members.size > 0) return { members: found.members, settled };
  }
  return { ...nothing(), settled };
}

/** Who is due, and who waits for longer than anybody does: the clock was wrong, also at the first attempt. */
async function retries(db: Db, given: Given, takenUpTo: SubscriberId): Promise<TakenRows> {
  const { account, campaign, now, limit } = given;
  const between = (after: number, to: number, most: number) =>
    db.all(retriesBetween, account, campaign, after, to, most, takenUpTo);
  const rows = [...(await between(-1, now, limit))];
  // Two ranges of the index: one condition for both would visit all who wait.
  if (rows.length < limit)
    rows.push(...(await between(now + LONGEST_RETRY_WAIT_MS, Number.MAX_SAFE_INTEGER, limit - rows.length)));
  if (rows.length === 0) return nothing();
  const due = new Map(rows.map(({ id, attempts, since }) => [id, { attempts, since: Math.min(since, now) }]));
  await takeRetries(db, given, [...due.keys()]);
  return await sort(db, given, due);
}

/**
 * Recipients after the last one that was taken. Those that have ended, or wait to be tried again, are passed.
 */
async function walk(
  db: Db,
  { account, campaign }: OfMailing,
  from: SubscriberId,
  limit: number,
): Promise<TakenRows & { readonly takenUpTo: SubscriberId; readonly isAtEnd: boolean }> {
  const members: Members = new Map();
  const settled: Settled[] = [];
  let takenUpTo = from;
  let isAtEnd = false;
  let size = limit;
  for (let visited = 0; members.size < limit && !isAtEnd && visited < MOST_VISITS; visited += size) {
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

/** Gives the members to the process, except those who were erased. null: nobody is left. */
async function hand(
  db: Db,
  given: Given,
  mailing: MailingRow,
  found: TakenRows,
  takenUpTo: SubscriberId,
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
  return recipients.length === 0 ? null : await newBatch(db, given, found.members, recipients);
}

async function newBatch(
  db: Db,
  given: Given,
  members: Members,
  recipients: readonly MergeData[],
): Promise<Batch> {
  const kept: Members = new Map(
    recipients.map(({ subscriber }) => [subscriber, members.get(subscriber) ?? noAttempts]),
  );
  return { id: await insertBatch(db, given, given, kept), recipients };
}

/**
 * Nobody is left after the last one that was taken. If others still have a batch, or somebody is to be tried
 * again later, the mailing goes on. If the counters say that somebody was missed, such as a deferred
 * subscriber who was erased, the recipients are walked again. Not in a mailing that was cancelled, and sent
 * again to those who were put back: the others stay queued. Returns how many became unknown.
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
  if (isDone) await saveMailing(db, given, { ...mailing, state: "finished", endedAt: now });
  else if (wasCancelled) await saveMailing(db, given, { ...mailing, state: "cancelled", endedAt: now });
  else await saveMailing(db, given, { ...mailing, takenUpTo: 0 });
  if (isDone || wasCancelled) await restoreEarlier(db, { account, campaign, now });
  return unknown;
}
