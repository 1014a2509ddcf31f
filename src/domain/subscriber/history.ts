/**
 * The history of a subscriber: append-only, each entry with its time, its origin and, if there is one, the
 * campaign.
 */
import type { ImportId, Origin } from "../access/origin.ts";
import type { CampaignId } from "../campaign.ts";
import type { FieldId } from "../field/field.ts";
import type { ListId } from "../list.ts";
import { type BasicData, suppressionKinds } from "./subscriber.ts";

export const historyKinds = [
  "joined",
  "left",
  ...suppressionKinds,
  "unblocked",
  "reactivated",
  /**
   * Stored values were replaced. Setting a value for the first time is recorded only if an operator corrects
   * the subscriber, or an import changes one who existed: it can be undone.
   */
  "changed",
  /** An import was undone: the subscriber left its list, or has the values from before. */
  "undone",
] as const;
export type HistoryKind = (typeof historyKinds)[number];

/** `field` is the name of a basic value or the id of a custom field. An empty text is no value. */
export interface ReplacedValue {
  readonly field: keyof BasicData | "address" | FieldId;
  readonly old: string;
  readonly new: string;
  /**
   * What an import replaced: the import that had set the old value. null: it is not known which, as of basic
   * values. Absent: none had.
   */
  readonly importedBy?: ImportId | null;
}

export interface HistoryEntry {
  readonly at: number;
  readonly kind: HistoryKind;
  readonly origin: Origin;
  readonly campaign: CampaignId | null;
  readonly list: ListId | null;
  /** Details: the operator's reason, the cleared suppression, or the block pattern. */
  readonly detail: string | null;
  /** Of an entry of kind "changed" or "undone"; null for every other one. */
  readonly replaced: readonly ReplacedValue[] | null;
}

/** The detail of a suppression that an erased subscriber had before. */
export const KEPT_FROM_ERASURE = "in force when the subscriber was erased";

/** The detail of an entry of kind "reactivated": which suppression was cleared, and why. */
export const reactivatedDetail = (suppression: string, reason: string): string =>
  `no longer ${suppression}: ${reason}`;
export function readReactivated(
  detail: string | null,
): { readonly suppression: string; readonly reason: string } | null {
  const [, suppression, reason] = /^no longer (\w+): (.*)$/s.exec(detail ?? "") ?? [];
  return suppression === undefined || reason === undefined ? null : { suppression, reason };
}

export interface Cause {
  readonly at: number;
  readonly origin: Origin;
}
export const historyEntry = (
  kind: HistoryKind,
  { at, origin }: Cause,
  more: Partial<Pick<HistoryEntry, "campaign" | "list" | "detail" | "replaced">> = {},
): HistoryEntry => ({
  at,
  kind,
  origin,
  campaign: null,
  list: null,
  detail: null,
  replaced: null,
  ...more,
});
