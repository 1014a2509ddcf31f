/**
 * Jobs that are left to do when somebody is erased. The search of a bulk change, or the place that it has
 * reached, may contain the address; so may the file that is being imported, and its name.
 */
import type { AccountId } from "#domain/account.ts";
import type { Address } from "#domain/address/address.ts";
import { mentions } from "#domain/address/mention.ts";
import type { ImportJob } from "#domain/import/job.ts";
import { ERASED_FILE_NAME, namesAddress } from "#domain/subscriber/erasure.ts";
import type { Db } from "../kit/db.ts";
import { change, integer, json, nullable, statement, text } from "../kit/statement.ts";
import { endJob } from "./job-row.ts";

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
 * A change that is about the address alone is cancelled. One that has just reached it starts again: a change
 * that was made already is not made a second time. An import goes on, and its upload is deleted at the end.
 */
export async function eraseFromJobs(db: Db, account: AccountId, address: Address, at: number): Promise<void> {
  for (const { id, args, progress } of await db.all(bulkJobs, account)) {
    const place = progress === null ? "" : Buffer.from(progress.after, "base64url").toString();
    if (mentions(args, address)) await endJob(db, id, at, "cancelled");
    else if (place.includes(address.key)) await db.run(startAgain, id);
  }
  for (const { id, args } of await db.all(importJobs, account)) {
    const fileName = namesAddress(args.fileName, address) ? ERASED_FILE_NAME : args.fileName;
    const marked: ImportJob = { ...args, fileName, deletesUpload: true };
    await db.run(setArgs, id, JSON.stringify(marked));
  }
}
