/**
 * Puts failed or unknown recipients back, in batches, because an operator asked for it: somebody who is
 * `unknown` may get the campaign twice.
 */
import type { Audited } from "../../../../domain/access/audit.ts";
import type { Lease, LeaseRequest } from "../../../../domain/job/job.ts";
import { retryRecipientsJob } from "../../../../domain/job/kinds.ts";
import type { OfMailing } from "../../../../domain/ports/sending/mailings.ts";
import { noAttempts } from "../../../../domain/sending/delivery.ts";
import { type RetriedState, stateNumber, stateOfNumber } from "../../../../domain/sending/recipient.ts";
import type { SubscriberId } from "../../../../domain/subscriber/subscriber.ts";
import { STEP } from "../../../writes/step.ts";
import { startJob } from "../../jobs/started-jobs.ts";
import type { Db } from "../../kit/db.ts";
import { change, integer, statement } from "../../kit/statement.ts";
import { counted, lockMailing, saveMailing } from "./mailing-lock.ts";
import { type Settled, saveSettled } from "./recipient-rows.ts";

/** The most rows that one step visits; it puts back at most `STEP` of them. */
const VISITS = 10_000;

/** The last row that a step may visit; none if it comes to the end. */
const endOfVisit = statement(
  { id: integer },
  `SELECT subscriber_id AS id
   FROM recipient
   WHERE account_id = $1 AND campaign_id = $2 AND subscriber_id > $3
   ORDER BY subscriber_id
   LIMIT 1 OFFSET $4`,
);
const found = statement(
  { id: integer, state: integer },
  ({ isIn }) => `
   SELECT subscriber_id AS id, state
   FROM recipient
   WHERE account_id = $1 AND campaign_id = $2 AND subscriber_id > $3 AND subscriber_id <= $4
     AND ${isIn("state", "$5")}
   ORDER BY subscriber_id
   LIMIT $6 + 0`,
);
const dropReplies = change(
  ({ isIn }) => `
   DELETE FROM recipient_reply WHERE account_id = $1 AND campaign_id = $2 AND ${isIn("subscriber_id", "$3")}`,
);

interface Retry extends OfMailing {
  readonly states: readonly RetriedState[];
}

/** Creates the job. The process that asks for it gets the lease. */
export const startRetry = (
  db: Db,
  {
    account,
    campaign,
    states,
    now,
    lease,
    audit,
    total,
  }: Retry & Audited & { readonly now: number; readonly lease: LeaseRequest; readonly total: number | null },
): Promise<Lease> =>
  startJob(db, {
    name: retryRecipientsJob(campaign),
    kind: "retry-recipients",
    account,
    args: { campaign, states },
    progress: null,
    done: 0,
    total,
    at: now,
    lease,
    ...(audit === undefined ? {} : { audit }),
  });

/**
 * One step of the job: `after` is the last row that was visited, null at the end. A mailing that is finished is
 * sent again. One that was cancelled is not.
 */
export async function retryRecipients(
  db: Db,
  of: Retry,
  after: SubscriberId,
  now: number,
): Promise<{ readonly after: SubscriberId | null; readonly done: number }> {
  const { account, campaign, states } = of;
  const mailing = await lockMailing(db, of);
  if (mailing === null || mailing.state === "cancelled") return { after: null, done: 0 };
  const end = (await db.get(endOfVisit, account, campaign, after, VISITS - 1))?.id ?? null;
  const last = end ?? Number.MAX_SAFE_INTEGER;
  const rows = await db.all(found, account, campaign, after, last, states.map(stateNumber), STEP);
  if (rows.length === 0) return { after: end, done: 0 };
  const settled = rows.map(
    ({ id, state }): Settled => ({
      ...{ id, from: stateOfNumber(state), state: "queued", code: null, reply: null, isHardBounce: false },
      retry: { ...noAttempts, dueAt: now },
    }),
  );
  const moves = settled.map(({ from, state }) => ({ from, to: state }));
  const isSentAgain = mailing.state === "finished";
  const again = isSentAgain ? ({ state: "sending", endedAt: null } as const) : {};
  await Promise.all([
    saveSettled(db, of, now, settled),
    db.run(
      dropReplies,
      account,
      campaign,
      settled.map(({ id }) => id),
    ),
    saveMailing(db, of, { ...counted(mailing, moves), ...again }),
  ]);
  return { after: rows.length < STEP ? end : (rows.at(-1)?.id ?? null), done: rows.length };
}
