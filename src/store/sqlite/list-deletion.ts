/** Deletes a list: its memberships in batches, then the list itself. */
import type { List, ListId } from "../../domain/list.ts";
import { decideListDeletion } from "../../domain/list-deletion.ts";
import type { Writes } from "../../domain/ports.ts";
import type { SubscriberId } from "../../domain/subscriber.ts";
import { KNOWN, type KnownRow, toKnown } from "../rows.ts";
import { STEP } from "../step.ts";
import type { Connection } from "./connection.ts";
import type { SqliteUnitOfWork } from "./hot/work.ts";
import { listOf } from "./lists.ts";

/** The members of a list with the lowest ids. */
const firstMembers = (db: Connection, id: ListId): readonly (KnownRow & { readonly id: SubscriberId })[] =>
  db.all(
    `SELECT s.id, ${KNOWN}
     FROM membership AS m JOIN subscriber AS s ON s.id = m.subscriber_id
     WHERE m.list_id = ? ORDER BY m.subscriber_id LIMIT ${STEP}`,
    id,
  );

export function emptyList(work: SqliteUnitOfWork, command: Writes["emptyList"]["args"]): number {
  const found = listOf(work.db, command.account, command.id);
  if (found === null) return 0;
  const members = firstMembers(work.db, found.id);
  for (const member of members)
    work.save(command.account, member.id, decideListDeletion(toKnown(member), found, command));
  return members.length;
}

/** Removes the remaining members first. */
export function deleteList(work: SqliteUnitOfWork, command: Writes["deleteList"]["args"]): List | null {
  const found = listOf(work.db, command.account, command.id);
  if (found === null) return null;
  while (emptyList(work, command) > 0);
  work.flush();
  work.db.run("DELETE FROM list WHERE id = ? AND account_id = ?", command.id, command.account);
  return found;
}
