/** An account at a glance: how large it is, what is new, and what needs somebody. */
import type { KeyId } from "./access/key.ts";
import type { Campaign, EventCounts } from "./campaign.ts";
import type { Job } from "./job/job.ts";
import type { List } from "./list.ts";
import type { CallCounts, Quirk } from "./statistics.ts";

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
  /** Those with the most faults and refused calls first. */
  readonly failingKeys: readonly FailingKey[];
  readonly quirkyKeys: readonly QuirkyKey[];
  /** Those that are left to do, the newest first. */
  readonly jobs: readonly Job[];
}
