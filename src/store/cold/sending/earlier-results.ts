/**
 * What recipients were before an operator put them back. If the mailing ends before they are sent to, they
 * become that again: an unknown recipient may have the message, and a failed one has the relay's words. An
 * attempt that was deferred or did not reach the relay does not change this. The rows of recipients that have
 * an end since are of no use, and are dropped. The mailing must be locked.
 */
import type { Audited } from "#domain/access/audit.ts";
import { restoreRecipientsJob } from "#domain/job/kinds.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import { hasEnded } from "#domain/sending/mailing.ts";
import { stateNumber, stateOfNumber } from "#domain/sending/recipient.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { JOB_STEP, STEP } from "../../writes/step-limits.ts";
import { dropJob, startJob } from "../jobs/started-jobs.ts";
import type { Db } from "../kit/db.ts";
import type { Dialect } from "../kit/dialect.ts";
import { change, integer, type RowOf, statement } from "../kit/statement.ts";
import { dropEarlier, dropReplies, dropRetries, recipientKey } from "../ledger/recipient-rows.ts";
import { isWaiting } from "../ledger/results.ts";
import { lockMailing } from "./mailing-row.ts";

const keep = change(
  (dialect) => `
   INSERT INTO recipient_earlier (account_id, campaign_id, subscriber_id, state, at, code, reply)
   SELECT
     r.account_id, r.campaign_id, r.subscriber_id, r.state, r.at, r.code,
     (
       SELECT y.reply
       FROM recipient_reply AS y
       WHERE y.account_id = $1 AND y.campaign_id = $2 AND y.subscriber_id = r.subscriber_id
     )
   FROM recipient AS r
   WHERE r.account_id = $1 AND r.campaign_id = $2 AND ${dialect.isIn("r.subscriber_id", "$3")}
   ON CONFLICT ${recipientKey(dialect)} DO UPDATE SET
     state = excluded.state, at = excluded.at, code = excluded.code, reply = excluded.reply`,
);
/** Of recipients that are about to be put back. */
export const keepEarlier = (db: Db, { account, campaign }: OfMailing, ids: readonly SubscriberId[]) =>
  db.run(keep, account, campaign, ids);

const insertRetries = change(
  ({ isIn }) => `
   INSERT INTO recipient_retry (account_id, campaign_id, subscriber_id, due_at, attempts, since)
   SELECT account_id, campaign_id, subscriber_id, $4, 0, 0
   FROM recipient
   WHERE account_id = $1 AND campaign_id = $2 AND ${isIn("subscriber_id", "$3")}
   ON CONFLICT DO NOTHING`,
);
/** They are taken next, unless they are to be tried again already. */
export const tryNow = (db: Db, { account, campaign }: OfMailing, ids: readonly SubscriberId[], now: number) =>
  db.run(insertRetries, account, campaign, ids, now);

const kept = { id: integer, earlier: integer, state: integer };
const keptOf = ({ lookUp }: Dialect, condition: string): string => `
   SELECT e.subscriber_id AS id, e.state AS earlier, r.state
   FROM recipient_earlier AS e
   ${lookUp("recipient", "r", "r.account_id = $1 AND r.campaign_id = $2 AND r.subscriber_id = e.subscriber_id")}
   WHERE e.account_id = $1 AND e.campaign_id = $2 AND ${condition}`;
const following = statement(
  kept,
  (dialect) => `${keptOf(dialect, "e.subscriber_id > $3")}
   ORDER BY e.subscriber_id
   LIMIT $4 + 0`,
);
const among = statement(kept, (dialect) => keptOf(dialect, dialect.isIn("e.subscriber_id", "$3")));

const restore = change(
  (dialect) => `
   INSERT INTO recipient (account_id, campaign_id, subscriber_id, state, at, code)
   SELECT account_id, campaign_id, subscriber_id, state, at, code
   FROM recipient_earlier
   WHERE account_id = $1 AND campaign_id = $2 AND ${dialect.isIn("subscriber_id", "$3")}
   ON CONFLICT ${recipientKey(dialect)} DO UPDATE SET state = excluded.state, at = excluded.at, code = excluded.code`,
);
const restoreReplies = change(
  ({ isIn }) => `
   INSERT INTO recipient_reply (account_id, campaign_id, subscriber_id, reply)
   SELECT account_id, campaign_id, subscriber_id, reply
   FROM recipient_earlier
   WHERE account_id = $1 AND campaign_id = $2 AND ${isIn("subscriber_id", "$3")} AND reply IS NOT NULL`,
);
const count = change(
  `UPDATE mailing SET failed = failed + $3, unknown = unknown + $4, deferred = deferred - $5
   WHERE account_id = $1 AND campaign_id = $2`,
);

