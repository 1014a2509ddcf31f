/**
 * Jobs: background work that survives the process which began it. A job exists while work is left. It is done
 * in steps; each step is one transaction that does a bounded piece of work and saves how far it got. Whoever
 * does it holds a lease, which expires by itself. Does not know how a step is done.
 */
import type { AccountId } from "./account.ts";
import type { CampaignId } from "./campaign.ts";
import type { FieldId } from "./field.ts";
import type { Cause } from "./history.ts";
import type { Id } from "./id.ts";
import type { KeyId } from "./key.ts";
import type { ListId } from "./list.ts";
import type { SubscriberId } from "./subscriber.ts";

export type JobId = Id<"JobId">;

/** Every kind of job: its arguments, and its progress. Both are stored as JSON. */
export interface JobKinds {
  /**
   * Ends the memberships of a list in order of the subscribers' ids, then deletes it; `after` is the last one
   * that was ended.
   */
  "delete-list": {
    readonly args: Cause & { readonly list: ListId };
    readonly progress: { readonly after: SubscriberId };
  };
  /**
   * Applies the block list to the subscribers that a pattern covers, in order of address; `after` is the last
   * one that was looked at. An id, so that no address is stored twice; if it was erased, the job starts
   * again.
   */
  "apply-block": {
    readonly args: Cause & { readonly pattern: string };
    readonly progress: { readonly after: SubscriberId };
  };
  /**
   * Deletes the values of a field in order of the subscribers' ids, then the field; `after` is the last
   * subscriber that was looked at. The field is text, because JSON has no numbers of 64 bits.
   */
  "delete-field": {
    readonly args: { readonly field: string };
    readonly progress: { readonly after: SubscriberId };
  };
  /** Deletes the events of a campaign, then the campaign; the progress is the last event that was found. */
  "delete-campaign": {
    readonly args: { readonly campaign: CampaignId };
    readonly progress: EventPosition;
  };
  /**
   * Deletes everything of an account, then the account; `after` is the last subscriber that was deleted, 0 to
   * look again from the beginning.
   */
  "delete-account": {
    readonly args: Record<never, never>;
    readonly progress: { readonly after: SubscriberId };
  };
  /** Drops refused calls that are older than they are kept; `after` is the last account that is finished. */
  "purge-refusals": {
    readonly args: Record<never, never>;
    readonly progress: { readonly after: AccountId };
  };
  /** Drops the days of calls that are older than they are kept; `after` is the last key that is finished. */
  "purge-calls": {
    readonly args: Record<never, never>;
    readonly progress: { readonly after: KeyId };
  };
}
export type JobKind = keyof JobKinds;
export const jobKinds: readonly JobKind[] = [
  "delete-list",
  "apply-block",
  "delete-field",
  "delete-campaign",
  "delete-account",
  "purge-refusals",
  "purge-calls",
];

/** The events of a campaign are ordered by kind, time and id. */
export interface EventPosition {
  readonly event: string;
  readonly at: number;
  readonly id: number;
}

/** The kinds that start again by themselves, and how long after the end of the last run. */
export const periodicJobs: Readonly<Partial<Record<JobKind, number>>> = {
  "purge-refusals": 3_600_000,
  "purge-calls": 3_600_000,
};

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
 * Nobody gets a lease for longer than `LEASE_MS`. One that ends much later was given by a clock that was
 * wrong, and must not stop the job until then.
 */
export const LONGEST_LEASE_MS = 10 * LEASE_MS;

/** There is one job of a name: a command about the same thing replaces it. */
export const deleteListJob = (list: ListId): string => `delete-list ${list}`;
export const deleteFieldJob = (field: FieldId): string => `delete-field ${field}`;
export const deleteCampaignJob = (campaign: CampaignId): string => `delete-campaign ${campaign}`;
export const deleteAccountJob = (account: AccountId): string => `delete-account ${account}`;
export const applyBlockJob = (account: AccountId, pattern: string): string =>
  `apply-block ${account} ${pattern}`;

export type JobState = "waiting" | "running" | "retrying";
export function stateOfJob({ leasedUntil, attempts }: Job, now: number): JobState {
  if (leasedUntil !== null && leasedUntil > now) return "running";
  return attempts > 0 ? "retrying" : "waiting";
}

const FIRST_RETRY_MS = 5000;
const LAST_RETRY_MS = 3_600_000;
/**
 * No job waits for longer than for its next attempt or its period. One that is due much later was stored by a
 * clock that was wrong, and is due now.
 */
export const LONGEST_WAIT_MS = 2 * Math.max(LAST_RETRY_MS, ...Object.values(periodicJobs));
/** `attempts` counts the failure that has just happened. */
export const retryDelay = (attempts: number): number =>
  Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LAST_RETRY_MS);

/** What is stored of an error; the log has the whole. */
const ERROR_LENGTH = 500;
export const errorText = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, ERROR_LENGTH);

/** `lost`: somebody else has the job, or it is finished; the step changed nothing. */
export type StepOutcome = "continues" | "finished" | "lost";
