/**
 * Starts a mailing, and selects its recipients in batches: everybody who is active on an included list and on
 * no excluded one. Each list is walked in order of id. A subscriber who is on two lists, or was selected
 * before an interruption, is selected once.
 */
import { type JobKinds, selectRecipientsJob } from "#domain/job/kinds.ts";
import type { Ledger } from "#domain/ports/sending/ledger.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import {
  type CampaignContent,
  holdReasons,
  type MailingState,
  mayChange,
  OVERDUE_MS,
  type StateAfter,
} from "#domain/sending/mailing.ts";
import { stateNumber } from "#domain/sending/recipient.ts";
import { COUNTED } from "../../reads/who-counts.ts";
import { STEP } from "../../writes/step-limits.ts";
import { startJob } from "../jobs/started-jobs.ts";
import type { Db } from "../kit/db.ts";
import { change, json, statement } from "../kit/statement.ts";
import { rowAfter } from "../sending/ledger-pages.ts";
import { lockMailing, type MailingRow, saveMailing } from "./mailing-lock.ts";

const contents = statement(
  { lists: json<CampaignContent["lists"]>(), excludedLists: json<CampaignContent["excludedLists"]>() },
  `SELECT included_lists AS lists, excluded_lists AS "excludedLists"
   FROM campaign_content
   WHERE account_id = $1 AND campaign_id = $2`,
);
const insert = change(
  ({ exists, isIn, lookUp }) => `
   INSERT INTO recipient (account_id, campaign_id, subscriber_id, state, at)
   SELECT CAST($1 AS bigint), CAST($2 AS bigint), s.id, ${stateNumber("queued")}, CAST($6 AS bigint)
   FROM (
     SELECT subscriber_id, status
     FROM membership
     WHERE account_id = $1 AND list_id = $3 AND subscriber_id > $4
     ORDER BY subscriber_id
     LIMIT $5 + 0
   ) AS m ${lookUp("subscriber", "s", "s.account_id = $1 AND s.id = m.subscriber_id")}
   WHERE ${COUNTED} AND NOT ${exists(`
     SELECT 1 FROM membership AS x
     WHERE x.account_id = $1 AND x.subscriber_id = s.id AND ${isIn("x.list_id", "$7")}
   `)}
   ON CONFLICT DO NOTHING`,
);
/** The last member that a step has looked at; none if it came to the end of the list. */
const lastVisited = rowAfter("membership", "list_id");

/**
 * Where the selection continues: the position of the list, and the last of its members that was looked at.
 */
type SelectionProgress = JobKinds["select-recipients"]["progress"];

/** One step of the job. `next` is null at the end, also if the mailing was paused or cancelled meanwhile. */
export async function selectRecipients(
  db: Db,
  of: OfMailing,
  progress: SelectionProgress | null,
  now: number,
): Promise<{ readonly next: SelectionProgress | null; readonly done: number }> {
  const { account, campaign } = of;
  const mailing = await lockMailing(db, of);
  const content = await db.get(contents, account, campaign);
  if (mailing === null || !mayChange("select", mailing.state) || content === null)
    return { next: null, done: 0 };
  const position = progress ?? { list: 0, after: 0 };
  const list = content.lists[position.list];
  if (list === undefined) return await finish(db, of, mailing, now);
  const at = Math.floor(now / 1000);
  const [done, last] = await Promise.all([
    db.run(insert, account, campaign, list, position.after, STEP, at, content.excludedLists),
    db.get(lastVisited, account, list, position.after, STEP - 1),
  ]);
  const changed = { ...mailing, selected: mailing.selected + done };
  if (last !== null || position.list + 1 < content.lists.length) {
    if (done > 0) await saveMailing(db, of, changed);
    const next = last === null ? { list: position.list + 1, after: 0 } : { ...position, after: last.id };
    return { next, done };
  }
  return { ...(await finish(db, of, changed, now)), done };
}

async function finish(db: Db, of: OfMailing, mailing: MailingRow, now: number) {
  const isEmpty = mailing.selected === 0;
  const state: StateAfter<"select"> = isEmpty ? "finished" : "sending";
  const endedAt = isEmpty ? now : null;
  await saveMailing(db, of, { ...mailing, state, startedAt: now, endedAt, takenUpTo: 0 });
  return { next: null, done: 0 };
}

/** Of a mailing that is due. One whose start was missed waits for a person. */
export async function beginMailing(db: Db, given: Parameters<Ledger["begin"]>[0]): Promise<MailingState> {
  const { account, campaign, now } = given;
  const mailing = await lockMailing(db, given);
  if (mailing === null) return "cancelled";
  const { state, scheduledAt } = mailing;
  if (!mayChange("begin", state) || scheduledAt === null || scheduledAt > now) return state;
  const isOverdue = now - scheduledAt > OVERDUE_MS;
  const after: StateAfter<"begin"> = isOverdue ? "held" : "selecting";
  await saveMailing(db, given, { ...mailing, state: after, reason: isOverdue ? holdReasons.overdue : null });
  if (isOverdue) return after;
  await startJob(db, {
    ...{ name: selectRecipientsJob(campaign), kind: "select-recipients", account, args: { campaign } },
    ...{ progress: null, done: 0, total: null, at: now, lease: null },
  });
  return after;
}
