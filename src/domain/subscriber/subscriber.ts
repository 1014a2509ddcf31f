/**
 * A subscriber of an account, and the suppressions.
 *
 * Opt-out, bounce, complaint and block are independent suppressions. While one is in force, memberships are
 * suspended: they are neither counted nor mailed. They return when the last suppression is cleared, unless
 * they were removed.
 */

import type { ImportId } from "../access/origin.ts";
import type { Id } from "../id.ts";
import { wordOf } from "../text.ts";

/** Gender as callers write it, stored as one letter. */
export const genders = ["M", "F", "X"] as const;
export type Gender = (typeof genders)[number];
const letters = new Map<string, Gender>([
  ["m", "M"],
  ["male", "M"],
  ["f", "F"],
  ["female", "F"],
  ["x", "X"],
]);

export const parseGender = (text: string): Gender | null => letters.get(wordOf(text).toLowerCase()) ?? null;

/**
 * A membership: a subscriber on a list, from joining to leaving. It is pending while it waits for the
 * person's confirmation; only that confirmation makes it active, neither an add nor an import.
 */
export const membershipStatuses = ["active", "pending"] as const;
export type MembershipStatus = (typeof membershipStatuses)[number];

export interface Membership {
  readonly joinedAt: number;
  readonly status: MembershipStatus;
}

/**
 * Of a membership that an import has started, and that no call and no operator has asked for since:
 * undoing the import removes it.
 */
export interface FromImport {
  readonly import: ImportId;
  /** The first later import whose file has the subscriber, too; null: none. */
  readonly confirmedBy: ImportId | null;
}

/** The only status in which a membership counts and is mailed. */
export const COUNTED_STATUS: MembershipStatus = "active";

/**
 * Who counts: the definition for the rules, for the counters of both databases and for what is mailed. The
 * subscriber has no suppression, and the membership is active.
 */
export const isCounted = (held: Suppressions, status: MembershipStatus): boolean =>
  status === COUNTED_STATUS && isActive(held);

export type SubscriberId = Id<"SubscriberId">;

/** In order of precedence: the first one in force is the state, and decides the result byte. */
export const suppressionKinds = ["blocked", "complained", "unsubscribed", "bounced"] as const;
export type SuppressionKind = (typeof suppressionKinds)[number];
export type State = SuppressionKind | "active";
/** Since when each suppression is in force; null if it is not. */
export type Suppressions = Readonly<Record<SuppressionKind, number | null>>;
/** Suppressions that an operator can clear by reactivating; a block is removed through the block list. */
export const clearable = ["unsubscribed", "bounced", "complained"] as const;
export type ClearableSuppression = (typeof clearable)[number];
/** All of them, in the order in which files and help texts have them. */
export const listedSuppressions: readonly SuppressionKind[] = [
  ...clearable,
  ...suppressionKinds.filter((kind) => !(clearable as readonly SuppressionKind[]).includes(kind)),
];

export const states: readonly State[] = ["active", ...listedSuppressions];

export interface BasicData {
  readonly firstName: string;
  readonly lastName: string;
  readonly gender: Gender | null;
  readonly birthday: string | null;
  readonly country: string | null;
}

/** The state of a subscriber that decisions need. */
export interface Known {
  readonly suppressions: Suppressions;
  readonly since: number;
}

/** One value per suppression: whatever exists for each is derived from the list above. */
export function bySuppression<T>(of: (kind: SuppressionKind) => T): Record<SuppressionKind, T> {
  const values: Partial<Record<SuppressionKind, T>> = {};
  for (const kind of suppressionKinds) values[kind] = of(kind);
  return values as Record<SuppressionKind, T>;
}
export const noSuppressions: Suppressions = bySuppression(() => null);

export const stateOf = (held: Suppressions): State =>
  suppressionKinds.find((suppression) => held[suppression] !== null) ?? "active";
/** If two blocks cover an address, one of them from an erasure record, the earlier one counts. */
export const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
export const isActive = (held: Suppressions): boolean => stateOf(held) === "active";
