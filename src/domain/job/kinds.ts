/**
 * The kinds of jobs: what each stores, which of them a process does outside of the store, which start again
 * by themselves, and which can be cancelled.
 */
import type { ImportId, Origin } from "../access/origin.ts";
import type { AccountId } from "../account.ts";
import type { CampaignId } from "../campaign.ts";
import type { FieldId } from "../field/field.ts";
import type { ImportJob, ImportJobProgress } from "../import/job.ts";
import type { ListId } from "../list.ts";
import type { Cursor } from "../ports/listing.ts";
import type { GroupCorrections, RefusalGroup, RefusalId, RefusalRange } from "../refused-call.ts";
import type { DomainCounts } from "../sending/domains.ts";
import type { RetriedState } from "../sending/recipient.ts";
import type { BulkArguments } from "../subscriber/bulk-change.ts";
import type { Cause } from "../subscriber/history.ts";
import type { SubscriberId } from "../subscriber/subscriber.ts";

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
  /** Deletes the events of a campaign, its ledger, then the campaign. */
  "delete-campaign": {
    readonly args: { readonly campaign: CampaignId };
    readonly progress: CampaignPosition;
  };
  /**
   * Deletes everything of an account, then the account; `after` is the last subscriber that was deleted, 0 to
   * look again from the beginning.
   */
  "delete-account": {
    /** Whether the database is rewritten in the night after the end. */
    readonly args: { readonly rewriteLater?: boolean };
    readonly progress: { readonly after: SubscriberId };
  };
  /**
   * Deletes what is older than it is kept, item by item of a list: `of` is the item, `after` the last account
   * or key that is finished, if the item is deleted in that order; of ledgers, how many are passed.
   */
  purge: {
    readonly args: Record<never, never>;
    readonly progress: { readonly of: string; readonly after: number };
  };
  /** Imports an upload. Where it continues is stored with the rows. */
  import: { readonly args: ImportJob; readonly progress: ImportJobProgress };
  /**
   * Undoes an import, in order of the subscribers' ids; `after` is the last one that was looked at.
   */
  "undo-import": {
    readonly args: UndoArguments;
    readonly progress: { readonly after: SubscriberId };
  };
  /** Counts what that would do, and changes nothing. */
  "dry-run-undo": {
    readonly args: UndoArguments;
    readonly progress: { readonly after: SubscriberId };
  };
  /** Removes what deleted rows have left in the files of the database. */
  "rewrite-database": {
    readonly args: Record<never, never>;
    readonly progress: Record<never, never>;
  };
  /**
   * Selects the recipients of a campaign, list by list in order of the subscribers' ids: `list` is the
   * position of the list, `after` the last of its members that was looked at.
   */
  "select-recipients": {
    readonly args: { readonly campaign: CampaignId };
    readonly progress: { readonly list: number; readonly after: SubscriberId };
  };
  /** Removes a group of refused calls, in order of id; `after` is the last one that was looked at. */
  "dismiss-refusals": {
    readonly args: RefusalRange;
    readonly progress: { readonly after: RefusalId };
  };
  /** Makes the same change to all subscribers that a search finds, or whose bounces are to be cleared. */
  "change-subscribers": {
    readonly args: BulkArguments;
    readonly progress: { readonly after: Cursor };
  };
  /**
   * Counts what such a change would do, and changes nothing. A kind of its own, so that a version that does
   * not know it makes no change.
   */
  "dry-run-change": {
    readonly args: BulkArguments;
    readonly progress: { readonly after: Cursor };
  };
  /**
   * Puts failed or unknown recipients of a campaign back, in order of the subscribers' ids; `after` is the
   * last one that was looked at, or 0 while others are left out that a cancelled campaign was to try again.
   */
  "retry-recipients": {
    readonly args: { readonly campaign: CampaignId; readonly states: readonly RetriedState[] };
    readonly progress: { readonly after: SubscriberId };
  };
  /**
   * Makes recipients of a campaign that has ended what they were before they were put back, in order of the
   * subscribers' ids; `after` is the last one that was looked at.
   */
  "restore-recipients": {
    readonly args: { readonly campaign: CampaignId };
    readonly progress: { readonly after: SubscriberId };
  };
  /** Executes a group of refused calls again, in order of id; `after` is the last one that was looked at. */
  "replay-refusals": {
    readonly args: RefusalRange & {
      readonly origin: Origin;
      /** Absent: the calls are executed as they are. */
      readonly corrections?: GroupCorrections;
    };
    readonly progress: { readonly after: RefusalId };
  };
  /**
   * Makes the messages of a campaign without sending them; `after` is null at the beginning. `upTo` is the
   * last one of the next page whose message was made, if the page was not finished.
   */
  "dry-run-campaign": {
    readonly args: { readonly campaign: CampaignId };
    readonly progress: {
      readonly after: Cursor | null;
      readonly upTo?: SubscriberId;
      readonly domains: DomainCounts;
    };
  };
}
export type UndoArguments = Pick<Cause, "origin"> & { readonly import: ImportId };
export type JobKind = keyof JobKinds;

