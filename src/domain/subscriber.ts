/**
 * A subscriber of an account, and the suppressions.
 *
 * Opt-out, bounce, complaint and block are independent suppressions. While one is in force, memberships are
 * suspended: they are neither counted nor mailed. They return when the last suppression is cleared, unless
 * they were removed.
 */

import type { Gender } from "./gender.ts";
import type { Id } from "./id.ts";

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

export const noSuppressions: Suppressions = {
  blocked: null,
  complained: null,
  unsubscribed: null,
  bounced: null,
};

export const stateOf = (held: Suppressions): State =>
  suppressionKinds.find((suppression) => held[suppression] !== null) ?? "active";
/** If two blocks cover an address, one of them from an erasure record, the earlier one counts. */
export const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
export const isActive = (held: Suppressions): boolean => stateOf(held) === "active";
