/** Deletes a list: its memberships in batches, then the list itself. */
import type { AccountId } from "../../domain/account.ts";
import type { List, ListId } from "../../domain/list.ts";
import { decideListDeletion } from "../../domain/list-deletion.ts";
import type { Writes } from "../../domain/ports.ts";
import { LIST } from "../rows.ts";
import { STEP } from "../step.ts";
import { addPeople, PERSON, type PersonRow, WITH_MEMBERSHIPS } from "./hot/people.ts";
import { saveChanges } from "./hot/save-group.ts";
import { applyChanges } from "./hot/subscriber-changes.ts";
import { WorkingSet } from "./hot/working-set.ts";
import type { Connection } from "./sessions/connection.ts";

const list = async (db: Connection, account: AccountId, id: ListId): Promise<List | null> =>
  (await db.get<List>(`SELECT ${LIST} FROM list WHERE account_id = $1 AND id = $2`, account, id)) ?? null;

/** The members of a list with the lowest ids. */
const firstMembers = (db: Connection, account: AccountId, id: ListId): Promise<readonly PersonRow[]> =>
  db.all(
    `SELECT ${PERSON}
     FROM (
       SELECT p.*
       FROM membership AS e JOIN subscriber AS p ON p.account_id = e.account_id AND p.id = e.subscriber_id
       WHERE e.account_id = $1 AND e.list_id = $2 ORDER BY e.subscriber_id LIMIT ${STEP}
     ) AS s ${WITH_MEMBERSHIPS}`,
    account,
    id,
  );

export async function emptyList(db: Connection, command: Writes["emptyList"]["args"]): Promise<number> {
  const { account, id } = command;
  const found = await list(db, account, id);
  if (found === null) return 0;
  const set = new WorkingSet();
  addPeople(set, await firstMembers(db, account, id));
  const members = [...set.people.values()];
  for (const member of members)
    applyChanges(set, account, member, decideListDeletion(member, found, command));
  for (const { sql, values } of saveChanges(set)) await db.run(sql, ...values);
  return members.length;
}

/** Removes the remaining members first. */
export async function deleteList(
  db: Connection,
  command: Writes["deleteList"]["args"],
): Promise<List | null> {
  const { account, id } = command;
  const found = await list(db, account, id);
  if (found === null) return null;
  while ((await emptyList(db, command)) > 0);
  await db.run("DELETE FROM list WHERE account_id = $1 AND id = $2", account, id);
  return found;
}
