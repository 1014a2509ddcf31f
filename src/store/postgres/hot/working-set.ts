/**
 * The state that a group of writes needs, in memory: loaded once, changed by each decision so that the next
 * one sees it, saved once. It stays valid because the group holds its locks until the end of the transaction.
 */
import type { KeyId } from "#domain/access/key.ts";
import type { ImportId } from "#domain/access/origin.ts";
import type { AccountId } from "#domain/account.ts";
import type { Address } from "#domain/address.ts";
import type { CampaignEvent, CampaignId } from "#domain/campaign.ts";
import type { DataType, FieldId, NewField } from "#domain/field/field.ts";
import type { StoredBasics, StoredValue } from "#domain/field/value-rules.ts";
import type { ImportCounts } from "#domain/import/batch.ts";
import type { ImportProgress } from "#domain/import/job.ts";
import type { ListId } from "#domain/list.ts";
import type { RecordedCall } from "#domain/refused-call.ts";
import type { HistoryEntry } from "#domain/subscriber/history.ts";
import type { Membership } from "#domain/subscriber/subscriber.ts";
import {
  type BasicData,
  bySuppression,
  type State,
  type SubscriberId,
  type SuppressionKind,
  type Suppressions,
} from "#domain/subscriber/subscriber.ts";
import { DailyCounts } from "../../writes/daily-counts.ts";
import type { HeldMembership } from "../../writes/unit-of-work.ts";

export interface AccountState {
  readonly country: string | null;
  readonly limitSubscribers: number | null;
  readonly limitFields: number | null;
  /** The key that recognises erased addresses; null if the account never needed one. */
  readonly erasureKey: Uint8Array | null;
  /** The number of active subscribers as loaded, and how many were added since. */
  readonly subscribersBefore: number;
  subscribersAdded: number;
}

/** `joinedAt`, and what decisions need. */
export type StoredMembership = Pick<Membership, "joinedAt"> & HeldMembership;

export interface Person {
  readonly account: AccountId;
  readonly id: SubscriberId;
  readonly key: string;
  readonly since: number;
  /** The import that creates the subscriber; null if another one did, or none. */
  readonly createdBy: ImportId | null;
  /** The address of a subscriber that is not in the database yet. */
  readonly newAddress: Address | null;
  suppressions: Suppressions;
  /** Whether suppressions or data must be saved. */
  isChanged: boolean;
  data: Partial<BasicData>;
  /** Which basic values an import wrote last; null if that does not change. */
  imported: number | null;
  /** As loaded, and as they are now. */
  readonly membershipsBefore: Map<ListId, StoredMembership>;
  readonly memberships: Map<ListId, StoredMembership>;
}

export interface GivenValue {
  readonly person: Person;
  readonly field: FieldId;
  readonly value: string;
  readonly at: number;
  readonly key: KeyId | null;
  readonly batch: ImportId | null;
}
export interface SavedEntry {
  readonly person: Person;
  readonly entry: HistoryEntry;
  /** See `writes/repeated-opt-out.ts`; the entries of the same group are compared already. */
  readonly isAfterLink: boolean;
}
export interface Loss {
  readonly person: Person;
  readonly campaign: CampaignId;
  readonly event: CampaignEvent;
  readonly at: number;
  readonly joinedAt: number;
}
export interface CreatedField extends NewField {
  readonly account: AccountId;
  readonly key: string;
  readonly at: number;
}
/** Repeats of one refusal are already folded here. */
export interface FoldedRefusal {
  readonly account: AccountId;
  readonly recordedCall: RecordedCall;
  readonly outcome: string;
  readonly fingerprint: Uint8Array;
  key: KeyId | null;
  count: number;
  readonly firstAt: number;
  lastAt: number;
}
export interface CountedNoOps {
  readonly account: AccountId;
  readonly operation: string;
  readonly outcome: string;
  count: number;
}

/** A key for something of an account: neither ids nor addresses contain a space. */
export const of = (account: AccountId, part: string | number): string => `${account} ${part}`;
export const lossOf = (person: SubscriberId, campaign: CampaignId, event: CampaignEvent): string =>
  `${person} ${campaign} ${event}`;
export const givenOf = (person: SubscriberId, field: FieldId): string => `${person} ${field}`;
export const leaveOf = (person: SubscriberId, list: ListId): string => `${person} ${list}`;

export class WorkingSet {
  /** The schema version, as the transaction sees it. */
  schema = 0;
  readonly accounts = new Map<AccountId, AccountState>();
  readonly people = new Map<string, Person>();
  /** The suppressions that remain for erased addresses. */
  readonly erased = new Map<string, Suppressions>();
  readonly lists = new Set<string>();
  readonly blocks = new Map<string, number>();
  readonly fieldTypes = new Map<AccountId, Map<FieldId, DataType>>();
  readonly fieldNames = new Set<string>();
  readonly fieldCounts = new Map<AccountId, number>();
  /** The lists of each campaign. */
  readonly campaigns = new Map<string, ListId[]>();
  readonly losses = new Set<string>();
  /**
   * The stored values of subscribers to whom values are given, and when subscribers in an import last left
   * its list.
   */
  readonly basics = new Map<SubscriberId, StoredBasics>();
  readonly values = new Map<SubscriberId, Map<FieldId, StoredValue>>();
  readonly leaves = new Map<string, number>();
  /** How often the progress of imports was saved. */
  readonly importVersions = new Map<ImportId, number>();
  readonly undoneImports = new Set<ImportId>();

  readonly changedPeople = new Set<Person>();
  readonly deletedPeople = new Set<Person>();
  /** What changes the counters: active subscribers, and the members of lists. */
  readonly accountDays = new DailyCounts();
  readonly listDays = new DailyCounts();
  /** By how much the numbers of subscribers in the other states change: most groups change none. */
  readonly suppressed = new Map<AccountId, Record<SuppressionKind, number>>();
  readonly givenValues = new Map<string, GivenValue>();
  readonly history: SavedEntry[] = [];
  readonly importCounts = new Map<ImportId, { readonly account: AccountId; readonly counts: ImportCounts }>();
  readonly importProgress = new Map<
    ImportId,
    { readonly account: AccountId; readonly progress: ImportProgress }
  >();
  readonly newLosses: Loss[] = [];
  readonly newFields: CreatedField[] = [];
  readonly refusals = new Map<string, FoldedRefusal>();
  readonly noOps = new Map<string, CountedNoOps>();

  /** Ids for new subscribers; more than there are commands. */
  readonly #freeIds: SubscriberId[];

  constructor(freeIds: SubscriberId[] = []) {
    this.#freeIds = freeIds;
  }

  account(id: AccountId): AccountState {
    const account = this.accounts.get(id);
    if (account === undefined) throw new Error(`no account ${id}`);
    return account;
  }

  countSuppressed(account: AccountId, state: State | null, by: 1 | -1): void {
    if (state === null || state === "active") return;
    const counts = this.suppressed.get(account) ?? bySuppression(() => 0);
    counts[state] += by;
    this.suppressed.set(account, counts);
  }

  takeId(): SubscriberId {
    const id = this.#freeIds.pop();
    if (id === undefined) throw new Error("no id was reserved for a new subscriber");
    return id;
  }
}
