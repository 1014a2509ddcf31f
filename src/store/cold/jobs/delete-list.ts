/** Deletes a list: its memberships in batches, then the list itself. The subscribers stay. */
import { deleteListJob } from "#domain/job/kinds.ts";
import { decideListDeletion } from "#domain/list-deletion.ts";
import type { DeletedList, DeleteList } from "#domain/ports/lists.ts";
import { isCounted, type SubscriberId } from "#domain/subscriber/subscriber.ts";
import { KNOWN, knownRow, toKnown, toSuppressions } from "#store/reads/rows.ts";
import { toStatus } from "#store/reads/who-counts.ts";
import { list } from "#store/tables/entities.ts";
import { JOB_STEP } from "../../writes/step-limits.ts";
import type { Db } from "../kit/db.ts";
import { byIdOf } from "../kit/of-account.ts";
import { change, integer, statement } from "../kit/statement.ts";
import { leaveRest } from "./started-jobs.ts";

const byId = byIdOf(list);
/**
 * Limited before it is joined: PostgreSQL would otherwise read every subscriber of the account up to the
 * first of these. And from where the last step ended: a search from the beginning passes the rows of all
 * memberships that earlier steps have deleted.
 */
const nextMembers = statement(
  { id: integer, status: integer, ...knownRow },
  `SELECT s.id, m.status, ${KNOWN}
   FROM (
     SELECT subscriber_id, status
     FROM membership
     WHERE account_id = $1 AND list_id = $2 AND subscriber_id > $3
     ORDER BY subscriber_id
     LIMIT $4
   ) AS m JOIN subscriber AS s ON s.account_id = $1 AND s.id = m.subscriber_id
   ORDER BY s.id`,
);
const close = change("UPDATE list SET is_deleting = $3 WHERE account_id = $1 AND id = $2");
const removeDays = change("DELETE FROM list_day WHERE account_id = $1 AND list_id = $2");
const remove = change("DELETE FROM list WHERE account_id = $1 AND id = $2");

/**
 * Ends the memberships after a subscriber, in order of id; deletes the list with the last of them. `after` is
 * the last subscriber whose membership was ended, or null if the list is gone; `done` is how many of those
 * that count as members were ended. The list must be closed before the next step: nobody who is added later
 * would be found.
 */
export async function endMemberships(db: Db, deletion: Omit<DeleteList, "lease">, after: SubscriberId) {
  const { account, id } = deletion;
  const [found, members] = await Promise.all([
    db.get(byId, account, id),
    db.all(nextMembers, account, id, after, JOB_STEP),
  ]);
  if (found === null) return { after: null, done: 0 };
  await db.saveChanges(
    account,
    members.map((member) => ({
      subscriber: member.id,
      changes: decideListDeletion(toKnown(member), toStatus(member.status), found, deletion),
    })),
  );
  const done = members.filter((member) => isCounted(toSuppressions(member), toStatus(member.status))).length;
  const last = members[JOB_STEP - 1];
  if (last !== undefined) return { after: last.id, done };
  await db.run(removeDays, account, id);
  await db.run(remove, account, id);
  return { after: null, done };
}

export async function deleteList(db: Db, deletion: DeleteList): Promise<DeletedList | null> {
  const { account, id, at, origin, lease, audit } = deletion;
  const found = await db.get(byId, account, id);
  if (found === null) return null;
  const { after, done } = await endMemberships(db, deletion, 0);
  if (after !== null) await db.run(close, account, id, true);
  const job = await leaveRest(db, {
    ...{ name: deleteListJob(id), kind: "delete-list", account, args: { list: id, at, origin } },
    ...{ progress: after === null ? null : { after }, done, total: found.members, at, origin, lease, audit },
  });
  return { list: found, job };
}
