import type { ImportJob } from "#domain/import/job.ts";
import type { Job, JobEnding } from "#domain/job/job.ts";
import type { job } from "#store/tables/entities.ts";
import type { Db } from "../kit/db.ts";
import { change, integer, json, nullable, type RowOf, statement } from "../kit/statement.ts";

export function toJob({ actorKind, actorName, ...row }: RowOf<typeof job.row>): Job {
  if (actorKind === null) return { ...row, by: null };
  const isId = actorKind === "key" || actorKind === "user";
  const [id, name] = isId ? [actorName, null] : [null, actorName];
  return { ...row, by: { kind: actorKind, id, name } };
}
export const toJobs = async (_db: unknown, _args: unknown, rows: readonly RowOf<typeof job.row>[]) =>
  rows.map(toJob);

/**
 * The arguments may be about a person, and are not needed any more. The deletion of an account belongs to the
 * installation once the account is gone.
 */
const end = change(
  `UPDATE job SET
     ended_at = $2, ending = $3, last_error = $4, args = '{}', progress = NULL, owner = NULL, leased_until = NULL,
     attempts = 0, account_id = CASE WHEN kind = 'delete-account' THEN NULL ELSE account_id END
   WHERE id = $1`,
);

/** The upload of an import during which a subscriber was erased. */
const marked = statement(
  { account: nullable(integer), args: json<Partial<ImportJob>>() },
  "SELECT account_id AS account, args FROM job WHERE id = $1 AND kind = 'import'",
);
const dropUpload = change("DELETE FROM upload WHERE account_id = $1 AND id = $2");
/** Removes the parts of the upload. */
const purgeNow = change("UPDATE job SET due_at = $1 WHERE name = 'purge' AND ended_at IS NULL");

export async function endJob(db: Db, id: number, at: number, ending: JobEnding, error: string | null = null) {
  const imported = await db.get(marked, id);
  if (imported?.args.deletesUpload === true) {
    await db.run(dropUpload, imported.account, imported.args.upload ?? 0);
    await db.run(purgeNow, at);
  }
  await db.run(end, id, at, ending, error);
}
