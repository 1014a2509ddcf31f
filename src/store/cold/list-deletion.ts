/** Deletes a list: its memberships in batches, then the list itself. The subscribers stay. */
import { deleteListJob } from "../../domain/job.ts";
import { decideListDeletion } from "../../domain/list-deletion.ts";
import type { DeletedList, DeleteList } from "../../domain/ports/lists.ts";
import { KNOWN, knownRow, toKnown } from "../rows.ts";
import { JOB_STEP } from "../step.ts";
import { toStatus } from "../who-counts.ts";
import type { Db } from "./db.ts";
import { LIST, list } from "./list-row.ts";
import { dropJob, startJob } from "./started-jobs.ts";
import { change, integer, statement } from "./statement.ts";

const byId = statement(list, `SELECT ${LIST} FROM list WHERE account_id = $1 AND id = $2`);
const firstMembers = statement(
  { id: integer, status: integer, ...knownRow },
  `SELECT s.id, m.status, ${KNOWN}
   FROM membership AS m JOIN subscriber AS s ON s.account_id = m.account_id AND s.id = m.subscriber_id
   WHERE m.account_id = $1 AND m.list_id = $2
   ORDER BY m.subscriber_id
   LIMIT $3`,
);
const close = change("UPDATE list SET is_deleting = $3 WHERE account_id = $1 AND id = $2");
const remove = change("DELETE FROM list WHERE account_id = $1 AND id = $2");

/** Ends the next memberships; deletes the list with the last of them. True if the list is gone. */
export async function endMemberships(db: Db, deletion: Omit<DeleteList, "lease">): Promise<boolean> {
  const { account, id } = deletion;
  const found = await db.get(byId, account, id);
  if (found === null) return true;
  const members = await db.all(firstMembers, account, id, JOB_STEP);
  await db.saveChanges(
    account,
    members.map((member) => ({
      subscriber: member.id,
      changes: decideListDeletion(toKnown(member), toStatus(member.status), found, deletion),
    })),
  );
  if (members.length === JOB_STEP) return false;
  await db.run(remove, account, id);
  return true;
}

export async function deleteList(db: Db, deletion: DeleteList): Promise<DeletedList | null> {
  const { account, id, at, origin, lease } = deletion;
  const found = await db.get(byId, account, id);
  if (found === null) return null;
  const name = deleteListJob(id);
  if (await endMemberships(db, deletion)) {
    await dropJob(db, name);
    return { list: found, job: null };
  }
  await db.run(close, account, id, true);
  const args = { list: id, at, origin };
  const job = await startJob(db, { name, kind: "delete-list", account, args, progress: null, at, lease });
  return { list: found, job };
}
