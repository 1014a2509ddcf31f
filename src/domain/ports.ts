/**
 * The ports of the domain, which adapters implement. A store takes commands and returns outcomes: it loads,
 * decides and saves in one transaction, and answers a write after it is durable.
 */
import type { Account, AccountId, AccountSettings } from "./account.ts";
import type { Address } from "./address.ts";
import type { Block } from "./block.ts";
import type { Campaign, CampaignEvent, CampaignId, EventSubscriber, TargetedList } from "./campaign.ts";
import type { EncodedPage, RowForm } from "./encoded-rows.ts";
import type { AddFieldOutcome, Field, FieldId, NewField } from "./field.ts";
import type { HistoryEntry } from "./history.ts";
import type { ImportBatch, ImportCounts, NewImportBatch } from "./import-batch.ts";
import type {
  Imported,
  ImportedPerson,
  ImportOptions,
  ImportState,
  SubscriberCapacity,
} from "./import-rules.ts";
import type { ApiKey, KeyId, Scope } from "./key.ts";
import type { List, ListId } from "./list.ts";
import type { Membership, MembershipStatus } from "./membership.ts";
import type { ImportId, Origin } from "./origin.ts";
import type { GivenData } from "./person-data.ts";
import type { RecordedCall, Refusal } from "./refusal.ts";
import type { BasicData, ClearableSuppression, State, SubscriberId, Suppressions } from "./subscriber.ts";
import type {
  AddOutcome,
  AddWithDataOutcome,
  EventOutcome,
  ReactivateOutcome,
  RemoveOutcome,
  UnsubscribeOutcome,
} from "./subscriber-rules.ts";

/** The wall clock, in milliseconds since 1970. */
export type Clock = () => number;

interface Call<Args, Result> {
  readonly args: Args;
  readonly result: Result;
}
/**
 * Every command has an account, a time and an origin. `recordedCall` is stored if the command is refused.
 */
export interface Command {
  readonly account: AccountId;
  readonly at: number;
  readonly origin: Origin;
  readonly recordedCall: RecordedCall | null;
}
interface AddressCommand extends Command {
  readonly address: Address | null;
}
interface BlockCommand extends Omit<Command, "recordedCall"> {
  readonly pattern: string;
}
export interface NewKey {
  readonly account: AccountId;
  readonly hash: Uint8Array;
  readonly hint: string;
  /** Of the key itself, which is not stored; null for keys from before lengths were stored. */
  readonly length: number | null;
  readonly label: string;
  readonly scope: Scope;
  readonly expiresAt: number | null;
  readonly at: number;
}

export interface Writes {
  /** `status`: of a new membership; active if absent. */
  addSubscriber: Call<
    AddressCommand & { readonly list: ListId; readonly status?: MembershipStatus },
    AddOutcome
  >;
  addSubscriberWithData: Call<
    AddressCommand & { readonly list: ListId; readonly data: GivenData },
    AddWithDataOutcome
  >;
  removeSubscriber: Call<AddressCommand & { readonly list: ListId }, RemoveOutcome>;
  unsubscribe: Call<AddressCommand, UnsubscribeOutcome>;
  reactivate: Call<
    AddressCommand & { readonly suppression: ClearableSuppression; readonly reason: string },
    ReactivateOutcome
  >;
  recordEvent: Call<
    AddressCommand & { readonly campaign: CampaignId; readonly event: CampaignEvent },
    EventOutcome
  >;
  /**
   * Imports many subscribers, in order and in one transaction, into a list, or into none if it is null.
   * Returns null if the account has no such list.
   */
  importPeople: Call<
    ImportOptions & {
      readonly account: AccountId;
      readonly batch: ImportId;
      /**
       * The counts of the preceding rows. Together with those of this command they are saved as the counts of
       * the import so far.
       */
      readonly counts: ImportCounts;
      readonly at: number;
      readonly people: readonly ImportedPerson[];
    },
    readonly Imported[] | null
  >;
  /** Records the start of an import, with counts of zero. */
  startImport: Call<
    NewImportBatch & { readonly account: AccountId; readonly counts: ImportCounts },
    ImportId
  >;
  finishImport: Call<
    {
      readonly account: AccountId;
      readonly id: ImportId;
      readonly counts: ImportCounts;
      readonly finishedAt: number;
    },
    null
  >;
  /** Deletes a subscriber everywhere but in refused calls; keeps a hash if a suppression was in force. */
  eraseSubscriber: Call<
    { readonly account: AccountId; readonly address: Address; readonly at: number },
    Erasure
  >;
  /**
   * Deletes refused calls that contain the address, beginning after an id; in batches, because each must be
   * searched.
   */
  eraseRefusals: Call<
    { readonly account: AccountId; readonly address: Address; readonly after: number },
    { readonly dropped: number; readonly next: number | null }
  >;
  addField: Call<Command & { readonly field: NewField | null }, AddFieldOutcome>;
  /** False if nothing changed. */
  block: Call<BlockCommand, boolean>;
  unblock: Call<BlockCommand, boolean>;
  /**
   * Applies the block list to the next subscribers that match the pattern, beginning after an id. Returns the
   * last id, or null at the end. In batches, so that other writes do not wait for a large domain.
   */
  applyBlock: Call<BlockCommand & { readonly after: SubscriberId }, SubscriberId | null>;

