/** The columns of a job, and how it ends. */
import { originKinds } from "#domain/access/origin.ts";
import type { ImportJob } from "#domain/import/job.ts";
import { type Job, type JobEnding, jobEndings } from "#domain/job/job.ts";
import type { JobResult } from "#domain/job/result.ts";
import type { Db } from "../kit/db.ts";
import { change, integer, json, nullable, oneOf, type RowOf, statement, text } from "../kit/statement.ts";

export const job = {
  id: integer,
  name: text,
  kind: text,
  account: nullable(integer),
  createdAt: integer,
  actorKind: nullable(oneOf(originKinds)),
  actorName: nullable(text),
  done: integer,
  total: nullable(integer),
  result: nullable(json<JobResult>()),
  dueAt: integer,
  attempts: integer,
  lastError: nullable(text),
  leasedUntil: nullable(integer),
  cancelledAt: nullable(integer),
  endedAt: nullable(integer),
  ending: nullable(oneOf(jobEndings)),
};
export const JOB = `
  id, name, kind, account_id AS account, created_at AS "createdAt", actor_kind AS "actorKind",
  actor_name AS "actorName", done, total, result, due_at AS "dueAt", attempts, last_error AS "lastError",
  leased_until AS "leasedUntil", cancelled_at AS "cancelledAt", ended_at AS "endedAt", ending`;

export function toJob({ actorKind, actorName, ...row }: RowOf<typeof job>): Job {
  if (actorKind === null) return { ...row, by: null };
  const isId = actorKind === "key" || actorKind === "user";
  const [id, name] = isId ? [actorName, null] : [null, actorName];
  return { ...row, by: { kind: actorKind, id, name } };
}
export const toJobs = async (_db: unknown, _args: unknown, rows: readonly RowOf<typeof job>[]) =>
  rows.map(toJob);

/**
 * The arguments may be about a person, and nobody needs them any more. The deletion of an account belongs to
 * the installation once the account is gone.
 */
const end = change(
  `UPDATE job SET
     ended_at = $2, ending = $3, last_error = $4, args = '{}', progress = NULL, owner = NULL, leased_until = NULL,
     attempts = 0, account_id = CASE WHEN kind = 'delete-account' THEN NULL ELSE account_id END
   WHERE id = $1`,
);

/** The upload of an import during which somebody was erased. */
const marked = statement(
  { account: nullable(integer), args: json<Partial<ImportJob>>() },
  "SELECT account_id AS account, args FROM job WHERE id = $1 AND kind = 'import'",
);
const dropUpload = change("DELETE FROM upload WHERE account_id = $1 AND id = $2");
/** Removes the parts of the upload. */
const purgeNow = change("UPDATE job SET due_at = $1 WHERE name = 'purge' AND ended_at IS NULL");

export async function endJob(
  db: Db,
  id: number,
  at: number,
  ending: JobEnding,
  error: string | null = null,
): Promise<void> {
  const imported = await db.get(marked, id);
  if (imported?.args.deletesUpload === true) {
    await db.run(dropUpload, imported.account, imported.args.upload ?? 0);
    await db.run(purgeNow, at);
  }
  await db.run(end, id, at, ending, error);
}
