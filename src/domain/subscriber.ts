/**
 * A person as an account knows them, and the states that keep them from being mailed.
 *
 * Opt-out, bounce, complaint and block are independent facts. A membership lasts from joining to leaving;
 * while any fact holds it is ended in effect: it neither counts nor is mailed, and it is there again when
 * the last fact is lifted, unless it was left meanwhile.
 */
import type { Gender } from "./gender.ts";

export type SubscriberId = number;

/** In the order in which they count: the first that holds is the state shown, and the byte answered. */
export const facts = ["blocked", "complained", "unsubscribed", "bounced"] as const;
export type FactName = (typeof facts)[number];
export type State = FactName | "active";
/** Since when each fact holds, null where it does not. */
export type Facts = Readonly<Record<FactName, number | null>>;
/** Facts that an operator may lift by reactivating; a block is lifted through the block list. */
export const liftable = ["unsubscribed", "bounced", "complained"] as const;
export type LiftableFact = (typeof liftable)[number];

export interface BasicData {
  readonly firstName: string;
  readonly lastName: string;
  readonly gender: Gender | null;
  readonly birthday: string | null;
  readonly country: string | null;
}

/** What a decision about an address needs to know of the person. */
export interface Known {
  readonly facts: Facts;
  readonly since: number;
}

export const noFacts: Facts = { blocked: null, complained: null, unsubscribed: null, bounced: null };

export const stateOf = (held: Facts): State => facts.find((fact) => held[fact] !== null) ?? "active";
/** Where two blocks cover an address, one of them kept of somebody who was erased, the first one counts. */
export const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
export const isActive = (held: Facts): boolean => stateOf(held) === "active";