  /**
   * Creates an account, a key and a list in an empty installation, all or none; null if there already is an
   * account.
   */
  firstStart: Call<
    { readonly account: string; readonly list: string; readonly key: Omit<NewKey, "account"> },
    { readonly account: AccountId; readonly key: KeyId; readonly list: ListId } | null
  >;
  createAccount: Call<{ readonly name: string; readonly at: number }, Account>;
  /** null: no such account. */
  renameAccount: Call<{ readonly id: AccountId; readonly name: string }, Account | null>;
  setAccount: Call<{ readonly id: AccountId; readonly settings: AccountSettings }, Account | null>;
  /** null: the key already exists. */
  createKey: Call<NewKey, ApiKey | null>;
  revokeKey: Call<{ readonly account: AccountId; readonly id: KeyId; readonly at: number }, ApiKey | null>;
  /** Records when keys were last used; the time never moves back. */
  touchKeys: Call<{ readonly uses: readonly { readonly id: KeyId; readonly at: number }[] }, null>;
  createList: Call<{ readonly account: AccountId; readonly name: string; readonly at: number }, List>;
  /**
   * Creates a list with a given id. null: another list of the installation has the id, or a
   * campaign was sent to a list that had it.
   */
  adoptList: Call<
    { readonly account: AccountId; readonly id: ListId; readonly name: string; readonly at: number },
    List | null
  >;
  renameList: Call<{ readonly account: AccountId; readonly id: ListId; readonly name: string }, List | null>;
  /** Ends the next memberships of a list that is being deleted; returns how many. */
  emptyList: Call<
    { readonly account: AccountId; readonly id: ListId; readonly at: number; readonly origin: Origin },
    number
  >;
  deleteList: Call<
    { readonly account: AccountId; readonly id: ListId; readonly at: number; readonly origin: Origin },
    List | null
  >;
  /** Creates a field with a given id, or the next one; otherwise returns why not. */
  createField: Call<
    {
      readonly account: AccountId;
      readonly id: FieldId | null;
      readonly field: NewField;
      readonly at: number;
    },
    Field | Exclude<AddFieldOutcome, "Done"> | "IdTaken"
  >;
  /** The campaign, or the id of the first unknown list. */
  recordCampaign: Call<
    {
      readonly account: AccountId;
      readonly name: string;
      readonly lists: readonly ListId[];
      readonly createdAt: number;
      readonly sentAt: number | null;
    },
    { readonly unknownList: ListId } | Campaign
  >;
  dismissRefusal: Call<{ readonly account: AccountId; readonly id: number }, boolean>;
  /** Deletes expired refusals; returns how many. */
  purgeRefusals: Call<{ readonly now: number }, number>;
  /** Write probe: takes the path of every write, down to the disk, and changes nothing. */
  probeWrite: Call<Record<never, never>, null>;
}

