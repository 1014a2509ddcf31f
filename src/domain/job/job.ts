/**
 * Jobs: background work that survives the process which began it. It is done in steps, each of which does a
 * bounded piece of work and saves how far it got. The process that does it holds a lease, which expires by
 * itself. A job that has ended is kept for a while, so that one can see what became of it. Does not know how
 * a step is done.
 */
import type { Origin } from "../access/origin.ts";
import type { AccountId } from "../account.ts";
import type { Id } from "../id.ts";
import { type JobKind, periodicJobs, REWRITE_JOB, timesOf } from "./kinds.ts";
import type { JobResult } from "./result.ts";

export type JobId = Id<"JobId">;

/**
 * How a job has ended. `failed`: it can never be continued; a step that fails for now is repeated instead.
 * `interrupted`: the database was copied or restored while work was left.
 */
export const jobEndings = ["finished", "cancelled", "failed", "interrupted"] as const;
export type JobEnding = (typeof jobEndings)[number];
export const leftStates = ["waiting", "running", "retrying"] as const;
type LeftState = (typeof leftStates)[number];
export type JobState = LeftState | JobEnding;

/** A store knows the id of a key or a user, and the name of an operator. */
interface JobActor {
  readonly kind: Origin["kind"];
  readonly id: string | null;
  readonly name: string | null;
}

export interface Job {
  readonly id: JobId;
  readonly kind: string;
  /** The kind and what it is about, such as `delete-list 3`. Of a name, at most one job is left to do. */
  readonly name: string;
  /** null: the job concerns the whole installation. */
  readonly account: AccountId | null;
  readonly createdAt: number;
  /** Who began it; null: the service, or it is not known. */
  readonly by: JobActor | null;
  /** How many it has dealt with: memberships, values, events, subscribers or refused calls. */
  readonly done: number;
  /** null: not known. */
  readonly total: number | null;
  readonly result: JobResult | null;
  /** When it may begin; after a failure, when it may be repeated. */
  readonly dueAt: number;
  /** Failures since the last step that succeeded. */
  readonly attempts: number;
  readonly lastError: string | null;
  /** Until when a process is doing it; null: no process is. */
  readonly leasedUntil: number | null;
  /** When a server first took it; null: none has, or the command that created it also does it. */
  readonly startedAt: number | null;
  /** When an operator asked to cancel it; its next step ends it. */
  readonly cancelledAt: number | null;
  readonly endedAt: number | null;
  readonly ending: JobEnding | null;
}

/** How long work goes on before anybody sees how long it will take: the beginning is no measure. */
export const ESTIMATED_AFTER_MS = 30_000;

/** Since when work goes on; it may have waited before for a process to take it. */
export const workedSince = ({ startedAt, createdAt }: Job): number => startedAt ?? createdAt;

/** The right to do the next steps of a job. It ends when another process gets one, whose epoch is higher. */
export interface Lease {
  readonly id: JobId;
  readonly epoch: number;
  readonly kind: JobKind;
  readonly account: AccountId | null;
  readonly attempts: number;
  readonly dueAt: number;
}
/** Who asks for a lease, and until when. */
export interface LeaseRequest {
  readonly owner: string;
  readonly until: number;
}

/** A step takes well under a second. A process that was killed is replaced after this time. */
export const LEASE_MS = 30_000;
/**
 * No lease is given for longer than `LEASE_MS`. A lease that ends much later was given by a clock that was
 * wrong, and must not stop the job until then.
 */
export const LONGEST_LEASE_MS = 10 * LEASE_MS;

export const leaseMsOf = (kind: JobKind): number => timesOf(kind)?.leaseMs ?? LEASE_MS;
export const longestLeaseOf = (kind: JobKind): number =>
  Math.max(LONGEST_LEASE_MS, 2 * (timesOf(kind)?.leaseMs ?? 0));

const DAY_MS = 86_400_000;
/** How long a job is kept after its end. */
export const KEPT_JOB_MS = 30 * DAY_MS;

/** Of a job that is left to do. */
export function leftStateOf({ leasedUntil, attempts }: Job, now: number): LeftState {
  if (leasedUntil !== null && leasedUntil > now) return "running";
  return attempts > 0 ? "retrying" : "waiting";
}
export const stateOfJob = (job: Job, now: number): JobState => job.ending ?? leftStateOf(job, now);

const FIRST_RETRY_MS = 5000;
const LAST_RETRY_MS = 3_600_000;
/**
 * No job waits for longer than for its next attempt or its period. A job that is due much later was stored by
 * a clock that was wrong, and is due now.
 */
export const LONGEST_WAIT_MS = 2 * Math.max(LAST_RETRY_MS, ...Object.values(periodicJobs));
export const longestWaitOf = (kind: JobKind): number =>
  Math.max(LONGEST_WAIT_MS, 2 * (timesOf(kind)?.waitMs ?? 0));
/** `attempts` counts the failure that has just happened. */
export const retryDelay = (attempts: number, kind?: JobKind): number =>
  (kind === undefined ? null : timesOf(kind)?.retryMs) ??
  Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LAST_RETRY_MS);

/** What is stored of an error; the log has the whole. */
const ERROR_LENGTH = 500;
export const errorText = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, ERROR_LENGTH);

/** `lost`: another process has the job, or it has ended; the step changed nothing. */
export type StepOutcome = "continues" | "finished" | "cancelled" | "failed" | "lost";

/** When work is done that disturbs others, and since when it is due. */
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