/** Returns how many rows were dropped. Rows of recipients that are being sent stay. */
async function restoreRows(db: Db, { account, campaign }: OfMailing, rows: readonly RowOf<typeof kept>[]) {
  const waiting = rows.filter(({ state }) => isWaiting(stateOfNumber(state)));
  if (waiting.length > 0) {
    const of = [account, campaign, waiting.map(({ id }) => id)] as const;
    await db.run(restore, ...of);
    await db.run(dropReplies, ...of);
    await db.run(restoreReplies, ...of);
    await db.run(dropRetries, ...of);
    const failed = waiting.filter(({ earlier }) => earlier === stateNumber("failed")).length;
    const deferred = waiting.filter(({ state }) => state === stateNumber("deferred")).length;
    await db.run(count, account, campaign, failed, waiting.length - failed, deferred);
  }
  const over = rows.filter(({ state }) => state !== stateNumber("sending")).map(({ id }) => id);
  if (over.length > 0) await db.run(dropEarlier, account, campaign, over);
  return over.length;
}

/** Of a mailing that was cancelled: which of these wait again, after an attempt that was under way. */
export async function restoreAmong(db: Db, of: OfMailing, ids: readonly SubscriberId[]): Promise<void> {
  if (ids.length > 0) await restoreRows(db, of, await db.all(among, of.account, of.campaign, ids));
}

/** `after` is the last recipient that was looked at; null at the end. */
async function restoreSome(db: Db, of: OfMailing, after: SubscriberId) {
  const rows = await db.all(following, of.account, of.campaign, after, JOB_STEP);
  return { after: rows[JOB_STEP - 1]?.id ?? null, done: await restoreRows(db, of, rows) };
}

/**
 * Of a mailing that sends only to recipients that were put back, in a restored database: it does not know who
 * was in a batch.
 */
export async function tryEarlierAgain(db: Db, of: OfMailing, now: number): Promise<void> {
  for (let after: SubscriberId | null = 0; after !== null; ) {
    const rows: readonly RowOf<typeof kept>[] = await db.all(following, of.account, of.campaign, after, STEP);
    const waiting = rows.filter(({ state }) => isWaiting(stateOfNumber(state))).map(({ id }) => id);
    if (waiting.length > 0) await tryNow(db, of, waiting, now);
    after = rows[STEP - 1]?.id ?? null;
  }
}

/** A step of the job. It ends if the mailing is being sent again. */
export async function restoreStep(db: Db, of: OfMailing, after: SubscriberId) {
  const mailing = await lockMailing(db, of);
  if (mailing === null || !hasEnded(mailing.state)) return { after: null, done: 0 };
  return await restoreSome(db, of, after);
}

/**
 * Of a mailing that ends: the first ones, and a job for the others. `isLeft`: there are others. `done` is 0
 * if there was none.
 */
export async function restoreEarlier(
  db: Db,
  { account, campaign, now, audit }: OfMailing & Audited & { readonly now: number },
): Promise<{ readonly isLeft: boolean; readonly done: number }> {
  const { after, done } = await restoreSome(db, { account, campaign }, 0);
  if (after === null) return { isLeft: false, done };
  await startJob(db, {
    ...{ name: restoreRecipientsJob(campaign), kind: "restore-recipients", account, args: { campaign } },
    ...{ progress: { after }, done, total: null, at: now, lease: null, audit },
  });
  return { isLeft: true, done };
}
/** By a command of an operator, which also does what an interrupted job has left. */
export async function restoreByCommand(db: Db, given: Parameters<typeof restoreEarlier>[1]) {
  const restored = await restoreEarlier(db, given);
  if (!restored.isLeft) await dropJob(db, restoreRecipientsJob(given.campaign), given.now);
  return restored;
}