export interface SubscriberRecord {
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
  readonly history: readonly HistoryEntry[];
  /** The campaign events of the subscriber. */
  readonly losses: readonly {
    readonly campaign: CampaignId;
    readonly name: string;
    readonly event: CampaignEvent;
    readonly at: number;
    readonly joinedAt: number;
  }[];
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
/** A stored counter and its recount. */
export interface Recount {
  readonly what: string;
  readonly kept: number;
  readonly counted: number;
}
export interface NoOps {
  readonly operation: string;
  readonly outcome: string;
  readonly count: number;
}

interface OfAccount {
  readonly account: AccountId;
}
export interface Reads {
  /** The current schema version of the database. */
  ping: Call<Record<never, never>, number>;
  accounts: Call<Record<never, never>, readonly Account[]>;
  keyByHash: Call<{ readonly hash: Uint8Array }, ApiKey | null>;
  /**
   * The hashes and times of unrevoked keys that were used or created since then; the latest ones.
   */
  recentKeys: Call<
    { readonly since: number; readonly limit: number },
    readonly { readonly hash: Uint8Array; readonly at: number }[]
  >;
  keys: Call<OfAccount, readonly ApiKey[]>;
  lastSentCampaign: Call<OfAccount, Campaign | null>;
  campaign: Call<OfAccount & { readonly id: CampaignId }, Campaign | null>;
  blocks: Call<OfAccount, readonly Block[]>;
  subscriber: Call<OfAccount & { readonly address: Address }, SubscriberRecord | null>;
  /** The state that an import of each of these addresses would find. */
  importStates: Call<
    OfAccount & { readonly list: ListId | null; readonly addresses: readonly Address[] },
    SubscriberCapacity & { readonly states: readonly ImportState[] }
  >;
  /** The newest first. */
  importBatches: Call<OfAccount & { readonly limit: number }, readonly ImportBatch[]>;
  importBatch: Call<OfAccount & { readonly id: ImportId }, ImportBatch | null>;
  refusals: Call<OfAccount & { readonly limit: number }, readonly Refusal[]>;
  refusal: Call<OfAccount & { readonly id: number }, Refusal | null>;
  noOps: Call<OfAccount, readonly NoOps[]>;
  databaseBytes: Call<Record<never, never>, number>;
  /** Compares every stored counter with a recount; slow on a large database. */
  recount: Call<Record<never, never>, readonly Recount[]>;
  /** The result of the database's own integrity check; empty if it is sound. */
  integrity: Call<Record<never, never>, readonly string[]>;
}

/**
 * Listings of any length, read in pages, not as one snapshot: concurrent changes may or may not be included.
 */
export interface Listings {
  lists: Call<OfAccount, List>;
  fields: Call<OfAccount, Field>;
  /** In order of creation. */
  members: Call<OfAccount & { readonly list: ListId }, Member>;
  targetedLists: Call<OfAccount & { readonly campaign: CampaignId }, TargetedList>;
  campaigns: Call<OfAccount, Campaign>;
}
/** Listings of so many rows that the store encodes them itself. */
export interface EncodedListings {
  subscribersByEvent: Call<
    OfAccount & { readonly campaign: CampaignId; readonly event: CampaignEvent },
    EventSubscriber
  >;
}

/** A member of a list, whether the membership is in effect, suspended or pending. */
export interface Member extends Membership {
  readonly address: string;
  readonly suppressions: Suppressions;
  readonly data: BasicData;
  readonly values: readonly { readonly field: FieldId; readonly value: string }[];
}

/** The current load of a store. */
export interface StoreLoad {
  /** Writes that wait for the next commit. */
  readonly waiting: number;
  /** Read connections to a server, and reads that wait for one; none without a server. */
  readonly connections: { readonly busy: number; readonly idle: number; readonly waiting: number };
}

/** Callbacks for metrics of a store. They are called often, so they must be cheap. */
export interface StoreWatch {
  committed(writes: number, ms: number): void;
  /** Rows of a list. */
  read(rows: number): void;
}

export interface Store {
  write<K extends keyof Writes>(kind: K, args: Writes[K]["args"]): Promise<Writes[K]["result"]>;
  read<K extends keyof Reads>(kind: K, args: Reads[K]["args"]): Promise<Reads[K]["result"]>;
  pages<K extends keyof Listings>(
    kind: K,
    args: Listings[K]["args"],
  ): AsyncIterable<readonly Listings[K]["result"][]>;
  encodedPages<K extends keyof EncodedListings>(
    kind: K,
    args: EncodedListings[K]["args"],
    form: RowForm<EncodedListings[K]["result"]>,
  ): AsyncIterable<EncodedPage>;
  readonly schemaVersion: number;
  readonly load: StoreLoad;
  /** Finishes pending requests, then closes the database. */
  close(): Promise<void>;
}

/**
 * The database does not respond, is full, or is locked by another process: the same call may succeed later.
 */
export class StoreUnavailable extends Error {
  override readonly name: string = "StoreUnavailable";
}
/** The connection was lost during a commit, so its result is not known. */
export class CommitUnknown extends StoreUnavailable {
  /** The result of the write if it was committed. */
  readonly result: unknown;

  constructor(message: string, result: unknown) {
    super(message);
    this.result = result;
  }
}
/** The open file is no longer the one at the configured path, so writes to it would be lost. */
export class DatabaseFileReplaced extends StoreUnavailable {
  override readonly name = "DatabaseFileReplaced";
}
/** The database cannot be used; the message has the reason and what to do, in one line. */
export class StoreRefused extends Error {
  override readonly name = "StoreRefused";
}
