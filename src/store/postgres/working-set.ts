/**
 * What a group of writes needs to know, in memory: loaded once, changed by each decision so that the next
 * one sees it, saved once. It is true because the accounts in it stay locked until the end of the
 * transaction.
 */
import type { AccountId } from "../../domain/account.ts";
import type { Address } from "../../domain/address.ts";
import type { CampaignEvent, CampaignId } from "../../domain/campaign.ts";
import type { DataType, FieldId, NewField } from "../../domain/field.ts";
import type { HistoryEntry } from "../../domain/history.ts";
import type { ImportCounts } from "../../domain/import-batch.ts";
import type { KeyId } from "../../domain/key.ts";
import type { ListId } from "../../domain/list.ts";
import type { ImportId } from "../../domain/origin.ts";
import type { RecordedCall } from "../../domain/refusal.ts";
import type { BasicData, SubscriberId, Suppressions } from "../../domain/subscriber.ts";
import type { StoredBasics, StoredValue } from "../../domain/value-rules.ts";

export interface AccountState {
  readonly country: string | null;
  readonly limitSubscribers: number | null;
  readonly limitFields: number | null;
  /** Under which those who were erased are known again; null where nobody was who must be. */
  readonly erasureKey: Uint8Array | null;
  /** Active subscribers as they were loaded, and what was added since. */
  readonly subscribersBefore: number;
  subscribersAdded: number;
}

export interface Person {
  readonly account: AccountId;
  readonly id: SubscriberId;
  readonly key: string;
  readonly since: number;
  /** The address of somebody whom the database does not know yet. */
  readonly newAddress: Address | null;
  suppressions: Suppressions;
  /** Whether suppressions or data must be saved. */
  isChanged: boolean;
  data: Partial<BasicData>;
  /** Which basic values an import wrote last; null where that stays as it is. */
  imported: number | null;
  /** Since when on which lists: as loaded, and as it is now. */
  readonly joinedBefore: Map<ListId, number>;
  readonly joined: Map<ListId, number>;
}

export interface GivenValue {
  readonly person: Person;
  readonly field: FieldId;
  readonly value: string;
  readonly at: number;
  readonly key: KeyId | null;
  readonly batch: ImportId | null;
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
/** Repeats of one refusal are folded here already. */
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

/** A key for something of an account: neither ids nor addresses hold a space. */
export const of = (account: AccountId, part: string | number): string => `${account} ${part}`;
export const lossOf = (person: SubscriberId, campaign: CampaignId, event: string): string =>
  `${person} ${campaign} ${event}`;
export const givenOf = (person: SubscriberId, field: FieldId): string => `${person} ${field}`;
export const leaveOf = (person: SubscriberId, list: ListId): string => `${person} ${list}`;

export class WorkingSet {
  /** The version of the schema, as the transaction sees it. */
  schema = 0;
  readonly accounts = new Map<AccountId, AccountState>();
  readonly people = new Map<string, Person>();
  /** What goes on holding of people who were erased. */
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
   * What is stored of those to whom values are given, and when those whom an import names last left its
   * list.
   */
  readonly basics = new Map<SubscriberId, StoredBasics>();
  readonly values = new Map<SubscriberId, Map<FieldId, StoredValue>>();
  readonly leaves = new Map<string, number>();

  readonly changedPeople = new Set<Person>();
  readonly membersAdded = new Map<ListId, { readonly account: AccountId; by: number }>();
  readonly givenValues = new Map<string, GivenValue>();
  readonly history: { readonly person: Person; readonly entry: HistoryEntry }[] = [];
  readonly importCounts = new Map<ImportId, { readonly account: AccountId; readonly counts: ImportCounts }>();
  readonly newLosses: Loss[] = [];
  readonly newFields: CreatedField[] = [];
  readonly refusals = new Map<string, FoldedRefusal>();
  readonly noOps = new Map<string, CountedNoOps>();

  /** Ids for people who become known, more than there are commands. */
  readonly #freeIds: SubscriberId[];

  constructor(freeIds: SubscriberId[] = []) {
    this.#freeIds = freeIds;
  }

  account(id: AccountId): AccountState {
    const account = this.accounts.get(id);
    if (account === undefined) throw new Error(`no account ${id}`);
    return account;
  }

  takeId(): SubscriberId {
    const id = this.#freeIds.pop();
    if (id === undefined) throw new Error("no id was reserved for a new subscriber");
    return id;
  }
}
