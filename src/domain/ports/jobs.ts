/** Jobs and their leases. */
import type { Job, JobId, Lease, LeaseRequest, StepOutcome } from "../job.ts";

/** Identifies a lease; the account is that of the job. */
export type LeaseKey = Pick<Lease, "id" | "epoch" | "account">;

export interface Jobs {
  all(): Promise<readonly Job[]>;
  /** Whether the job is left to do. */
  exists(args: { readonly id: JobId }): Promise<boolean>;
  /** Creates the periodic jobs that do not exist yet; they are due at once. */
  ensurePeriodic(args: { readonly now: number }): Promise<null>;
  /** Leases of jobs that are due and that nobody is doing, the longest due first. */
  claim(args: LeaseRequest & { readonly now: number; readonly limit: number }): Promise<readonly Lease[]>;
  /** The lease of one job, due or not; null if it is finished or somebody is doing it. */
  take(args: LeaseRequest & { readonly now: number; readonly id: JobId }): Promise<Lease | null>;
  /** Does the next step, saves the progress and extends the lease to `until`, in one transaction. */
  step(args: LeaseKey & { readonly now: number; readonly until: number }): Promise<StepOutcome>;
  /** Ends a lease after a failure; the job is due again later. */
  fail(args: LeaseKey & { readonly now: number; readonly error: string }): Promise<null>;
  /** Ends all leases of a process that stops. */
  release(args: { readonly owner: string }): Promise<null>;
}
