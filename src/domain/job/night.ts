/** When work is done that disturbs others, and since when it is due. */
import type { Job } from "./job.ts";
import { REWRITE_JOB } from "./kinds.ts";

const HOUR = 3;

/** The next 03:00 after `now`, in the time zone of the server. */
export function nextNight(now: number): number {
  const night = new Date(now);
  night.setHours(HOUR, 0, 0, 0);
  if (night.getTime() <= now) {
    night.setDate(night.getDate() + 1);
    // Once more: if the clocks went forward past this hour today, it was another hour.
    night.setHours(HOUR, 0, 0, 0);
  }
  return night.getTime();
}

/**
 * Since when the database is to be rewritten after an erasure; null: that is not due. A job that has failed
 * is due again later, so this follows from its creation.
 */
export function rewriteDueSince(left: readonly Job[], now: number): number | null {
  const nights = left.filter(({ kind }) => kind === REWRITE_JOB).map(({ createdAt }) => nextNight(createdAt));
  return nights.find((night) => night <= now) ?? null;
}
