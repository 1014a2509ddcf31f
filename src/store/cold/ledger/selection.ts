/**
 * Starts a mailing, and selects its recipients in batches: everybody who is active on an included list, on no
 * excluded one, and matches the filter. Each list is walked in order of id. A subscriber who is on two lists,
 * or was selected before an interruption, is selected once.
 */
import { type JobKinds, selectRecipientsJob } from "#domain/job/kinds.ts";
import type { Ledger } from "#domain/ports/sending/ledger.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import {
  type Audience,
  holdReasons,
  type MailingState,
  mayChange,
  OVERDUE_MS,
  type StateAfter,
} from "#domain/sending/mailing.ts";
import { stateNumber } from "#domain/sending/recipient.ts";
import { goneOf } from "#domain/subscriber/filter.ts";
import { STEP } from "../../writes/step-limits.ts";
import { startJob } from "../jobs/started-jobs.ts";
import type { Db } from "../kit/db.ts";
import { change, integer, json, statement } from "../kit/statement.ts";
import { lastVisited, nextRecipients } from "../sending/audience.ts";
import { idRows } from "../subscribers/by-ids.ts";
import { knownTo, matchingIn } from "../subscribers/filter.ts";
import { lockMailing, type MailingRow, saveMailing } from "./mailing-lock.ts";

const contents = statement(
  {
    lists: json<Audience["lists"]>(),
    excludedLists: json<Audience["excludedLists"]>(),
    filter: json<Audience["filter"]>(),
  },
  `SELECT included_lists AS lists, excluded_lists AS "excludedLists", filter
   FROM campaign_content
   WHERE account_id = $1 AND campaign_id = $2`,
);
const QUEUED = `CAST($1 AS bigint), CAST($6 AS bigint), s.id, ${stateNumber("queued")}, CAST($7 AS bigint)`;
const INTO = "INSERT INTO recipient (account_id, campaign_id, subscriber_id, state, at)";
const insert = change(
  (dialect) => `${INTO} SELECT ${QUEUED} ${nextRecipients(dialect)} ON CONFLICT DO NOTHING`,
);
const idsOfNext = statement({ id: integer }, (dialect) => `SELECT s.id ${nextRecipients(dialect)}`);
const insertSome = change(
  ({ table }) => `
   ${INTO}
   SELECT CAST($1 AS bigint), CAST($2 AS bigint), n.id, ${stateNumber("queued")}, CAST($4 AS bigint)
   FROM ${table("$3", { id: "integer" })} AS n
   WHERE true
   ON CONFLICT DO NOTHING`,
);

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
  const given = [account, list, position.after, STEP, content.excludedLists] as const;
  const [done, last] = await Promise.all([
    content.filter.length === 0 ? db.run(insert, ...given, campaign, at) : insertMatching(),
    db.get(lastVisited, account, list, position.after, STEP - 1),
  ]);
  const changed = { ...mailing, selected: mailing.selected + done };
  if (last !== null || position.list + 1 < content.lists.length) {
    if (done > 0) await saveMailing(db, of, changed);
    const next = last === null ? { list: position.list + 1, after: 0 } : { ...position, after: last.id };
    return { next, done };
  }
  return { ...(await finish(db, of, changed, now)), done };

  async function insertMatching(): Promise<number> {
    const matching = await matchingIn(db, account, content?.filter ?? []);
    const ids = await matching((await db.all(idsOfNext, ...given)).map(({ id }) => id));
    return ids.size === 0 ? 0 : await db.run(insertSome, account, campaign, idRows([...ids]), at);
  }
}

async function finish(db: Db, of: OfMailing, mailing: MailingRow, now: number) {
  const isEmpty = mailing.selected === 0;
  const state: StateAfter<"select"> = isEmpty ? "finished" : "sending";
  const endedAt = isEmpty ? now : null;
  await saveMailing(db, of, { ...mailing, state, startedAt: now, endedAt, takenUpTo: 0 });
  return { next: null, done: 0 };
}

/**
 * Of a mailing that is due. One whose start was missed, or whose filter would leave everybody out because of
 * what does not exist any more, waits for a person.
 */
export async function beginMailing(db: Db, given: Parameters<Ledger["begin"]>[0]): Promise<MailingState> {
  const { account, campaign, now } = given;
  const mailing = await lockMailing(db, given);
  if (mailing === null) return "cancelled";
  const { state, scheduledAt } = mailing;
  if (!mayChange("begin", state) || scheduledAt === null || scheduledAt > now) return state;
  const filter = (await db.get(contents, account, campaign))?.filter ?? [];
  const gone = goneOf(filter, await knownTo(db, account, filter));
  const isOverdue = now - scheduledAt > OVERDUE_MS;
  const reason = gone.length > 0 ? holdReasons.gone(gone) : isOverdue ? holdReasons.overdue : null;
  const after: StateAfter<"begin"> = reason === null ? "selecting" : "held";
  await saveMailing(db, given, { ...mailing, state: after, reason });
  if (reason !== null) return after;
  await startJob(db, {
    ...{ name: selectRecipientsJob(campaign), kind: "select-recipients", account, args: { campaign } },
    ...{ progress: null, done: 0, total: null, at: now, lease: null },
  });
  return after;
}
