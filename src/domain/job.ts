/**
 * Jobs: background work that survives the process which began it. A job exists while work is left. It is done
 * in steps; each step is one transaction that does a bounded piece of work and saves how far it got. Whoever
 * does it holds a lease, which expires by itself. Does not know how a step is done.
 */
import type { AccountId } from "./account.ts";
import type { Cause } from "./history.ts";
import type { Id } from "./id.ts";
import type { ListId } from "./list.ts";
import type { SubscriberId } from "./subscriber.ts";

export type JobId = Id<"JobId">;

/** Every kind of job: its arguments, and its progress. Both are stored as JSON. */
export interface JobKinds {
  /** Ends the memberships of a list, then deletes it. */
  "delete-list": { readonly args: Cause & { readonly list: ListId }; readonly progress: null };
  /** Applies the block list to the subscribers that a pattern covers; `after` is the last one looked at. */
  "apply-block": {
    readonly args: Cause & { readonly pattern: string };
    readonly progress: { readonly after: SubscriberId };
  };
  /** Drops refused calls that are older than they are kept; `after` is the last account that was finished. */
  "purge-refusals": {
    readonly args: Record<never, never>;
    readonly progress: { readonly after: AccountId };
  };
}
export type JobKind = keyof JobKinds;
export const jobKinds: readonly JobKind[] = ["delete-list", "apply-block", "purge-refusals"];

/** The kinds that start again by themselves, and how long after the end of the last run. */
export const periodicJobs: Readonly<Partial<Record<JobKind, number>>> = { "purge-refusals": 3_600_000 };

export interface Job {
  readonly id: JobId;
  readonly kind: string;
  /** The kind and what it is about, such as `delete-list 3`. There is one job of a name. */
  readonly name: string;
  /** null: the job concerns the whole installation. */
  readonly account: AccountId | null;
  readonly createdAt: number;
  /** When it may begin; after a failure, when it may be repeated. */
  readonly dueAt: number;
  /** Failures since the last step that succeeded. */
  readonly attempts: number;
  readonly lastError: string | null;
  /** Until when somebody is doing it; null: nobody. */
  readonly leasedUntil: number | null;
}

/** The right to do the next steps of a job. It ends when somebody else gets one: their epoch is higher. */
export interface Lease {
  readonly id: JobId;
  readonly epoch: number;
  readonly kind: JobKind;
  readonly account: AccountId | null;
  readonly attempts: number;
}
/** Who asks for a lease, and until when. */
export interface LeaseRequest {
  readonly owner: string;
  readonly until: number;
}

/** A step takes well under a second. A process that was killed is replaced after this time. */
export const LEASE_MS = 30_000;
/**
 * Nobody gets a lease for longer than `LEASE_MS`. One that ends much later was given by a clock that was wrong,
 * and must not stop the job until then.
 */
export const LONGEST_LEASE_MS = 10 * LEASE_MS;

export type JobState = "waiting" | "running" | "retrying";
export function stateOfJob({ leasedUntil, attempts }: Job, now: number): JobState {
  if (leasedUntil !== null && leasedUntil > now) return "running";
  return attempts > 0 ? "retrying" : "waiting";
}

const FIRST_RETRY_MS = 5000;
const LAST_RETRY_MS = 3_600_000;
/** `attempts` counts the failure that has just happened. */
export const retryDelay = (attempts: number): number =>
  Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LAST_RETRY_MS);

/** What is stored of an error; the log has the whole. */
const ERROR_LENGTH = 500;
export const errorText = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, ERROR_LENGTH);

/** `lost`: somebody else has the job, or it is finished; the step changed nothing. */
export type StepOutcome = "continues" | "finished" | "lost";

/** Implemented by the stores. */
export interface Jobs {
  /** Creates the periodic jobs that do not exist yet; they are due at once. */
  ensurePeriodic(args: { readonly now: number }): Promise<null>;
  /** Leases of jobs that are due and that nobody is doing, the longest due first. */
  claim(args: LeaseRequest & { readonly now: number; readonly limit: number }): Promise<readonly Lease[]>;
  /** Does the next step, saves the progress and extends the lease to `until`, in one transaction. */
  step(
    args: Pick<Lease, "id" | "epoch" | "account"> & { readonly now: number; readonly until: number },
  ): Promise<StepOutcome>;
  /** Ends a lease after a failure; the job is due again later. */
  fail(args: Pick<Lease, "id" | "epoch"> & { readonly now: number; readonly error: string }): Promise<null>;
  /** Ends all leases of a process that stops. */
  release(args: { readonly owner: string }): Promise<null>;
  all(): Promise<readonly Job[]>;
  /** Whether the job is left to do. */
  exists(args: Pick<Lease, "id">): Promise<boolean>;
}
