/**
 * A person as an account knows them, and the states that keep them from being mailed.
 *
 * Opt-out, bounce, complaint and block are independent facts. A membership lasts from joining to leaving; while any
 * fact holds it is ended in effect: it neither counts nor is mailed, and it is there again when the last fact is
 * lifted, unless it was left meanwhile.
 */
import type { Address } from "./address.ts";
import type { CampaignEvent, CampaignId } from "./campaign.ts";
import type { FieldId } from "./field.ts";
import type { Gender } from "./gender.ts";
import type { HistoryEntry } from "./history.ts";
import type { ListId } from "./list.ts";
import type { Origin } from "./origin.ts";

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

/** What may be saved about one person; applied in order, all or none. */
export type SubscriberChange =
  | {
      readonly kind: "become-known";
      readonly address: Address;
      readonly at: number;
      readonly blockedAt: number | null;
    }
  | { readonly kind: "describe"; readonly data: Partial<BasicData> }
  | {
      readonly kind: "set-value";
      readonly field: FieldId;
      readonly value: string;
      readonly at: number;
      readonly origin: Origin;
    }
  /** `counted`: whether the membership is, or was, in the list's number. */
  | { readonly kind: "join"; readonly list: ListId; readonly at: number; readonly counted: boolean }
  | { readonly kind: "leave"; readonly list: ListId; readonly counted: boolean }
  | { readonly kind: "set-fact"; readonly fact: FactName; readonly at: number }
  | { readonly kind: "lift-fact"; readonly fact: FactName }
  /** The person leaves or re-enters the active state: every membership stops or starts to count. */
  | { readonly kind: "count-memberships"; readonly by: 1 | -1 }
  | {
      readonly kind: "lost-by-campaign";
      readonly campaign: CampaignId;
      readonly event: CampaignEvent;
      readonly at: number;
      readonly joinedAt: number;
    }
  | { readonly kind: "add-history"; readonly entry: HistoryEntry };

/** Sets or lifts a fact, and keeps what follows from it: history, and whether memberships count. */
export function changeFact(
  held: Facts,
  fact: FactName,
  set: boolean,
  entry: HistoryEntry,
): readonly SubscriberChange[] {
  const changed: Facts = { ...held, [fact]: set ? entry.at : null };
  const changes: SubscriberChange[] = [
    set ? { kind: "set-fact", fact, at: entry.at } : { kind: "lift-fact", fact },
    { kind: "add-history", entry },
  ];
  if (isActive(held) !== isActive(changed)) changes.push({ kind: "count-memberships", by: set ? -1 : 1 });
  return changes;
}