interface KindRule {
  /** `store`: a step is one transaction. `process`: a process does it with several commands of the store. */
  readonly doneBy: "store" | "process";
  /** Why it cannot be cancelled: a sentence without its beginning. null: it can. */
  readonly mustEnd: string | null;
  /** Starts again by itself, so long after the end of the last run. */
  readonly everyMs?: number;
  /** For a kind that waits for the night, takes long and disturbs others. */
  readonly times?: JobTimes;
}
/** Where the times of a kind differ from the usual ones. */
interface JobTimes {
  /** A piece must end within this time. A process that was killed is replaced after it. */
  readonly leaseMs: number;
  /** How long before it is due a job may be created. */
  readonly waitMs: number;
  /** How long after a failure it is repeated. */
  readonly retryMs: number;
}
const deletion = (what: string): KindRule => ({
  doneBy: "store",
  mustEnd: `part of the ${what} is deleted already, and the rest cannot be used without it`,
});
const maintenance = (everyMs: number): KindRule => ({
  doneBy: "store",
  mustEnd: "it is maintenance, which runs again and again by itself",
  everyMs,
});
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const rules = {
  "delete-list": deletion("list"),
  "apply-block": {
    doneBy: "store",
    mustEnd:
      "calls already follow the changed block list, but some subscribers would not; to undo it, change the block list again, which replaces this job",
  },
  "delete-field": deletion("field"),
  "delete-campaign": deletion("campaign"),
  "delete-account": deletion("account"),
  purge: maintenance(HOUR_MS),
  import: { doneBy: "process", mustEnd: null },
  "undo-import": { doneBy: "store", mustEnd: null },
  "dry-run-undo": { doneBy: "store", mustEnd: null },
  "rewrite-database": {
    doneBy: "process",
    mustEnd: "subscribers were erased, and their traces would stay in the files of the database",
    times: { leaseMs: HOUR_MS, waitMs: DAY_MS, retryMs: HOUR_MS },
  },
  "select-recipients": {
    doneBy: "store",
    mustEnd:
      "the campaign would be sent to some of its recipients only; to stop it, pause or cancel the campaign",
  },
  "dismiss-refusals": { doneBy: "store", mustEnd: null },
  "change-subscribers": { doneBy: "store", mustEnd: null },
  "dry-run-change": { doneBy: "store", mustEnd: null },
  "retry-recipients": { doneBy: "store", mustEnd: null },
  "restore-recipients": {
    doneBy: "store",
    mustEnd: "it would be forgotten who may have got the campaign already, and what the relay said",
  },
  "replay-refusals": { doneBy: "process", mustEnd: null },
  "dry-run-campaign": { doneBy: "process", mustEnd: null },
} as const satisfies Readonly<Record<JobKind, KindRule>>;

/** The kinds that a process does with several commands of the store; `jobs/do-job.ts` says how. */
export type WorkedKind = {
  [Kind in JobKind]: (typeof rules)[Kind]["doneBy"] extends "process" ? Kind : never;
}[JobKind];
/** The kinds of which a step is one transaction of the store. */
export type SteppedKind = Exclude<JobKind, WorkedKind>;

