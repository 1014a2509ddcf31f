/**
 * Puts failed or unknown recipients back, so that they are sent to once more: recipients that may still get
 * the message, by the rule that decides just before it is sent. Only an operator asks for it: a recipient
 * that is `unknown` may get the campaign twice. What they were is kept (`earlier-results.ts`). The ledger is
 * walked in batches, first by the command itself, then by a job. Where nobody may get it, nothing changes.
 */
import { restoreRecipientsJob, retryRecipientsJob } from "#domain/job/kinds.ts";
import type { Mailings, OfMailing } from "#domain/ports/sending/mailings.ts";
import {
  type Mailing,
  type MailingState,
  mayChange,
  mayRetry,
  type StateAfter,
} from "#domain/sending/mailing.ts";
import { type RetriedState, stateNumber } from "#domain/sending/recipient.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { JOB_STEP } from "../../writes/step-limits.ts";
import { dropJob, leaveRest } from "../jobs/started-jobs.ts";
import { auditing } from "../kit/auditing.ts";
import type { Db } from "../kit/db.ts";
import { change, integer, nullable, statement, text } from "../kit/statement.ts";
import { dropReplies } from "../ledger/recipient-rows.ts";
import { whoMayStart } from "../ledger/starts.ts";
import { leaveOutDeferred, leaveOutQueued } from "./batches.ts";
import { keepEarlier, restoreByCommand, tryNow } from "./earlier-results.ts";
import { lastVisited } from "./ledger-pages.ts";
import {
  anyVersion,
  composedToChange,
  findMailing,
  lockMailing,
  requireContentVersion,
} from "./mailing-row.ts";

const wanted = statement(
  { subscriber: integer, address: text, state: integer },
  ({ isIn, lookUp }) => `
   SELECT r.subscriber_id AS subscriber, s.address, r.state
   FROM recipient AS r ${lookUp("subscriber", "s", "s.account_id = $1 AND s.id = r.subscriber_id")}
   WHERE r.account_id = $1 AND r.campaign_id = $2 AND r.subscriber_id > $3 AND r.subscriber_id <= $4
     AND ${isIn("r.state", "$5")}
   ORDER BY r.subscriber_id
   LIMIT $6 + 0`,
);
const queue = change(
  ({ isIn }) => `
   UPDATE recipient SET state = ${stateNumber("queued")}, at = $4, code = NULL
   WHERE account_id = $1 AND campaign_id = $2 AND ${isIn("subscriber_id", "$3")}`,
);
const count = change(
  `UPDATE mailing SET failed = failed - $3, unknown = unknown - $4 WHERE account_id = $1 AND campaign_id = $2`,
);

interface PutBack {
  /** The last recipient that was looked at; null at the end. */
  readonly after: SubscriberId | null;
  /** How many were found. */
  readonly done: number;
  /** How many of them were put back. */
  readonly queued: number;
}

type Given = OfMailing & { readonly states: readonly RetriedState[]; readonly now: number };

/**
 * Looks at the recipients after one, in order of id. The mailing must be locked. One that was cancelled sends
 * nothing before those whom the cancellation left out are left out for good; if there are many of them,
 * `after` stays as it is.
 */
async function putBack(db: Db, mailing: Mailing, given: Given, after: SubscriberId): Promise<PutBack> {
  const { account, campaign, states, now } = given;
  const end = await lastVisited(db, given, after);
  const numbers = states.map(stateNumber);
  const upTo = end ?? Number.MAX_SAFE_INTEGER;
  const look = async () => {
    const found = await db.all(wanted, account, campaign, after, upTo, numbers, JOB_STEP);
    return { found, able: await whoMayStart(db, given, found) };
  };
  let { found, able } = await look();
  if (able.size > 0 && mailing.state === "cancelled") {
    await leaveOutQueued(db, mailing, now);
    if (!(await leaveOutDeferred(db, given))) return { after, done: 0, queued: 0 };
    // What was being sent may be unknown now.
    ({ found, able } = await look());
  }
  const ids = [...able];
  if (ids.length > 0) {
    await keepEarlier(db, given, ids);
    await db.run(queue, account, campaign, ids, Math.floor(now / 1000));
    await db.run(dropReplies, account, campaign, ids);
    await tryNow(db, given, ids, now);
    const isFailed = ({ subscriber, state }: (typeof found)[number]): boolean =>
      able.has(subscriber) && state === stateNumber("failed");
    const failed = found.filter(isFailed).length;
    await db.run(count, account, campaign, failed, ids.length - failed);
  }
  return { after: found[JOB_STEP - 1]?.subscriber ?? end, done: found.length, queued: ids.length };
}

