/**
 * Bulk changes that are left to do when somebody is erased: their search, or the place that they have
 * reached, may contain the address.
 */
import type { AccountId } from "../../../domain/account.ts";
import type { Address } from "../../../domain/address.ts";
import { mentions } from "../../../domain/address-mention.ts";
import type { Db } from "../kit/db.ts";
import { change, integer, json, nullable, statement, text } from "../kit/statement.ts";
import { endJob } from "./job-row.ts";

const bulkJobs = statement(
  { id: integer, args: text, progress: nullable(json<{ readonly after: string }>()) },
  `SELECT id, args, progress FROM job
   WHERE account_id = $1 AND kind = 'change-subscribers' AND ended_at IS NULL`,
);
const startAgain = change("UPDATE job SET progress = NULL WHERE id = $1");

/**
 * A change that is about the address alone is cancelled. One that has just reached it starts again: a change
 * that was made already is not made a second time.
 */
export async function eraseFromJobs(db: Db, account: AccountId, address: Address, at: number): Promise<void> {
  for (const { id, args, progress } of await db.all(bulkJobs, account)) {
    const place = progress === null ? "" : Buffer.from(progress.after, "base64url").toString();
    if (mentions(args, address)) await endJob(db, id, at, "cancelled");
    else if (place.includes(address.key)) await db.run(startAgain, id);
  }
}
