/** Jobs and their leases. What a step does is in `job-steps.ts`. */
import {
  jobKinds,
  LONGEST_LEASE_MS,
  LONGEST_WAIT_MS,
  periodicJobs,
  retryDelay,
} from "../../../domain/job.ts";
import type { Jobs } from "../../../domain/ports/jobs.ts";
import { command, feature, read } from "../kit/feature.ts";
import { change, integer, nullable, oneOf, statement, text } from "../kit/statement.ts";
import { FINISHED, takeStep } from "./job-steps.ts";
import { LEASE, lease } from "./started-jobs.ts";

/** A newer version may know more kinds. */
const IS_KNOWN = `kind IN (${jobKinds.map((kind) => `'${kind}'`).join(", ")})`;
/** Nobody is doing it at the time `$3`. */
const IS_FREE = `(owner IS NULL OR leased_until <= $3 OR leased_until > $3 + ${LONGEST_LEASE_MS})`;
const IS_DUE = `(due_at <= $3 OR due_at > $3 + ${LONGEST_WAIT_MS})`;
const LEASE_TO = "owner = $1, leased_until = $2, epoch = epoch + 1";
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
  { kind: oneOf(jobKinds), args: text, progress: nullable(text) },
  ({ lockRows }) => `
   SELECT kind, args, progress
   FROM job AS j
   WHERE id = $1 AND epoch = $2 AND owner IS NOT NULL AND leased_until > $3
   ${lockRows("j")}`,
);
const proceed = change(
  "UPDATE job SET progress = $2, leased_until = $3, attempts = 0, last_error = NULL WHERE id = $1",
);
const repeat = change(
  `UPDATE job SET ${END_LEASE}, progress = NULL, attempts = 0, last_error = NULL, due_at = $2 WHERE id = $1`,
);
const remove = change("DELETE FROM job WHERE id = $1");

const failed = statement(
  { attempts: integer },
  `UPDATE job SET ${END_LEASE}, attempts = attempts + 1, last_error = $3
   WHERE id = $1 AND epoch = $2 AND owner IS NOT NULL
   RETURNING attempts`,
);
const postpone = change("UPDATE job SET due_at = $2 WHERE id = $1");
const release = change(`UPDATE job SET ${END_LEASE} WHERE owner = $1`);

const insertPeriodic = change(
  `INSERT INTO job (name, kind, args, created_at, due_at)
   VALUES ($1, $1, '{}', $2, $2)
   ON CONFLICT (name) DO NOTHING`,
);
const all = statement(
  {
    id: integer,
    name: text,
    kind: text,
    account: nullable(integer),
    createdAt: integer,
    dueAt: integer,
    attempts: integer,
    lastError: nullable(text),
    leasedUntil: nullable(integer),
  },
  `SELECT
     id, name, kind, account_id AS account, created_at AS "createdAt", due_at AS "dueAt", attempts,
     last_error AS "lastError", leased_until AS "leasedUntil"
   FROM job ORDER BY due_at, id`,
);
const byId = statement({ id: integer }, "SELECT id FROM job WHERE id = $1");

export const jobs = feature<Jobs>({
  all: read((db) => db.all(all), { isLookup: true }),
  exists: read(async (db, { id }) => (await db.get(byId, id)) !== null),
  ensurePeriodic: command(async (db, { now }) => {
    for (const kind of Object.keys(periodicJobs)) await db.run(insertPeriodic, kind, now);
    return null;
  }),
  claim: command((db, { owner, until, now, limit }) => db.all(claim, owner, until, now, limit)),
  take: command((db, { owner, until, now, id }) => db.get(take, owner, until, now, id)),
  step: command(async (db, { id, epoch, account, now, until }, context) => {
    const job = await db.get(held, id, epoch, now);
    if (job === null) return "lost";
    const progress = await takeStep(db, { ...job, account, now }, context);
    if (progress !== FINISHED) {
      await db.run(proceed, id, progress, until);
      return "continues";
    }
    const pause = periodicJobs[job.kind];
    await (pause === undefined ? db.run(remove, id) : db.run(repeat, id, now + pause));
    return "finished";
  }),
  fail: command(async (db, { id, epoch, now, error }) => {
    const job = await db.get(failed, id, epoch, error);
    if (job !== null) await db.run(postpone, id, now + retryDelay(job.attempts));
    return null;
  }),
  release: command(async (db, { owner }) => {
    await db.run(release, owner);
    return null;
  }),
});
