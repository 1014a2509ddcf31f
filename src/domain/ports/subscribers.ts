/** Subscribers of an account. */
import type { Audited } from "../access/audit.ts";
import type { KeyId } from "../access/key.ts";
import type { ImportId } from "../access/origin.ts";
import type { Address } from "../address.ts";
import type { CampaignEvent, CampaignId } from "../campaign.ts";
import type { FieldId } from "../field/field.ts";
import type { ListId } from "../list.ts";
import type { Correction, CorrectionOutcome } from "../subscriber/correction.ts";
import type { Cause, HistoryEntry } from "../subscriber/history.ts";
import type { GivenData } from "../subscriber/person-data.ts";
import type {
  AddOutcome,
  AddWithDataOutcome,
  ReactivateOutcome,
  RemoveOutcome,
  UnsubscribeOutcome,
} from "../subscriber/rules.ts";
import type { SubscriberOrder, SubscriberSearch } from "../subscriber/search.ts";
import type {
  BasicData,
  ClearableSuppression,
  Membership,
  MembershipStatus,
  State,
  SubscriberId,
  Suppressions,
} from "../subscriber/subscriber.ts";
import type { AddressCommand, OfAccount } from "./command.ts";
import type { Listing } from "./listing.ts";
import type { Member } from "./lists.ts";

/** What is stored about a subscriber, without what happened. */
export interface SubscriberData {
  readonly id: SubscriberId;
  readonly address: string;
  readonly state: State;
  readonly suppressions: Suppressions;
  readonly knownSince: number;
  readonly data: BasicData;
  /** The basic values that an import set last. */
  readonly imported: readonly (keyof BasicData)[];
  readonly values: readonly {
    readonly field: FieldId;
    readonly name: string;
    readonly value: string;
    readonly at: number;
    /** The key or the import that set it. */
    readonly key: KeyId | null;
    readonly batch: ImportId | null;
  }[];
  /** `counts`: whether the membership is in effect (see `isCounted`). */
  readonly lists: readonly {
    readonly id: ListId;
    readonly name: string;
    readonly joinedAt: number;
    readonly status: MembershipStatus;
    readonly counts: boolean;
  }[];
}
/** A campaign event of a subscriber. */
export interface CampaignResult {
  readonly campaign: CampaignId;
  readonly name: string;
  readonly event: CampaignEvent;
  readonly at: number;
  readonly joinedAt: number;
}
/** With what happened, the oldest first. */
export interface SubscriberRecord extends SubscriberData {
  readonly history: readonly HistoryEntry[];
  readonly losses: readonly CampaignResult[];
}
export interface OfSubscriber extends OfAccount {
  readonly subscriber: SubscriberId;
}
/** What tells a subscriber from others, and what an operator asks first. */
export interface SubscriberBrief {
  readonly id: SubscriberId;
  readonly address: Address;
  readonly suppressions: Suppressions;
  /** The lists on which the person has not confirmed the membership. */
  readonly pending: readonly ListId[];
}
/** A subscriber that a search found. */
export interface FoundSubscriber {
  readonly id: SubscriberId;
  readonly address: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly state: State;
  readonly knownSince: number;
  /** The number of memberships, whether they are in effect or not. */
  readonly lists: number;
  /** On the list that the search names; null if it names none. */
  readonly membership: Membership | null;
}
/** What an erasure deleted, and the suppressions that stay in force. */
export interface Erasure {
  readonly wasKnown: boolean;
  readonly values: number;
  readonly lists: number;
  readonly history: number;
  readonly losses: number;
  readonly kept: Suppressions | null;
}
export interface ListCommand extends AddressCommand {
  readonly list: ListId;
}
export interface EraseSubscriber extends OfAccount, Audited {
  readonly address: Address;
  readonly at: number;
  /** Whether a job rewrites the database later; otherwise the caller does so. */
  readonly rewriteLater?: boolean | undefined;
}
/** `address` is the present one. */
export interface CorrectSubscriber extends OfAccount, Cause {
  readonly address: Address;
  readonly correction: Correction;
  /** One of the versions that the subscriber must have; absent: any. */
  readonly ifVersion?: readonly string[] | undefined;
}

/** The address is not that of the subscriber who is meant; nothing was changed. */
export type OtherSubscriber = "OtherSubscriber";
/**
 * A command about an address. An address can be changed, and an erased address can be added again as another
 * subscriber. So a command that means one subscriber says which one.
 */
export interface AddressMethod<Args, Result> {
  (args: Args & { readonly subscriber?: never }): Promise<Result>;
  (args: Args & { readonly subscriber?: SubscriberId }): Promise<Result | OtherSubscriber>;
}

/** Without an order, in that which is quickest; with one, it must be in `ordersOf` the search. */
export type SearchOf = OfAccount & SubscriberSearch & { readonly order?: SubscriberOrder | undefined };
export interface Subscribers {
  byAddress(args: OfAccount & { readonly address: Address }): Promise<SubscriberRecord | null>;
  byId(args: OfAccount & { readonly id: SubscriberId }): Promise<SubscriberRecord | null>;
  data(
    args: OfAccount & ({ readonly id: SubscriberId } | { readonly address: Address }),
  ): Promise<SubscriberData | null>;
  /** The entry that was recorded last comes first. */
  readonly history: Listing<OfSubscriber, HistoryEntry>;
  /** The results of the newest campaign come first. */
  readonly campaignResults: Listing<OfSubscriber, CampaignResult>;
  find(
    args: OfAccount & ({ readonly id: SubscriberId } | { readonly address: Address }),
  ): Promise<SubscriberBrief | null>;
  /** A page may be short or empty although more follow: it visits a bounded number of rows. */
  search: Listing<SearchOf, FoundSubscriber>;
  /** The same subscribers with their data, as members of the list that the search names. */
  found: Listing<SearchOf, Member>;
  /** How many are in each state: the stored counters. */
  countStates(args: OfAccount): Promise<Readonly<Record<State, number>> | null>;
  /** `status`: of a new membership; active if absent. */
  readonly add: AddressMethod<ListCommand & { readonly status?: MembershipStatus }, AddOutcome>;
  readonly addWithData: AddressMethod<ListCommand & { readonly data: GivenData }, AddWithDataOutcome>;
  readonly remove: AddressMethod<ListCommand, RemoveOutcome>;
  readonly unsubscribe: AddressMethod<AddressCommand, UnsubscribeOutcome>;
  readonly reactivate: AddressMethod<
    AddressCommand & { readonly suppression: ClearableSuppression; readonly reason: string },
    ReactivateOutcome
  >;
  /** Corrects a subscriber for an operator. */
  readonly correct: AddressMethod<CorrectSubscriber, CorrectionOutcome>;
  /** Deletes a subscriber everywhere but in refused calls; keeps a hash if a suppression was in force. */
  readonly erase: AddressMethod<EraseSubscriber, Erasure>;
}
