/** The changes to one subscriber that rules return and stores save. */
import { batchOf, type ImportId, type Origin } from "../access/origin.ts";
import type { Address } from "../address.ts";
import type { CampaignEvent, CampaignId } from "../campaign.ts";
import type { FieldId } from "../field/field.ts";
import type { ListId } from "../list.ts";
import { type Cause, type HistoryEntry, historyEntry } from "./history.ts";
import {
  type BasicData,
  isCounted,
  type MembershipStatus,
  type State,
  type SuppressionKind,
  type Suppressions,
  stateOf,
} from "./subscriber.ts";

/** Applied in order, all or none. */
export type SubscriberChange =
  | {
      readonly kind: "create-subscriber";
      readonly address: Address;
      readonly at: number;
      readonly blockedAt: number | null;
      /** The import that creates the subscriber. */
      readonly import?: ImportId;
    }
  /** `imported` marks the basic values that an import set last, in `data` or before. */
  | { readonly kind: "describe"; readonly data: Partial<BasicData>; readonly imported: number }
  | {
      readonly kind: "set-value";
      readonly field: FieldId;
      readonly value: string;
      readonly at: number;
      readonly origin: Origin;
    }
  /** `counted`: whether the membership is, or was, in the list's counter. */
  | {
      readonly kind: "join";
      readonly list: ListId;
      readonly at: number;
      readonly status: MembershipStatus;
      readonly counted: boolean;
      /** The import that starts the membership. */
      readonly import?: ImportId;
    }
  /**
   * Undoing the import that has started the membership does not remove it: a later import has the subscriber,
   * too, or with null a call or an operator.
   */
  | { readonly kind: "confirm-membership"; readonly list: ListId; readonly by: ImportId | null }
  | { readonly kind: "leave"; readonly list: ListId; readonly at: number; readonly counted: boolean }
  | { readonly kind: "set-suppression"; readonly suppression: SuppressionKind; readonly at: number }
  | { readonly kind: "clear-suppression"; readonly suppression: SuppressionKind }
  /** `to` is null if the subscriber is about to be deleted. */
  | { readonly kind: "change-state"; readonly at: number; readonly from: State; readonly to: State | null }
  | {
      readonly kind: "add-campaign-event";
      readonly campaign: CampaignId;
      readonly event: CampaignEvent;
      readonly at: number;
      readonly joinedAt: number;
    }
  /** `isAfterLink`: only if the link that unsubscribed the person could otherwise undo it (`undo.ts`). */
  | { readonly kind: "add-history"; readonly entry: HistoryEntry; readonly isAfterLink?: true }
  /** With memberships, values, history and campaign events; the last change of a subscriber. */
  | { readonly kind: "delete-subscriber" };

/** Starts a membership, with its history entry. */
export const joinList = (
  held: Suppressions,
  list: ListId,
  status: MembershipStatus,
  cause: Cause,
): readonly SubscriberChange[] => [
  { kind: "join", list, at: cause.at, status, counted: isCounted(held, status), ...importOf(cause) },
  {
    kind: "add-history",
    entry: historyEntry("joined", cause, { list, detail: status === "pending" ? PENDING : null }),
  },
];
/** A member of a change, if an import makes it. */
export function importOf({ origin }: Pick<Cause, "origin">): { readonly import?: ImportId } {
  const batch = batchOf(origin);
  return batch === null ? {} : { import: batch };
}
const PENDING = "pending until the person confirms";

/** Ends a membership, with its history entry. */
export const leaveList = (
  held: Suppressions,
  list: ListId,
  status: MembershipStatus,
  cause: Cause,
): readonly SubscriberChange[] => [
  { kind: "leave", list, at: cause.at, counted: isCounted(held, status) },
  { kind: "add-history", entry: historyEntry("left", cause, { list }) },
];

/**
 * Sets or clears a suppression, with its history entry and the effect on membership counts. `countedAt` is
 * when the subscriber leaves or re-enters the active state, where that is not the time of the entry.
 */
export function changeSuppression(
  held: Suppressions,
  suppression: SuppressionKind,
  set: boolean,
  entry: HistoryEntry,
  countedAt = entry.at,
): readonly SubscriberChange[] {
  const changed: Suppressions = { ...held, [suppression]: set ? entry.at : null };
  const changes: SubscriberChange[] = [
    set ? { kind: "set-suppression", suppression, at: entry.at } : { kind: "clear-suppression", suppression },
    { kind: "add-history", entry },
  ];
  const [from, to] = [stateOf(held), stateOf(changed)];
  if (from !== to) changes.push({ kind: "change-state", at: countedAt, from, to });
  return changes;
}
/** The change of the number of active subscribers: active memberships stop or start to count with it. */
export const activeBy = (from: State | null, to: State | null): 1 | -1 | 0 => {
  if (from === to) return 0;
  return to === "active" ? 1 : from === "active" ? -1 : 0;
};
