/**
 * Jobs that a command leaves behind because not everything fits into its transaction. The process that runs
 * the command gets the lease.
 */
import { type Audited, actorName } from "#domain/access/audit.ts";
import type { Origin } from "#domain/access/origin.ts";
import type { AccountId } from "#domain/account.ts";
import { type Lease, type LeaseRequest, nextNight } from "#domain/job/job.ts";
import { type JobKind, type JobKinds, jobKinds, REWRITE_JOB } from "#domain/job/kinds.ts";
import type { StartJob } from "#domain/ports/jobs.ts";
import { auditing } from "../kit/auditing.ts";
import type { Db } from "../kit/db.ts";
import { change, column, integer, nullable, oneOf, selectList, statement } from "../kit/statement.ts";
import { endJob } from "./job-row.ts";

export const lease = {
  id: integer,
  epoch: integer,
  kind: oneOf(jobKinds),
  account: column("account_id", nullable(integer)),
  attempts: integer,
  dueAt: integer,
};
export const LEASE = selectList(lease);

/**
 * A job of the same name that is left is replaced: it keeps its id, and the process that runs it loses the
 * lease.
 */
const insert = statement(
  lease,
  `INSERT INTO job (
     name, kind, account_id, args, progress, created_at, due_at, owner, leased_until, epoch, actor_kind, actor_name,
     done, total
   )
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10, $11, $12, $13)
   ON CONFLICT (name) WHERE ended_at IS NULL DO UPDATE SET
     args = excluded.args, progress = excluded.progress, due_at = excluded.due_at, attempts = 0, last_error = NULL,
     owner = excluded.owner, leased_until = excluded.leased_until, epoch = job.epoch + 1,
     actor_kind = excluded.actor_kind, actor_name = excluded.actor_name, done = excluded.done,
     total = excluded.total, result = NULL, cancelled_at = NULL, started_at = NULL
   RETURNING ${LEASE}`,
);
const leftByName = statement({ id: integer }, "SELECT id FROM job WHERE name = $1 AND ended_at IS NULL");
/** A command about the same thing does what an interrupted job has left. */
const removeInterrupted = change("DELETE FROM job WHERE name = $1 AND ending = 'interrupted'");

interface NewJob<Kind extends JobKind> extends Audited {
  readonly name: string;
  readonly kind: Kind;
  readonly account: AccountId;
  readonly args: JobKinds[Kind]["args"];
  /** null: nothing of it is done yet. */
  readonly progress: JobKinds[Kind]["progress"] | null;
  /** How many the command has dealt with. */
  readonly done: number;
  readonly total: number | null;
  readonly at: number;
  /** When it may be continued, if not at once. */
  readonly dueAt?: number;
  /** null: no process does it yet. */
  readonly lease: LeaseRequest | null;
  /** Who began it, if there is no `audit` that says so. */
  readonly origin?: Origin;
}

export async function startJob<Kind extends JobKind>(db: Db, job: NewJob<Kind>): Promise<Lease> {
  const by = job.audit?.origin ?? job.origin ?? null;
  await db.run(removeInterrupted, job.name);
  return db.one(
    insert,
    job.name,
    job.kind,
    job.account,
    JSON.stringify(job.args),
    job.progress === null ? null : JSON.stringify(job.progress),
    job.at,
    job.dueAt ?? job.at,
    job.lease?.owner ?? null,
    job.lease?.until ?? null,
    by?.kind ?? null,
    by === null ? null : actorName(by),
    job.done,
    job.total,
  );
}

/** Leaves what a command has not dealt with to a job; `progress` is null if nothing is left. */
export async function leaveRest<Kind extends JobKind>(db: Db, job: NewJob<Kind>): Promise<Lease | null> {
  if (job.progress !== null) return startJob(db, job);
  await dropJob(db, job.name, job.at);
  return null;
}

/** The job of this name that is left to do. */
export const leftJob = async (db: Db, name: string) => (await db.get(leftByName, name))?.id ?? null;
export const isLeft = async (db: Db, name: string): Promise<boolean> => (await leftJob(db, name)) !== null;

const countLeft = statement(
  { count: integer },
  "SELECT count(*) AS count FROM job WHERE account_id = $1 AND ended_at IS NULL AND name <> $2",
);
/** The most jobs of an account that are left to do, before another one is started by itself. */
const MAX_LEFT = 100;
export const hasTooMany = async (db: Db, account: AccountId, name: string): Promise<boolean> =>
  (await db.one(countLeft, account, name)).count >= MAX_LEFT;

/** Starts a job of which nothing is done yet, with its entry in the audit log. */
export async function startWhole<Kind extends JobKind>(db: Db, given: StartJob<Kind>): Promise<Lease> {
  const { account, kind, audited, audit } = given;
  const started = await startJob(db, { ...given, progress: null, done: 0 });
  const after = { kind, ...audited };
  const names = Object.keys(after) as (keyof typeof after)[];
  await auditing<typeof after>("job", names)(db, { account, audit }, started.id, null, after);
  return started;
}

/** Ends an earlier job of this name, because the command has done all that was left of it. */
export async function dropJob(db: Db, name: string, at: number): Promise<void> {
  await db.run(removeInterrupted, name);
  const left = await db.get(leftByName, name);
  if (left !== null) await endJob(db, left.id, at, "finished");
}

/**
 * The job that rewrites the database in the night after an erasure. There is one, however many erasures come
 * before it. A rewrite that is under way may have passed the rows that are being deleted now. So it does not
 * end the job: the process that does it loses the lease, and the job is due again in the next night.
 */
const schedule = statement(
  { dueAt: integer },
  `INSERT INTO job (name, kind, args, created_at, due_at)
   VALUES ($1, $1, '{}', $2, $3)
   ON CONFLICT (name) WHERE ended_at IS NULL DO UPDATE SET
     due_at = CASE
       WHEN job.owner IS NOT NULL OR job.due_at > excluded.due_at THEN excluded.due_at
       ELSE job.due_at
     END,
     epoch = job.epoch + 1, owner = NULL, leased_until = NULL
   RETURNING due_at AS "dueAt"`,
);

/** Returns when. Last in its transaction: on PostgreSQL, other erasures wait for the row. */
export const scheduleRewrite = async (db: Db, now: number): Promise<number> =>
  (await db.one(schedule, REWRITE_JOB, now, nextNight(now))).dueAt;
