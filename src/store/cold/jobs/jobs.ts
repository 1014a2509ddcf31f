/** Jobs and their leases. What a step does is in `job-steps.ts`. */
import { type Job, leftStateOf, longestLeaseOf, longestWaitOf, retryDelay } from "#domain/job/job.ts";
import { type JobKind, jobKinds, mustEnd, periodicJobs, replacedJobs } from "#domain/job/kinds.ts";
import type { JobResult } from "#domain/job/result.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import type { JobPosition, Jobs } from "#domain/ports/jobs.ts";
import { type ReplayResult, withReplayed } from "#domain/refused-call.ts";
import { job } from "../../tables/entities.ts";
import { auditing } from "../kit/auditing.ts";
import type { Db } from "../kit/db.ts";
import { command, effect, feature, read } from "../kit/feature.ts";
import { completedListing } from "../kit/listing.ts";
import { change, integer, json, nullable, oneOf, statement, text } from "../kit/statement.ts";
import { replayCalls } from "../refused-calls/refused-calls.ts";
import { endJob, toJob, toJobs } from "./job-row.ts";
import { takeStep } from "./job-steps.ts";
import { hasTooMany, LEASE, lease, scheduleRewrite, startWhole } from "./started-jobs.ts";

/** A newer version may know more kinds. */
const IS_KNOWN = `kind IN (${jobKinds.map((kind) => `'${kind}'`).join(", ")})`;
/** In SQL, a time that depends on the kind. */
const byKind = (msOf: (kind: JobKind) => number): string =>
  `CASE kind ${jobKinds.map((kind) => `WHEN '${kind}' THEN ${msOf(kind)}`).join(" ")} ELSE 0 END`;
/** No process is doing it at the time `$3`. */
const IS_FREE = `ended_at IS NULL
  AND (owner IS NULL OR leased_until <= $3 OR leased_until > $3 + ${byKind(longestLeaseOf)})`;
const IS_DUE = `(due_at <= $3 OR due_at > $3 + ${byKind(longestWaitOf)})`;
const LEASE_TO =
  "owner = $1, leased_until = $2, epoch = epoch + 1, started_at = coalesce(started_at, CAST($3 AS bigint))";
const END_LEASE = "owner = NULL, leased_until = NULL";

/**
 * PostgreSQL: if two nodes choose the same rows, the second one waits for the first and then checks the outer
 * condition again, so each row goes to one of them.
 */
const claim = statement(
  lease,
  `UPDATE job SET ${LEASE_TO}
   WHERE ${IS_FREE} AND id IN (
     SELECT id FROM job WHERE ${IS_DUE} AND ${IS_FREE} AND ${IS_KNOWN} ORDER BY due_at, id LIMIT $4
   )
   RETURNING ${LEASE}`,
);
const take = statement(
  lease,
  `UPDATE job SET ${LEASE_TO} WHERE id = $4 AND ${IS_FREE} AND ${IS_KNOWN} RETURNING ${LEASE}`,
);
const held = statement(
  {
    kind: oneOf(jobKinds),
    args: text,
    progress: nullable(text),
    result: nullable(json<JobPosition["result"]>()),
    cancelledAt: nullable(integer),
  },
  ({ lockRows }) => `
   SELECT kind, args, progress, result, cancelled_at AS "cancelledAt"
   FROM job AS j
   WHERE id = $1 AND epoch = $2 AND owner IS NOT NULL AND leased_until > $3
   ${lockRows("j")}`,
);
const extend = change("UPDATE job SET leased_until = $2 WHERE id = $1");
const proceed = change(
  `UPDATE job SET
     progress = $2, leased_until = $3, done = done + $4, result = $5, attempts = 0, last_error = NULL
   WHERE id = $1`,
);
const repeat = change(
  `UPDATE job SET ${END_LEASE}, progress = NULL, done = 0, attempts = 0, last_error = NULL, due_at = $2, started_at = NULL
   WHERE id = $1`,
);

const failed = statement(
  { attempts: integer, kind: oneOf(jobKinds) },
  `UPDATE job SET ${END_LEASE}, attempts = attempts + 1, last_error = $3
   WHERE id = $1 AND epoch = $2 AND owner IS NOT NULL
   RETURNING attempts, kind`,
);
const postpone = change("UPDATE job SET due_at = $2 WHERE id = $1");
const handBack = change(
  `UPDATE job SET ${END_LEASE}, due_at = $3 WHERE id = $1 AND epoch = $2 AND owner IS NOT NULL`,
);
const release = change(`UPDATE job SET ${END_LEASE} WHERE owner = $1`);

const insertPeriodic = change(
  `INSERT INTO job (name, kind, args, created_at, due_at)
   VALUES ($1, $1, '{}', $2, $2)
   ON CONFLICT (name) WHERE ended_at IS NULL DO NOTHING`,
);
/** A process that is doing one loses its lease. */
const dropReplaced = change(
  `DELETE FROM job WHERE ended_at IS NULL AND name IN (${replacedJobs.map((kind) => `'${kind}'`).join(", ")})`,
);
const left = statement(job.row, `SELECT ${job.columns} FROM job WHERE ended_at IS NULL ORDER BY due_at, id`);
const interrupted = statement(
  job.row,
  `SELECT ${job.columns} FROM job WHERE ending = 'interrupted' ORDER BY id`,
);
const byId = statement(
  job.row,
  `SELECT ${job.columns} FROM job WHERE id = $1 AND (CAST($2 AS bigint) IS NULL OR account_id = $2)`,
);
const lock = statement(
  { id: integer },
  ({ lockRows }) => `SELECT id FROM job AS j WHERE id = $1 ${lockRows("j")}`,
);
const cancel = change("UPDATE job SET cancelled_at = $2 WHERE id = $1");

