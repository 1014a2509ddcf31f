/** Erases a subscriber everywhere but in refused calls, which `refusals.ts` erases. */

import { ERASED_ID } from "#domain/access/audit.ts";
import type { AccountId } from "#domain/account.ts";
import type { Address } from "#domain/address.ts";
import { containsAddress } from "#domain/find-address.ts";
import type { ImportJob } from "#domain/import/job.ts";
import type { EraseSubscriber, Erasure, OtherSubscriber } from "#domain/ports/subscribers.ts";
import {
  decideErasure,
  ERASED_FILE_NAME,
  erasureHash,
  namesAddress,
  newErasureKey,
} from "#domain/subscriber/erasure.ts";
import { type SubscriberId, type Suppressions, suppressionKinds } from "#domain/subscriber/subscriber.ts";
import { KNOWN, knownRow, SUPPRESSIONS, suppressionRow, toKnown } from "../../reads/rows.ts";
import { suppressionColumns } from "../../reads/who-counts.ts";
import { eraseResults } from "../idempotency.ts";
import { endJob } from "../jobs/job-row.ts";
import { scheduleRewrite } from "../jobs/started-jobs.ts";
import { auditing } from "../kit/auditing.ts";
import type { Db } from "../kit/db.ts";
import { bytes, change, integer, json, nullable, statement, text } from "../kit/statement.ts";
import { eraseFromLedgers } from "../sending/ledgers-of-subscriber.ts";
import { eraseFromEvents } from "../sending/webhooks.ts";
import { deleteIdleUploads } from "../uploads.ts";
import { erasureKeyOf } from "./erased-blocks.ts";
import { requirePersonVersion } from "./person-version.ts";

/**
 * Jobs that are left to do when a subscriber is erased. The search of a bulk change, or the place that it has
 * reached, may contain the address; so may the file that is being imported, and its name.
 */
const bulkJobs = statement(
  { id: integer, args: text, progress: nullable(json<{ readonly after: string }>()) },
  `SELECT id, args, progress FROM job
   WHERE account_id = $1 AND kind IN ('change-subscribers', 'dry-run-change') AND ended_at IS NULL`,
);
const startAgain = change(
  "UPDATE job SET progress = NULL, done = CASE kind WHEN 'dry-run-change' THEN 0 ELSE done END WHERE id = $1",
);

const importJobs = statement(
  { id: integer, args: json<ImportJob>() },
  "SELECT id, args FROM job WHERE account_id = $1 AND kind = 'import' AND ended_at IS NULL",
);
const setArgs = change("UPDATE job SET args = $2 WHERE id = $1");

/**
 * A change that is about the address alone is cancelled. A job that has just reached it starts again: a
 * change that was made already is not made a second time. An import goes on, and its upload is deleted at the
 * end.
 */
async function eraseFromJobs(db: Db, account: AccountId, address: Address, at: number): Promise<void> {
  for (const { id, args, progress } of await db.all(bulkJobs, account)) {
    const place = progress === null ? "" : Buffer.from(progress.after, "base64url").toString();
    if (containsAddress(args, address)) await endJob(db, id, at, "cancelled");
    else if (place.includes(address.key)) await db.run(startAgain, id);
  }
  for (const { id, args } of await db.all(importJobs, account)) {
    const fileName = namesAddress(args.fileName, address) ? ERASED_FILE_NAME : args.fileName;
    const marked: ImportJob = { ...args, fileName, deletesUpload: true };
    await db.run(setArgs, id, JSON.stringify(marked));
  }
}

