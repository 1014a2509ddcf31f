/**
 * Deletes an account with everything that belongs to it, in batches. Its keys and the roles in it go first,
 * so that nobody calls any more; its row goes last, so that its counters and ids stay taken meanwhile.
 */
import { KEY_CACHE_MS } from "#domain/access/key.ts";
import type { AccountId } from "#domain/account.ts";
import { deleteAccountJob } from "#domain/job/kinds.ts";
import type { DeleteAccount, DeletedAccount } from "#domain/ports/accounts.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { account } from "../../tables/entities.ts";
import { JOB_STEP, STEP } from "../../writes/step-limits.ts";
import { dropResults } from "../idempotency.ts";
import type { Db } from "../kit/db.ts";
import type { Dialect } from "../kit/dialect.ts";
import { type Change, change, integer, statement } from "../kit/statement.ts";
import { deleteFirstMailing, stopMailings } from "../sending/delete-ledger.ts";
import { deleteUploads, dropParts } from "../uploads.ts";
import { dropRefusals } from "./purge.ts";
import { scheduleRewrite, startJob } from "./started-jobs.ts";

/**
 * Nodes accept keys that they have in their cache for a moment. The calls that come meanwhile find the
 * account; what they write is deleted with it.
 */
const CACHED_KEYS_MS = 2 * KEY_CACHE_MS;

/** Also if it is being deleted: the same command takes over an interrupted deletion. */
const byId = statement(account.row, `SELECT ${account.columns} FROM account WHERE id = $1`);
const close = change("UPDATE account SET is_deleting = $2 WHERE id = $1");
/** An import that is running cannot add anybody any more. */
const closeLists = change("UPDATE list SET is_deleting = $2 WHERE account_id = $1");
const deleteKeys = change("DELETE FROM api_key WHERE account_id = $1");
const deleteWebhooks = change("DELETE FROM webhook WHERE account_id = $1");
const deleteRoles = change("DELETE FROM user_role WHERE account_id = $1");
const deleteOtherJobs = change("DELETE FROM job WHERE account_id = $1 AND name <> $2");

/**
 * PostgreSQL: from where the last step ended, because it would pass the rows that earlier steps deleted.
 * SQLite deletes them at once, and has no key of account and id.
 */
const nextSubscribers = statement({ id: integer }, ({ keysHaveAccount }) =>
  keysHaveAccount
    ? "SELECT id FROM subscriber WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT $3"
    : "SELECT id FROM subscriber WHERE account_id = $1 ORDER BY address_key LIMIT $3",
);
/** By the key. SQLite would otherwise search all rows of the account. */
const bySubscriber =
  (table: string, column: string) =>
  ({ keysHaveAccount, isIn }: Dialect): string =>
    `DELETE FROM ${table} WHERE ${keysHaveAccount ? "account_id = $1 AND" : ""} ${isIn(column, "$2")}`;
const ofSubscribers: readonly Change[] = [
  ...["membership", "custom_value", "history", "campaign_event"].map((table) =>
    change(bySubscriber(table, "subscriber_id")),
  ),
  change(bySubscriber("subscriber", "id")),
];

/** Tables that may be long, and belong to no subscriber. */
const long: readonly Change[] = [
  ["block", "pattern"],
  ["erased", "hash"],
  ["audit", "id"],
  ["list_day", "list_id, day"],
  ["call_day", "key_id, day, program"],
  ["handed_over", "sender_id, scope, period"],
  ["provider_event", "sender_id, event_key"],
].map(([table, key]) =>
  change(
    `DELETE FROM ${table}
     WHERE account_id = $1
       AND (${key}) IN (SELECT ${key} FROM ${table} WHERE account_id = $1 ORDER BY ${key} LIMIT $2)`,
  ),
);
/** Tables with few rows of an account; a row comes before those it refers to. */
const short: readonly Change[] = [
  "import_progress",
  "upload",
  "campaign_list",
  "campaign",
  "sender",
  "import_batch",
  "field",
  "list",
  "account_day",
  "client_quirk",
  "no_op",
  "api_key",
  "user_role",
].map((table) => change(`DELETE FROM ${table} WHERE account_id = $1`));
const remove = change("DELETE FROM account WHERE id = $1");

/**
 * Deletes the next part of an account. `after` is the last subscriber that was deleted, or 0 to look for more
 * from the beginning; null if the account is gone. `done` is how many subscribers were deleted.
 */
export async function deleteAccountBatch(db: Db, id: AccountId, after: SubscriberId) {
  const again = { after: 0, done: 0 };
  const people = await db.all(nextSubscribers, id, after, JOB_STEP);
  const ids = people.map((person) => person.id);
  if (ids.length > 0) {
    await Promise.all(ofSubscribers.map((table) => db.run(table, id, ids)));
    return { after: ids.at(-1) ?? 0, done: ids.length };
  }
  // A call or an import that was under way may have added subscribers before this position.
  if (after > 0) return again;
  if ((await dropRefusals(db, id, Number.MAX_SAFE_INTEGER)) > 0) return again;
  if (await dropParts(db)) return again;
  if ((await dropResults(db, id)) > 0) return again;
  if (await deleteFirstMailing(db, id)) return again;
  for (const table of long) if ((await db.run(table, id, STEP)) > 0) return again;
  for (const table of short) await db.run(table, id);
  await db.run(deleteOtherJobs, id, deleteAccountJob(id));
  await db.run(remove, id);
  return { after: null, done: 0 };
}

/** The first batch: the account does not exist for anybody any more. */
export async function deleteAccount(
  db: Db,
  { account: id, at, lease, audit, rewriteLater = false }: DeleteAccount,
): Promise<DeletedAccount | null> {
  const found = await db.get(byId, id);
  if (found === null) return null;
  const name = deleteAccountJob(id);
  await db.run(close, id, true);
  await db.run(closeLists, id, true);
  await db.run(deleteKeys, id);
  await deleteUploads(db, id);
  await db.run(deleteRoles, id);
  await db.run(deleteWebhooks, id);
  await stopMailings(db, id, at);
  await db.run(deleteOtherJobs, id, name);
  const job = await startJob(db, {
    ...{ name, kind: "delete-account", account: id, args: { rewriteLater }, progress: null },
    ...{ done: 0, total: null, at, dueAt: at + CACHED_KEYS_MS, lease, audit },
  });
  return { account: found, job, rewriteAt: rewriteLater ? await scheduleRewrite(db, at) : null };
}

export const accountToDelete = (db: Db, { id }: { readonly id: AccountId }) => db.get(byId, id);