const reopen = change(
  `UPDATE mailing SET
     state = '${"sending" satisfies StateAfter<"retry">}', reason = NULL, waits_until = NULL, relay_failures = 0,
     ended_at = CASE state WHEN '${"cancelled" satisfies MailingState}' THEN ended_at END
   WHERE account_id = $1 AND campaign_id = $2`,
);

/**
 * A step of the job. A campaign whose first recipients had an end before the others were put back goes on.
 */
export async function retryStep(db: Db, given: Given, after: SubscriberId) {
  const mailing = await lockMailing(db, given);
  if (mailing === null || !mayRetry(mailing)) return { after: null, done: 0, queued: 0 };
  const position = await putBack(db, mailing, given, after);
  if (position.queued > 0 && mayChange("retry", mailing.state))
    await db.run(reopen, given.account, given.campaign);
  return position;
}

/** The account is compared below, so that the index of the names is used and not that of the account. */
const leftRetries = statement(
  { name: text, account: nullable(integer) },
  ({ isIn }) =>
    `SELECT name, account_id AS account FROM job WHERE ${isIn("name", "$1")} AND ended_at IS NULL`,
);
export async function retryingOf(db: Db, { account, campaigns }: Parameters<Mailings["retrying"]>[0]) {
  const left = await db.all(leftRetries, campaigns.map(retryRecipientsJob));
  const names = new Set(left.filter((job) => job.account === account).map(({ name }) => name));
  return campaigns.filter((campaign) => names.has(retryRecipientsJob(campaign)));
}

const audited = auditing<Pick<Mailing, "state"> & { readonly retried: string | null }>("campaign", [
  "state",
  "retried",
]);

export async function retryRecipients(
  db: Db,
  given: Parameters<Mailings["retry"]>[0],
): ReturnType<Mailings["retry"]> {
  const { account, campaign, states, now, lease, audit } = given;
  const composed = await composedToChange(db, given);
  requireContentVersion(audit, composed);
  if (composed === null) return null;
  if (!mayRetry(composed.mailing)) return { wrongState: composed.mailing };
  const wasCancelled = composed.mailing.state === "cancelled";
  // Recipients that the cancellation has yet to restore would be left out.
  if (wasCancelled && (await restoreByCommand(db, given)).isLeft) return { restoring: campaign };
  // Of a finished one, it only drops what is of no use; and the next end begins it again.
  if (!wasCancelled) await dropJob(db, restoreRecipientsJob(campaign), now);
  const before = (wasCancelled ? await findMailing(db, given) : null) ?? composed.mailing;
  const total = states.reduce((sum, state) => sum + before.counts[state], 0);
  const name = retryRecipientsJob(campaign);
  if (total === 0) {
    await dropJob(db, name, now);
    return { mailing: before, count: 0, job: null };
  }
  const { after: progress, done, queued } = await putBack(db, before, given, 0);
  if (queued > 0 && mayChange("retry", before.state)) await db.run(reopen, account, campaign);
  const isLeft = progress !== null && done < total;
  const job = await leaveRest(db, {
    ...{ name, kind: "retry-recipients", account, args: { campaign, states } },
    ...{ progress: isLeft ? { after: progress } : null, done, total, at: now, lease, audit },
  });
  if (queued === 0 && job === null) return { mailing: before, count: 0, job };
  const mailing = (await findMailing(db, given)) ?? before;
  const [from, to] = [
    { state: before.state, retried: null },
    { state: mailing.state, retried: states.join(", ") },
  ];
  await audited(db, { account, audit: anyVersion(audit) }, campaign, from, to);
  return { mailing, count: queued, job };
}
