/**
 * Numbers per day: who joined and left, and what the programs of each API key called. A day is a UTC day
 * (`calendar.ts`). A change belongs to the day that its history entry names, so an import with dates fills
 * the past.
 */
import type { KeyId } from "./access/key.ts";
import type { Campaign, EventCounts } from "./campaign.ts";
import type { Job } from "./job/job.ts";
import type { List, ListId } from "./list.ts";

/** Both days included. */
export interface DayRange {
  readonly from: number;
  readonly to: number;
}

/** How many began to count on that day, and how many ceased to. Days without a change are not stored. */
export interface DayOfMembers {
  readonly day: number;
  readonly joined: number;
  readonly left: number;
}
export interface MemberDays {
  /** How many there were at the end of the range. */
  readonly atEnd: number;
  readonly days: readonly DayOfMembers[];
}
/** A list over a range of days. */
export interface ListTotals {
  readonly id: ListId;
  readonly name: string;
  readonly joined: number;
  readonly left: number;
  /** Its members now. */
  readonly members: number;
  readonly createdAt: number;
  readonly isDeleting: boolean;
}

export interface CallCounts {
  /** All calls, including the others. */
  readonly calls: number;
  /** Calls that were refused by an outcome; no-ops are none. */
  readonly refusals: number;
  readonly faults: number;
}
export interface DayOfCalls extends CallCounts {
  readonly key: KeyId;
  readonly day: number;
  readonly program: string;
}
/** All programs of a key on one day. */
interface DayOfKey extends CallCounts {
  readonly key: KeyId;
  readonly day: number;
}
/** A program of a key over a range of days. */
export interface ProgramTotals extends CallCounts {
  readonly key: KeyId;
  readonly program: string;
  readonly lastDay: number;
}

/** What some keys were used for over a range of days. */
export interface KeysUse {
  /** Days without a call are left out. */
  readonly days: readonly DayOfKey[];
  /** Of each key the programs with the most calls first, with the number of all. */
  readonly programs: readonly (ProgramTotals & { readonly programCount: number })[];
  readonly quirks: readonly Quirk[];
}

/** More programs of one key on one day are counted together. */
export const MAX_PROGRAMS = 50;
/** Older days of calls are dropped. */
export const CALLS_KEPT_DAYS = 400;

export const quirkKinds = [
  /** The bytes of a request were not in the charset that it declared. */
  "charset-mismatch",
  "http-1.0",
  /** The program reads the WSDL again for at least every second call. */
  "wsdl-every-call",
] as const;
export type QuirkKind = (typeof quirkKinds)[number];
export interface Quirk {
  readonly key: KeyId;
  readonly quirk: QuirkKind;
  /** Who showed it last, and when. */
  readonly program: string;
  readonly seenAt: number;
}

// An account at a glance: how large it is, what is new, and what needs attention.

/** Lists, keys and the events of a campaign are counted up to this number. */
export const MAX_COUNTED = 10_000;
/** Trouble is looked for with the newest keys. */
export const MAX_KEYS = 500;
/** How many of each kind are shown. */
export const MAX_SHOWN = 5;

export interface KeyName {
  readonly key: KeyId;
  readonly label: string;
  readonly hint: string;
}
/** Over some days. */
export type FailingKey = KeyName & CallCounts;
export type QuirkyKey = KeyName & Pick<CallCounts, "calls"> & Pick<Quirk, "quirk" | "program" | "seenAt">;

export interface AccountGlance {
  readonly activeSubscribers: number;
  /** How many different refused calls are stored. */
  readonly refusedCalls: number;
  /** At most `MAX_COUNTED`. */
  readonly lists: number;
  readonly keys: number;
  readonly largestLists: readonly List[];
  /** The newest first; each count is at most `MAX_COUNTED`. */
  readonly lastCampaigns: readonly (Campaign & { readonly events: EventCounts })[];
  /** The keys with the most faults and refused calls first. */
  readonly failingKeys: readonly FailingKey[];
  readonly quirkyKeys: readonly QuirkyKey[];
  /** Jobs that are left to do, the newest first. */
  readonly jobs: readonly Job[];
  /** What a new account needs, as far as it is there. */
  readonly steps: {
    /** Nobody wants to see them any more. */
    readonly areDismissed: boolean;
    readonly hasSender: boolean;
    /** Among the newest changes of the account. */
    readonly hasTest: boolean;
    readonly hasSentCampaign: boolean;
    /** Of the installation. */
    readonly hasBackup: boolean;
  };
}