const newestFirst = { row: job.row, by: ["id"], descending: true } as const;
const audited = auditing<Pick<Job, "kind" | "cancelledAt">>("job", ["kind", "cancelledAt"]);

/** The step is done; the job has ended, or is a periodic one. */
async function finish(db: Db, { kind }: { readonly kind: JobKind }, id: number, now: number): Promise<void> {
  const pause = periodicJobs[kind];
  await (pause === undefined ? endJob(db, id, now, "finished") : db.run(repeat, id, now + pause));
}

const owners = statement({ owner: nullable(text) }, "SELECT DISTINCT owner FROM job WHERE owner IS NOT NULL");

export const jobs = feature<Jobs>({
  left: read(async (db) => (await db.all(left)).map(toJob), { isLookup: true }),
  interrupted: read(async (db) => (await db.all(interrupted)).map(toJob)),
  all: completedListing(
    {
      ...newestFirst,
      select: (condition) => `SELECT ${job.columns} FROM job WHERE account_id = $1 AND ${condition}`,
      parameters: ({ account }: OfAccount) => [account],
    },
    toJobs,
  ),
  ofInstallation: completedListing(
    {
      ...newestFirst,
      select: (condition) => `SELECT ${job.columns} FROM job WHERE ${condition}`,
      parameters: () => [],
    },
    toJobs,
  ),
  byId: read(async (db, { id, account }) => {
    const found = await db.get(byId, id, account);
    return found === null ? null : toJob(found);
  }),
  owners: read(async (db) => (await db.all(owners)).flatMap(({ owner }) => owner ?? []), {
    isOfService: true,
  }),
  ensurePeriodic: effect(async (db, { now }) => {
    for (const kind of Object.keys(periodicJobs)) await db.run(insertPeriodic, kind, now);
    await db.run(dropReplaced);
  }),
  scheduleRewrite: command((db, { now }) => scheduleRewrite(db, now)),
  start: command(async (db, given) =>
    (await hasTooMany(db, given.account, given.name)) ? null : startWhole(db, given),
  ),
  claim: command((db, { owner, until, now, limit }) => db.all(claim, owner, until, now, limit)),
  take: command((db, { owner, until, now, id }) => db.get(take, owner, until, now, id)),
  step: command(async (db, { id, epoch, account, now, until }, context) => {
    const found = await db.get(held, id, epoch, now);
    if (found === null) return "lost";
    if (found.cancelledAt !== null) {
      await endJob(db, id, now, "cancelled");
      return "cancelled";
    }
    const { next, done, result, failure } = await takeStep(db, { ...found, account, now }, context);
    await db.run(proceed, id, next, until, done, result === null ? null : JSON.stringify(result));
    if (failure !== null) {
      await endJob(db, id, now, "failed", failure);
      return "failed";
    }
    if (next !== null) return "continues";
    await finish(db, found, id, now);
    return "finished";
  }),
  resume: command(async (db, { id, epoch, now, until }) => {
    const found = await db.get(held, id, epoch, now);
    if (found === null) return "lost";
    if (found.cancelledAt !== null) {
      await endJob(db, id, now, "cancelled");
      return "cancelled";
    }
    await db.run(extend, id, until);
    // Only `start` and `proceed` store them, for a job of the same kind.
    const parsed = [found.args, found.progress ?? "null"].map((text) => JSON.parse(text) as unknown);
    return { args: parsed[0], progress: parsed[1], result: found.result } as JobPosition;
  }),
  proceed: command(async (db, given, context) => {
    const { id, epoch, account, now, until, progress, calls = [], ending, error } = given;
    const found = await db.get(held, id, epoch, now);
    if (found === null) return "lost";
    const replayed = account === null ? [] : await replayCalls(db, account, calls, context);
    const result = replayed.reduce(
      (sum: JobResult | null, { outcome }) => withReplayed(sum as ReplayResult, outcome),
      given.result,
    );
    const stored = result === null ? null : JSON.stringify(result);
    await db.run(proceed, id, JSON.stringify(progress), until, given.done + replayed.length, stored);
    const outcome = ending ?? (found.cancelledAt === null ? null : "cancelled");
    if (outcome === null) return "continues";
    await endJob(db, id, now, outcome, error);
    return outcome;
  }),
  fail: effect(async (db, { id, epoch, now, error }) => {
    const row = await db.get(failed, id, epoch, error);
    if (row !== null) await db.run(postpone, id, now + retryDelay(row.attempts, row.kind));
  }),
  cancel: command(async (db, { id, account, now, audit }) => {
    await db.get(lock, id);
    const row = await db.get(byId, id, account);
    if (row === null) return null;
    const before = toJob(row);
    if (before.ending !== null || mustEnd(before.kind) !== null) return { job: before, isCancelled: false };
    if (before.cancelledAt !== null) return { job: before, isCancelled: true };
    await db.run(cancel, id, now);
    if (leftStateOf(before, now) !== "running") await endJob(db, id, now, "cancelled");
    const after = toJob(await db.one(byId, id, account));
    await audited(db, { account: before.account, audit }, id, before, after);
    return { job: after, isCancelled: true };
  }),
  handBack: effect((db, { id, epoch, dueAt }) => db.run(handBack, id, epoch, dueAt)),
  release: effect((db, { owner }) => db.run(release, owner)),
});
