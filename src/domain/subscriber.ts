/**
 * A person as an account knows them, and the states that keep them from being mailed.
 *
 * Opt-out, bounce, complaint and block are independent suppressions. A membership lasts from joining to leaving;
 * while any suppression holds it is ended in effect: it neither counts nor is mailed, and it is there again when
 * the last suppression is cleared, unless it was left meanwhile.
 */
import type { Gender } from "./gender.ts";

export type SubscriberId = number;

/** In the order in which they count: the first that holds is the state shown, and the byte answered. */
export const suppressions = ["blocked", "complained", "unsubscribed", "bounced"] as const;
export type SuppressionKind = (typeof suppressions)[number];
export type State = SuppressionKind | "active";
/** Since when each suppression holds, null where it does not. */
export type Suppressions = Readonly<Record<SuppressionKind, number | null>>;
/** Suppressions that an operator may clear by reactivating; a block is removed through the block list. */
export const clearable = ["unsubscribed", "bounced", "complained"] as const;
export type ClearableSuppression = (typeof clearable)[number];

export interface BasicData {
  readonly firstName: string;
  readonly lastName: string;
  readonly gender: Gender | null;
  readonly birthday: string | null;
  readonly country: string | null;
}

/** What a decision about an address needs to know of the person. */
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
  suppressions.find((suppression) => held[suppression] !== null) ?? "active";
/** Where two blocks cover an address, one of them kept of somebody who was erased, the first one counts. */
export const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
export const isActive = (held: Suppressions): boolean => stateOf(held) === "active";