export const jobKinds = Object.keys(rules) as readonly JobKind[];
const ruleOf = (kind: string): KindRule | null =>
  Object.hasOwn(rules, kind) ? rules[kind as JobKind] : null;

export const isWorkedKind = (kind: JobKind): kind is WorkedKind => ruleOf(kind)?.doneBy === "process";
/** Why a job of the kind cannot be cancelled; null if it can. */
export const mustEnd = (kind: string): string | null => {
  const rule = ruleOf(kind);
  return rule === null ? "this version does not know such jobs" : rule.mustEnd;
};

export const timesOf = (kind: string): JobTimes | null => ruleOf(kind)?.times ?? null;

/** The events of a campaign are ordered by kind, time and id. */
export interface EventPosition {
  readonly event: string;
  readonly at: number;
  readonly id: number;
}

/** How far the deletion of a campaign got: the last event that was found, then the last recipient. */
export type CampaignPosition = EventPosition | { readonly recipient: SubscriberId };

/** The kinds that start again by themselves, and how long after the end of the last run. */
export const periodicJobs: Readonly<Partial<Record<JobKind, number>>> = Object.fromEntries(
  jobKinds.flatMap((kind) => {
    const everyMs = ruleOf(kind)?.everyMs;
    return everyMs === undefined ? [] : [[kind, everyMs]];
  }),
);

/**
 * Periodic jobs of earlier versions, which `purge` replaces. A database may contain them, and an older node
 * creates them; the next start of `serve` deletes them.
 */
export const replacedJobs = [
  "purge-refusals",
  "purge-calls",
  "purge-jobs",
  "purge-uploads",
  "purge-idempotency-keys",
  "purge-sessions",
  "purge-ledger",
] as const;
export const isPeriodic = (kind: string): boolean =>
  kind in periodicJobs || (replacedJobs as readonly string[]).includes(kind);
/** Whether the service created the job by itself: a copy of the database needs it, too. */
export const isMaintenance = (kind: string): boolean => isPeriodic(kind) || kind === REWRITE_JOB;

/** There is one for the installation, so the kind is the name. */
export const REWRITE_JOB = "rewrite-database" satisfies JobKind;
/** Of a name, at most one job is left to do: a command about the same thing replaces it. */
export const deleteListJob = (list: ListId): string => `delete-list ${list}`;
export const deleteFieldJob = (field: FieldId): string => `delete-field ${field}`;
export const deleteCampaignJob = (campaign: CampaignId): string => `delete-campaign ${campaign}`;
export const retryRecipientsJob = (campaign: CampaignId): string => `retry-recipients ${campaign}`;
export const restoreRecipientsJob = (campaign: CampaignId): string => `restore-recipients ${campaign}`;
export const undoImportJob = (id: ImportId): string => `undo-import ${id}`;
export const dryRunUndoJob = (id: ImportId): string => `dry-run-undo ${id}`;
export const dryRunJob = (campaign: CampaignId): string => `dry-run-campaign ${campaign}`;
export const deleteAccountJob = (account: AccountId): string => `delete-account ${account}`;
export const selectRecipientsJob = (campaign: CampaignId): string => `select-recipients ${campaign}`;
export const applyBlockJob = (account: AccountId, pattern: string): string =>
  `apply-block ${account} ${pattern}`;

export const refusalGroupJob = (
  kind: "dismiss-refusals" | "replay-refusals",
  account: AccountId,
  { operation, outcome, key }: RefusalGroup,
): string => [kind, account, operation, outcome, ...(key === null ? [] : [key])].join(" ");
/** Several may run at the same time, so each has a `mark` of its own. */
export const changeSubscribersJob = (
  account: AccountId,
  change: BulkArguments["change"]["kind"],
  mark: string,
  kind: "change-subscribers" | "dry-run-change" = "change-subscribers",
): string => `${kind} ${account} ${change} ${mark}`;