const person = statement(
  { id: integer, ...knownRow },
  `SELECT id, ${KNOWN} FROM subscriber WHERE account_id = $1 AND address_key = $2`,
);
const dropBlock = statement(
  { at: integer },
  "DELETE FROM block WHERE account_id = $1 AND pattern = $2 RETURNING created_at AS at",
);
/** What an earlier erasure of the address kept; this erasure stores it again. */
const takeErased = statement(
  suppressionRow,
  `DELETE FROM erased WHERE account_id = $1 AND hash = $2 RETURNING ${SUPPRESSIONS}`,
);
/** Created on first use, and never replaced. */
const requireKey = statement(
  { key: nullable(bytes) },
  `UPDATE account SET erasure_key = coalesce(erasure_key, $2)
   WHERE id = $1
   RETURNING erasure_key AS key`,
);
const keep = change(
  `INSERT INTO erased (account_id, hash, erased_at, ${suppressionColumns.join(", ")})
   VALUES ($1, $2, $3, ${suppressionColumns.map((_, index) => `$${index + 4}`).join(", ")})`,
);
const counts = statement(
  { values: integer, lists: integer, history: integer, losses: integer },
  `SELECT
     (SELECT count(*) FROM custom_value WHERE account_id = $1 AND subscriber_id = $2) AS "values",
     (SELECT count(*) FROM membership WHERE account_id = $1 AND subscriber_id = $2) AS lists,
     (SELECT count(*) FROM history WHERE account_id = $1 AND subscriber_id = $2) AS history,
     (SELECT count(*) FROM campaign_event WHERE account_id = $1 AND subscriber_id = $2) AS losses`,
);
const fileNames = statement(
  { id: integer, fileName: text },
  `SELECT id, file_name AS "fileName" FROM import_batch WHERE account_id = $1`,
);
const renameFiles = change(
  ({ isIn }) => `UPDATE import_batch SET file_name = $2 WHERE account_id = $1 AND ${isIn("id", "$3")}`,
);

/** The block of an address is the only entry of the audit log that contains one. */
const eraseAudit = change(
  "UPDATE audit SET thing_id = $3 WHERE account_id = $1 AND thing = 'block' AND thing_id = $2",
);
/** The erasure deletes the history, so the audit log has who did it: that, not whose data it was. */
const audited = auditing<object>("subscriber", []);

export async function eraseSubscriber(
  db: Db,
  command: EraseSubscriber & { readonly subscriber?: SubscriberId },
): Promise<Erasure | OtherSubscriber> {
  const { account, address, at, audit, subscriber, rewriteLater = false } = command;
  const found = await db.get(person, account, address.key);
  if (subscriber !== undefined && found?.id !== subscriber) return "OtherSubscriber";
  await requirePersonVersion(db, account, found?.id ?? null, audit?.ifVersion);
  const key = await erasureKeyOf(db, account);
  const state = {
    known: found === null ? null : toKnown(found),
    ownBlockAt: (await db.get(dropBlock, account, address.key))?.at ?? null,
    erased: key === null ? null : await db.get(takeErased, account, erasureHash(key, address)),
  };
  const { kept, changes } = decideErasure(state, at);
  if (kept !== null) await keepSuppressions(db, account, address, at, kept);
  await eraseFileNames(db, account, address);
  await eraseFromJobs(db, account, address, at);
  await eraseResults(db, account, address.key);
  await deleteIdleUploads(db, account);
  await db.run(eraseAudit, account, address.key, ERASED_ID);
  // The version was that of the subscriber.
  const by = audit === undefined ? undefined : { ...audit, ifVersion: undefined };
  await audited(db, { account, audit: by }, ERASED_ID, {}, null);
  const erased = await countRows(db, account, found?.id ?? null);
  await eraseFromEvents(db, account, found?.id ?? null, address.key);
  if (found !== null) await eraseFromLedgers(db, { account, subscriber: found.id }, at);
  if (found !== null) await db.saveChanges(account, [{ subscriber: found.id, changes }]);
  if (rewriteLater) await scheduleRewrite(db, at);
  return { ...erased, kept };
}

async function keepSuppressions(
  db: Db,
  account: AccountId,
  address: Address,
  at: number,
  kept: Suppressions,
): Promise<void> {
  const { key } = await db.one(requireKey, account, newErasureKey());
  if (key === null) throw new Error(`no erasure key of account ${account}`);
  const times = suppressionKinds.map((kind) => kept[kind]);
  await db.run(keep, account, erasureHash(key, address), at, ...times);
}

async function countRows(db: Db, account: AccountId, id: SubscriberId | null) {
  if (id === null) return { wasKnown: false, values: 0, lists: 0, history: 0, losses: 0 };
  return { wasKnown: true, ...(await db.one(counts, account, id)) };
}

/** Replaces the names of imported files that contain the address. */
async function eraseFileNames(db: Db, account: AccountId, address: Address): Promise<void> {
  const named = (await db.all(fileNames, account)).filter(({ fileName }) => namesAddress(fileName, address));
  const ids = named.map(({ id }) => id);
  if (ids.length > 0) await db.run(renameFiles, account, ERASED_FILE_NAME, ids);
}
