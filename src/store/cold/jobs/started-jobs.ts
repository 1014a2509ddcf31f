/**
 * Jobs that a command leaves behind because not everything fits into its transaction. The process that runs
 * the command gets the lease.
 */
import type { AccountId } from "../../../domain/account.ts";
import { type JobKind, type JobKinds, jobKinds, type Lease, type LeaseRequest } from "../../../domain/job.ts";
import type { Db } from "../kit/db.ts";
import { change, integer, nullable, oneOf, statement } from "../kit/statement.ts";

export const lease = {
  id: integer,
  epoch: integer,
  kind: oneOf(jobKinds),
  account: nullable(integer),
  attempts: integer,
};
export const LEASE = "id, epoch, kind, account_id AS account, attempts";

/** A job of the same name is replaced: the process that runs it loses the lease. */
const insert = statement(
  lease,
  `INSERT INTO job (name, kind, account_id, args, progress, created_at, due_at, owner, leased_until, epoch)
   VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8, 1)
   ON CONFLICT (name) DO UPDATE SET
     args = excluded.args, progress = excluded.progress, due_at = excluded.due_at, attempts = 0, last_error = NULL,
     owner = excluded.owner, leased_until = excluded.leased_until, epoch = job.epoch + 1
   RETURNING ${LEASE}`,
);
const remove = change("DELETE FROM job WHERE name = $1");

interface NewJob<Kind extends JobKind> {
  readonly name: string;
  readonly kind: Kind;
  readonly account: AccountId;
  readonly args: JobKinds[Kind]["args"];
  readonly progress: JobKinds[Kind]["progress"];
  readonly at: number;
  readonly lease: LeaseRequest;
}

export const startJob = <Kind extends JobKind>(db: Db, job: NewJob<Kind>): Promise<Lease> =>
  db.one(
    insert,
    job.name,
    job.kind,
    job.account,
    JSON.stringify(job.args),
    JSON.stringify(job.progress),
    job.at,
    job.lease.owner,
    job.lease.until,
  );

/** Deletes an earlier job of this name, because the command has done all that was left of it. */
export const dropJob = (db: Db, name: string): Promise<number> => db.run(remove, name);
