/**
 * What `mailroll doctor` finds out about jobs: those that fail, that nobody does, or that a copy has
 * interrupted.
 */
import { type Job, leftStateOf } from "#domain/job/job.ts";
import { isPeriodic, jobKinds } from "#domain/job/kinds.ts";
import { rewriteDueSince } from "#domain/job/night.ts";
import { counted, formatNumber } from "../kit/terminal/numbers.ts";
import { moment } from "../kit/terminal/output.ts";

export interface JobFinding {
  readonly status: "ok" | "warning";
  readonly message: string;
}

/** A server begins a job that is due within seconds. */
const OVERDUE_MS = 600_000;

/** A periodic job that waits because no server runs does no harm. */
const isOverdue = (job: Job, now: number): boolean =>
  !isPeriodic(job.kind) && leftStateOf(job, now) === "waiting" && now - job.dueAt > OVERDUE_MS;

const adviceFor = ({ kind }: Job): string =>
  (jobKinds as readonly string[]).includes(kind)
    ? "start the server ('mailroll serve'), which finishes it"
    : "this version does not know such jobs; run the newer Mailroll that left it";

const interruption = ({ id, name, endedAt }: Job): JobFinding => ({
  status: "warning",
  message: `job ${name} was interrupted when this database was copied or restored, at ${moment(endedAt ?? 0)}; to do the rest, run the command again that began it; 'mailroll job show ${id}' says who did`,
});

export function findingsOfJobs(all: readonly Job[], now: number): readonly JobFinding[] {
  const jobs = all.filter(({ ending }) => ending === null);
  const interrupted = all.filter(({ ending }) => ending === "interrupted").map(interruption);
  const failing = jobs
    .filter((job) => leftStateOf(job, now) === "retrying")
    .map((job): JobFinding => {
      const { name, attempts, dueAt, lastError } = job;
      const since = rewriteDueSince([job], now);
      const due = since === null ? "" : `; it has been due since ${moment(since)}`;
      return {
        status: "warning",
        message: `job ${name} failed ${counted(attempts, "time")}: ${lastError ?? "no reason is known"}; a server repeats it at ${moment(dueAt)}${due}`,
      };
    });
  const waiting = jobs
    .filter((job) => isOverdue(job, now))
    .map(
      (job): JobFinding => ({
        status: "warning",
        message: `job ${job.name} has been waiting since ${moment(job.dueAt)}; ${adviceFor(job)}`,
      }),
    );
  const found = [...failing, ...waiting, ...interrupted];
  if (found.length > 0) return found;
  const left = jobs.filter(({ kind }) => !isPeriodic(kind)).length;
  return [{ status: "ok", message: `none is failing; left to do: ${formatNumber(left)}` }];
}
