/** Deletes a custom field: its values in batches, then the field itself. The history stays. */
import { deleteFieldJob } from "#domain/job/kinds.ts";
import type { DeletedField, DeleteField, OfField } from "#domain/ports/fields.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { field } from "#store/tables/entities.ts";
import { VISITED } from "../../writes/step-limits.ts";
import type { Db } from "../kit/db.ts";
import { byIdOf } from "../kit/of-account.ts";
import { change, integer, statement } from "../kit/statement.ts";
import { leaveRest } from "./started-jobs.ts";

/** Also if it is being deleted: the same command takes over an interrupted deletion. */
const byId = byIdOf(field);
/**
 * The subscriber of the last value that a step looks at. No index leads to the values of a field, so a step
 * looks at values of all fields, in order of the key. On SQLite, the key has no account: the step then also
 * looks at values of other accounts.
 */
const lastVisited = statement(
  { id: integer },
  ({ keysHaveAccount }) => `
   SELECT subscriber_id AS id
   FROM custom_value
   WHERE ${keysHaveAccount ? "account_id = $1 AND" : ""} subscriber_id > $2
   ORDER BY subscriber_id
   LIMIT 1 OFFSET $3`,
);
const deleteValues = change(
  `DELETE FROM custom_value
   WHERE account_id = $1 AND field_id = $2 AND subscriber_id > $3 AND subscriber_id <= $4`,
);
/** No name begins with a space, so the name is free at once. */
const close = change(
  "UPDATE field SET is_deleting = $3, name_key = ' ' || id WHERE account_id = $1 AND id = $2",
);
const remove = change("DELETE FROM field WHERE account_id = $1 AND id = $2");
/**
 * Deletes values of the subscribers after one, in order of id; deletes the field with the last of them.
 * `after` is the last subscriber that was looked at, or null if the field is gone; `done` is how many values
 * were deleted. The field must be closed before the next step: values that are given later to earlier
 * subscribers would not be found.
 */
export async function deleteFieldValues(db: Db, { account, id }: OfField, after: SubscriberId) {
  const last = await db.get(lastVisited, account, after, VISITED - 1);
  const done = await db.run(deleteValues, account, id, after, last?.id ?? Number.MAX_SAFE_INTEGER);
  if (last !== null) return { after: last.id, done };
  await db.run(remove, account, id);
  return { after: null, done };
}

export async function deleteField(db: Db, deletion: DeleteField): Promise<DeletedField | null> {
  const { account, id, at, lease, audit } = deletion;
  const found = await db.get(byId, account, id);
  if (found === null) return null;
  const { after, done } = await deleteFieldValues(db, deletion, 0);
  if (after !== null) await db.run(close, account, id, true);
  const job = await leaveRest(db, {
    ...{ name: deleteFieldJob(id), kind: "delete-field", account, args: { field: String(id) } },
    ...{ progress: after === null ? null : { after }, done, total: null, at, lease, audit },
  });
  return { field: found, job };
}

export const fieldToDelete = (db: Db, { account, id }: OfField) => db.get(byId, account, id);
