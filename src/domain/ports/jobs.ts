/** Jobs and their leases. */
import type { Audited, AuditedValues } from "../access/audit.ts";
import type { AccountId } from "../account.ts";
import type { Job, JobEnding, JobId, Lease, LeaseRequest, StepOutcome } from "../job/job.ts";
import type { JobKinds, WorkedKind } from "../job/kinds.ts";
import type { JobResult } from "../job/result.ts";
import type { OfAccount } from "./command.ts";
import type { Listing } from "./listing.ts";
import type { ReplayedCall } from "./refused-calls.ts";

/** Identifies a lease; the account is that of the job. */
type LeaseKey = Pick<Lease, "id" | "epoch" | "account">;
/** A job, of an account or, with null, of the whole installation. */
export interface OneJob {
  readonly account: AccountId | null;
  readonly id: JobId;
}

/** A job that only consists of its steps: nothing of it is done in the transaction that creates it. */
export interface StartJob<Kind extends keyof JobKinds = keyof JobKinds> extends OfAccount, Audited {
  readonly kind: Kind;
  readonly name: string;
  readonly args: JobKinds[Kind]["args"];
  readonly total: number | null;
  readonly at: number;
  readonly lease: LeaseRequest;
  /** For the audit log; nothing about one person. */
  readonly audited: AuditedValues;
}

/** Where a process continues a job that it does with several commands. */
export interface JobPosition<Kind extends WorkedKind = WorkedKind> {
  readonly args: JobKinds[Kind]["args"];
  /** null: at the beginning. */
  readonly progress: JobKinds[Kind]["progress"] | null;
  readonly result: JobResult | null;
}
/** How far a process got with a job. */
interface JobProgress {
  readonly progress: object;
  /** How many more were dealt with, besides `calls`. */
  readonly done: number;
  readonly result: JobResult | null;
  /**
   * Refused calls to be executed again in the same transaction, in order; the result is a `ReplayResult`, and
   * what becomes of them is added to it.
   */
  readonly calls?: readonly ReplayedCall[] | undefined;
  /** null: there is more to do. `error` is the reason of a failure. */
  readonly ending: Extract<JobEnding, "finished" | "failed"> | null;
  readonly error: string | null;
}

export interface Jobs {
  /** Every job that is left to do, of all accounts. */
  left(): Promise<readonly Job[]>;
  /** Jobs that were interrupted because the database was copied, of all accounts. */
  interrupted(): Promise<readonly Job[]>;
  /** Also jobs that have ended; the newest first. */
  readonly all: Listing<OfAccount, Job>;
  readonly ofInstallation: Listing<Record<never, never>, Job>;
  /** null: there is no such job, or it was of another account. */
  byId(args: OneJob): Promise<Job | null>;
  /**
   * Creates the periodic jobs that do not exist yet, which are due at once, and deletes the jobs of earlier
   * versions.
   */
  ensurePeriodic(args: { readonly now: number }): Promise<null>;
  /**
   * Sees to it that the database is rewritten in the next night, or earlier if that is due earlier. Returns
   * when. One job does it for all.
   */
  scheduleRewrite(args: { readonly now: number }): Promise<number>;
  /** Creates a job, or replaces the one of its name; null: the account has too many jobs already. */
  start(args: StartJob): Promise<Lease | null>;
  /** Leases of jobs that are due and that no process is doing, the longest due first. */
  claim(args: LeaseRequest & { readonly now: number; readonly limit: number }): Promise<readonly Lease[]>;
  /** The lease of one job, due or not; null if it has ended or a process is doing it. */
  take(args: LeaseRequest & { readonly now: number; readonly id: JobId }): Promise<Lease | null>;
  /** Does the next step, saves the progress and extends the lease to `until`, in one transaction. */
  step(args: LeaseKey & { readonly now: number; readonly until: number }): Promise<StepOutcome>;
  /** Where to continue a job that a process does itself; it extends the lease. */
  resume(
    args: LeaseKey & { readonly now: number; readonly until: number },
  ): Promise<JobPosition | Extract<StepOutcome, "cancelled" | "lost">>;
  /** Saves how far the process got, and extends the lease. */
  proceed(
    args: LeaseKey & JobProgress & { readonly now: number; readonly until: number },
  ): Promise<StepOutcome>;
  /** Ends a lease after a failure; the job is due again later. */
  fail(args: LeaseKey & { readonly now: number; readonly error: string }): Promise<null>;
  /**
   * Asks the process that does the job to end it; ends it if none does. `isCancelled` is false if it has
   * ended, or must not be cancelled. null: there is no such job.
   */
  cancel(
    args: OneJob & Audited & { readonly now: number },
  ): Promise<{ readonly job: Job; readonly isCancelled: boolean } | null>;
  /** Ends one lease, without a failure; any process may continue the job, from `dueAt` on. */
  handBack(args: LeaseKey & { readonly dueAt: number }): Promise<null>;
  /** Ends all leases of a process that stops. */
  release(args: { readonly owner: string }): Promise<null>;
  /** Who holds leases. */
  owners(): Promise<readonly string[]>;
}
