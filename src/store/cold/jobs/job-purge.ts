/** Drops jobs that ended long ago, in batches. */
import { KEPT_JOB_MS } from "#domain/job/job.ts";
import { STEP } from "../../writes/step.ts";
import type { Db } from "../kit/db.ts";
import { change } from "../kit/statement.ts";

const drop = change(
  `DELETE FROM job
   WHERE id IN (SELECT id FROM job WHERE ended_at IS NOT NULL AND ended_at < $1 ORDER BY ended_at LIMIT $2)`,
);

/** Returns how many; fewer than `STEP` if there are no more. */
export const dropEndedJobs = (db: Db, now: number): Promise<number> => db.run(drop, now - KEPT_JOB_MS, STEP);
