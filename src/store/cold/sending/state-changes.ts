/**
 * What operators do with a mailing: schedule, pause, resume, cancel. Only the intent is stored; the processes
 * that serve read it before each message.
 */
import type { CampaignId } from "#domain/campaign.ts";
import { retryRecipientsJob } from "#domain/job/kinds.ts";
import type { Mailings } from "#domain/ports/sending/mailings.ts";
import {
  hasEnded,
  type Mailing,
  type MailingChange,
  mayChange,
  type StateAfter,
} from "#domain/sending/mailing.ts";
import { endJob } from "../jobs/job-row.ts";
import { leftJob } from "../jobs/started-jobs.ts";
import { auditing } from "../kit/auditing.ts";
import type { Db } from "../kit/db.ts";
import { statement } from "../kit/statement.ts";
import { giveUpUnreported, walkAgain } from "./batches.ts";
import { unknownIn } from "./content.ts";
import { restoreByCommand } from "./earlier-results.ts";
import {
  anyVersion,
  composedToChange,
  findMailing,
  MAILING,
  mailingRow,
  requireContentVersion,
  toMailing,
} from "./mailing-row.ts";
import { publishDraft } from "./publication.ts";

const update = statement(
  mailingRow,
  `UPDATE mailing SET
     state = $3, allows_http = $4, scheduled_at = $5, ended_at = $6, reason = $7, waits_until = NULL,
     relay_failures = 0
   WHERE account_id = $1 AND campaign_id = $2
   RETURNING ${MAILING}`,
);

const audited = auditing<Mailing>("campaign", ["state", "scheduledAt", "allowsHttp", "reason"]);

type Given = Parameters<Mailings["change"]>[0];
type Next = Pick<Mailing, "state" | "scheduledAt" | "allowsHttp" | "endedAt" | "reason">;

/**
 * What each change makes of a mailing. A mailing that was not started is scheduled again when it is resumed:
 * for its own time, or for now if that has passed.
 */
const next: {
  readonly [Change in MailingChange]: (
    before: Mailing,
    given: Given,
  ) => Next & { readonly state: StateAfter<Change> };
} = {
  schedule: (before, { at, allowsHttp }) => ({
    ...before,
    state: "scheduled",
    scheduledAt: at,
    allowsHttp: allowsHttp ?? before.allowsHttp,
    reason: null,
  }),
  unschedule: (before) => ({ ...before, state: "draft", scheduledAt: null, reason: null }),
  pause: (before, { reason = null }) => ({ ...before, state: "paused", reason }),
  resume: (before, { now, allowsHttp }) => ({
    ...before,
    ...(before.startedAt === null
      ? { state: "scheduled" as const, scheduledAt: Math.max(now, before.scheduledAt ?? now) }
      : { state: "sending" as const }),
    allowsHttp: allowsHttp ?? before.allowsHttp,
    reason: null,
  }),
  /** A retry of one that was cancelled before does not change when that was. */
  cancel: (before, { now }) => ({
    ...before,
    state: "cancelled",
    endedAt: before.endedAt ?? now,
    reason: null,
  }),
};

/** A held mailing that was started is resumed: scheduled, it would be selected again. */
const isPossible = (changed: MailingChange, { state, startedAt }: Mailing): boolean =>
  mayChange(changed, state) && !(changed === "schedule" && startedAt !== null);

/** Its next step would continue the mailing. Returns whether there was one. */
async function endRetry(db: Db, campaign: CampaignId, now: number): Promise<boolean> {
  const left = await leftJob(db, retryRecipientsJob(campaign));
  if (left !== null) await endJob(db, left, now, "cancelled");
  return left !== null;
}
/** What an interrupted job had to restore. null: nothing, or the mailing was not cancelled. */
async function restoreAgain(db: Db, given: Given, before: Mailing): Promise<Mailing | null> {
  if (!hasEnded(before.state)) return null;
  const { done, isLeft } = await restoreByCommand(db, given);
  return before.state === "cancelled" && (done > 0 || isLeft) ? await findMailing(db, given) : null;
}
const auditedRetry = auditing<{ readonly retried: string | null }>("campaign", ["retried"]);

export async function changeMailing(db: Db, given: Given): ReturnType<Mailings["change"]> {
  const { account, campaign: id, change: changed, audit } = given;
  const composed = await composedToChange(db, given);
  requireContentVersion(audit, composed);
  if (composed === null) return null;
  const before = composed.mailing;
  if (!isPossible(changed, before)) {
    // A retry of a mailing that has ended may not have put a recipient back yet.
    const isStopped = changed === "cancel" && hasEnded(before.state) && (await endRetry(db, id, given.now));
    if (!isStopped) {
      const restored = changed === "cancel" ? await restoreAgain(db, given, before) : null;
      return restored ?? { wrongState: before };
    }
    const [from, to] = [{ retried: "in progress" }, { retried: null }];
    await auditedRetry(db, { account, audit: anyVersion(audit) }, id, from, to);
    return before;
  }
  // Without a list that it excludes, the campaign would go to members who were to be left out.
  const unknown = changed === "schedule" ? await unknownIn(db, account, composed.content) : null;
  if (unknown !== null) return unknown;
  if (before.state === "held" && changed === "resume") await walkAgain(db, given);
  if (changed === "cancel") {
    await giveUpUnreported(db, before, given.now);
    await endRetry(db, id, given.now);
    await restoreByCommand(db, given);
  }
  const { state, allowsHttp, scheduledAt, endedAt, reason } = next[changed](before, given);
  const after = toMailing(await db.one(update, account, id, state, allowsHttp, scheduledAt, endedAt, reason));
  // Recipients that were being sent are unknown now, or in the backup that was restored.
  if (after.counts.unknown > 0) await publishDraft(db, given);
  await audited(db, { account, audit: anyVersion(audit) }, id, before, after);
  return after;
}
