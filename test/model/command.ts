/**
 * The commands of one account. Objects are named by the order of their creation, such as "the second list"; a
 * number beyond it is unknown to the account.
 */
import type { Origin } from "#domain/access/origin.ts";
import type { CampaignEvent } from "#domain/campaign.ts";
import type { DataType } from "#domain/field/field.ts";
import type { Erasure } from "#domain/ports/subscribers.ts";
import type { BasicData, ClearableSuppression } from "#domain/subscriber/subscriber.ts";

interface Timed {
  readonly at: number;
  readonly origin: Origin;
}
/** The address in one of its spellings. */
interface About extends Timed {
  readonly email: string;
}
export interface Data {
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly gender: string | null;
  readonly birthday: string | null;
  readonly countryNumber: number | null;
  readonly values: readonly { readonly field: number | null; readonly value: string | null }[];
}

/** A row of an import file, with every value in its stored form. */
export interface Row {
  readonly email: string;
  readonly joinedAt: number | null;
  readonly suppressions: Readonly<Partial<Record<ClearableSuppression, number>>>;
  readonly isDuplicate: boolean;
  readonly data: Readonly<Partial<BasicData>>;
  readonly values: readonly { readonly field: number; readonly value: string }[];
}
/** Onto a list; if that is null, only suppressions are imported. */
export interface Import extends Timed {
  readonly kind: "import";
  readonly list: number | null;
  readonly overwrite: boolean;
  readonly rows: readonly Row[];
}

/** Commands that are committed in groups, in the order of submission. */
export type CallerCommand =
  | (About & { readonly kind: "add"; readonly list: number; readonly status?: "active" | "pending" })
  | (About & { readonly kind: "add-with-data"; readonly list: number; readonly data: Data })
  | (About & { readonly kind: "remove"; readonly list: number })
  | (About & { readonly kind: "unsubscribe" })
  | (About & { readonly kind: "reactivate"; readonly suppression: ClearableSuppression })
  | (About & { readonly kind: "event"; readonly campaign: number; readonly event: CampaignEvent })
  | (Timed & { readonly kind: "add-field"; readonly name: string | null; readonly type: DataType })
  | Import;

/** Of a subscriber by an operator; empty values are cleared, and `to` is another address. */
export interface Correction extends About {
  readonly kind: "correct";
  readonly to: string | null;
  readonly data: Readonly<Partial<BasicData>>;
  readonly values: readonly { readonly field: number; readonly value: string }[];
}

/** Commands that may run concurrently with a group. */
export type Interrupting =
  | (Timed & { readonly kind: "block" | "unblock"; readonly pattern: string })
  | (Timed & { readonly kind: "erase"; readonly key: string })
  | Correction
  | { readonly kind: "limit"; readonly subscribers: number | null; readonly fields: number | null }
  | { readonly kind: "rename-list"; readonly list: number; readonly name: string };

/** Commands that run alone. */
export type Standalone =
  | (Timed & { readonly kind: "create-list"; readonly name: string })
  | (Timed & { readonly kind: "delete-list"; readonly list: number })
  | (Timed & {
      readonly kind: "record-campaign";
      readonly lists: readonly number[];
      readonly sentAt: number | null;
    })
  | Import;

export type Command = CallerCommand | Interrupting | Standalone;
/**
 * The outcome with the store's name for it; for an import those of all rows; a boolean if there is nothing
 * else.
 */
export type Outcome =
  | string
  | boolean
  | (Erasure & { readonly refusedCalls: number; readonly rewriteAt: number | null });

/** The visible state of the account. */
export interface Seen {
  readonly people: Readonly<Record<string, unknown>>;
  readonly lists: readonly unknown[];
  readonly fields: readonly unknown[];
  readonly blocks: readonly unknown[];
  readonly campaigns: readonly unknown[];
  /** By number, the newest first; and the campaign sent last. */
  readonly newestCampaigns: readonly number[];
  readonly lastSent: number | null;
  readonly refusals: readonly unknown[];
  readonly noOps: Readonly<Record<string, number>>;
}
