/**
 * The job that rewrites the database in the night after an erasure. There is one, however many erasures come
 * before it.
 */

import { nextNight } from "#domain/job/job.ts";
import { REWRITE_JOB } from "#domain/job/kinds.ts";
import type { Db } from "../kit/db.ts";
import { integer, statement } from "../kit/statement.ts";

/**
 * A rewrite that is under way may have passed the rows that are being deleted now. So it does not end the
 * job: the process that does it loses the lease, and the job is due again in the next night.
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
