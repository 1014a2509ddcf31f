/**
 * What the rest of the house needs and somebody else provides. A store takes commands and gives back
 * outcomes: loading, deciding and saving happen inside it, in one transaction, and a write is answered after
 * it is durable.
 */
import type { Account, AccountId, AccountSettings } from "./account.ts";
import type { Address } from "./address.ts";
import type { Block } from "./block.ts";
import type { Campaign, CampaignEvent, CampaignId, LostSubscriber, TargetedList } from "./campaign.ts";
import type { EncodedPage, RowForm } from "./encoded-rows.ts";
import type { AddFieldOutcome, Field, FieldId, NewField } from "./field.ts";
import type { HistoryEntry } from "./history.ts";
import type { ImportBatch, ImportCounts, NewImportBatch } from "./import-batch.ts";
import type { Imported, ImportedPerson, ImportOptions, ImportState, Room } from "./import-rules.ts";
import type { ApiKey, KeyId, Scope } from "./key.ts";
import type { List, ListId } from "./list.ts";
import type { ImportId, Origin } from "./origin.ts";
import type { GivenData } from "./person-data.ts";
import type { RecordedCall, Refusal } from "./refusal.ts";
import type { BasicData, Facts, LiftableFact, State, SubscriberId } from "./subscriber.ts";
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
 * Every command belongs to an account, has a time and an origin. `recordedCall` is kept where it is refused.
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
  /** Of the key itself, which is not kept; null where it was made before lengths were. */
  readonly length: number | null;
  readonly label: string;
  readonly scope: Scope;
  readonly expiresAt: number | null;
  readonly at: number;
}

export interface Writes {
  addSubscriber: Call<AddressCommand & { readonly list: ListId }, AddOutcome>;
  addSubscriberWithData: Call<
    AddressCommand & { readonly list: ListId; readonly data: GivenData },
    AddWithDataOutcome
  >;
  removeSubscriber: Call<AddressCommand & { readonly list: ListId }, RemoveOutcome>;
  unsubscribe: Call<AddressCommand, UnsubscribeOutcome>;
  reactivate: Call<
    AddressCommand & { readonly fact: LiftableFact; readonly reason: string },
    ReactivateOutcome
  >;
  recordEvent: Call<
    AddressCommand & { readonly campaign: CampaignId; readonly event: CampaignEvent },
    EventOutcome
  >;
  /**
   * Many people at once, in order and in one transaction, onto a list or, where it is null, onto none. null:
   * the account has no such list.
   */
  importPeople: Call<
    ImportOptions & {
      readonly account: AccountId;
      readonly batch: ImportId;
      /**
       * What the rows before came to. With those of this command it is saved as what the import came to so
       * far.
       */
      readonly counts: ImportCounts;
      readonly at: number;
      readonly people: readonly ImportedPerson[];
    },
    readonly Imported[] | null
  >;
  /** Records that an import begins, with counts of nothing. */
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
  /** The person is gone from everywhere but the refused calls; of whoever was out a hash is kept. */
  eraseSubscriber: Call<
    { readonly account: AccountId; readonly address: Address; readonly at: number },
    Erasure
  >;
  /**
   * Drops refused calls that name the address, of the next ones after an id; in steps, because each must be
   * looked at.
   */
  eraseRefusals: Call<
    { readonly account: AccountId; readonly address: Address; readonly after: number },
    { readonly dropped: number; readonly next: number | null }
  >;
  addField: Call<Command & { readonly field: NewField | null }, AddFieldOutcome>;
  /** False where it was so already. */
  block: Call<BlockCommand, boolean>;
  unblock: Call<BlockCommand, boolean>;
  /**
   * Brings the next people whom the pattern covers in line with the block list, beginning after an id; gives
   * back where to go on, or null at the end. In steps, so that nobody else's writes wait for a large domain.
   */
  applyBlock: Call<BlockCommand & { readonly after: SubscriberId }, SubscriberId | null>;

  /**
   * On an empty installation makes an account, a key and a list, all or none; null where there is one
   * already.
   */
  firstStart: Call<
    { readonly account: string; readonly list: string; readonly key: Omit<NewKey, "account"> },
    { readonly account: AccountId; readonly key: KeyId; readonly list: ListId } | null
  >;
  createAccount: Call<{ readonly name: string; readonly at: number }, Account>;
  /** null: no such account. */
  renameAccount: Call<{ readonly id: AccountId; readonly name: string }, Account | null>;
  setAccount: Call<{ readonly id: AccountId; readonly settings: AccountSettings }, Account | null>;
  /** null: that key exists already. */
  createKey: Call<NewKey, ApiKey | null>;
  revokeKey: Call<{ readonly account: AccountId; readonly id: KeyId; readonly at: number }, ApiKey | null>;
  /** Notes when keys were last used; the time only moves forward. */
  touchKeys: Call<{ readonly uses: readonly { readonly id: KeyId; readonly at: number }[] }, null>;
  createList: Call<{ readonly account: AccountId; readonly name: string; readonly at: number }, List>;
  /**
   * A list with the id that it had elsewhere. null: another list of the installation has it, or a campaign
   * went to one that had it.
   */
  adoptList: Call<
    { readonly account: AccountId; readonly id: ListId; readonly name: string; readonly at: number },
    List | null
  >;
  renameList: Call<{ readonly account: AccountId; readonly id: ListId; readonly name: string }, List | null>;
  /** Ends the next memberships of a list that is to be deleted; gives back how many. */
  emptyList: Call<
    { readonly account: AccountId; readonly id: ListId; readonly at: number; readonly origin: Origin },
    number
  >;
  deleteList: Call<
    { readonly account: AccountId; readonly id: ListId; readonly at: number; readonly origin: Origin },
    List | null
  >;
  /** With the id that it had elsewhere, or the next one; else why there is none. */
  createField: Call<
    {
      readonly account: AccountId;
      readonly id: FieldId | null;
      readonly field: NewField;
      readonly at: number;
    },
    Field | Exclude<AddFieldOutcome, "Done"> | "IdTaken"
  >;
  /** The id of the first list that the account does not have, else the campaign. */
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
  /** Drops refusals that are older than the store keeps them; gives back how many. */
  purgeRefusals: Call<{ readonly now: number }, number>;
  /** Goes the way of every write, down to the disk, and changes nothing: whether one would succeed now. */
  probeWrite: Call<Record<never, never>, null>;
}

export interface SubscriberRecord {
  readonly address: string;
  readonly state: State;
  readonly facts: Facts;
  readonly knownSince: number;
  readonly data: BasicData;
  /** Those of its data that an import wrote last. */
  readonly imported: readonly (keyof BasicData)[];
  readonly values: readonly {
    readonly field: FieldId;
    readonly name: string;
    readonly value: string;
    readonly at: number;
    /** Which key gave it, or which import. */
    readonly key: KeyId | null;
    readonly batch: ImportId | null;
  }[];
  /** `counts`: whether it is in effect today, which it is while the person is active. */
  readonly lists: readonly {
    readonly id: ListId;
    readonly name: string;
    readonly joinedAt: number;
    readonly counts: boolean;
  }[];
  readonly history: readonly HistoryEntry[];
  /** Where the person stands in the results of campaigns. */
  readonly losses: readonly {
    readonly campaign: CampaignId;
    readonly name: string;
    readonly event: CampaignEvent;
    readonly at: number;
    readonly joinedAt: number;
  }[];
}
/** What an erasure took away, and what goes on holding. */
export interface Erasure {
  readonly wasKnown: boolean;
  readonly values: number;
  readonly lists: number;
  readonly history: number;
  readonly losses: number;
  readonly kept: Facts | null;
}
/** A kept number beside the same number counted anew. */
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
  /** The schema's version, as the database has it now. */
  ping: Call<Record<never, never>, number>;
  accounts: Call<Record<never, never>, readonly Account[]>;
  keyByHash: Call<{ readonly hash: Uint8Array }, ApiKey | null>;
  /**
   * The hashes of keys that were used or created since then and are not revoked, with when; the latest ones.
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
  /** What an import of these addresses would find, each by itself. */
  importStates: Call<
    OfAccount & { readonly list: ListId | null; readonly addresses: readonly Address[] },
    Room & { readonly states: readonly ImportState[] }
  >;
  /** The newest first. */
  importBatches: Call<OfAccount & { readonly limit: number }, readonly ImportBatch[]>;
  importBatch: Call<OfAccount & { readonly id: ImportId }, ImportBatch | null>;
  refusals: Call<OfAccount & { readonly limit: number }, readonly Refusal[]>;
  refusal: Call<OfAccount & { readonly id: number }, Refusal | null>;
  noOps: Call<OfAccount, readonly NoOps[]>;
  databaseBytes: Call<Record<never, never>, number>;
  /** Every kept number against a recount; slow on a large database. */
  recount: Call<Record<never, never>, readonly Recount[]>;
  /** What the database itself finds wrong with its files, empty where nothing. */
  integrity: Call<Record<never, never>, readonly string[]>;
}

/** Lists of any length, read in pages; not one snapshot: what changes meanwhile may or may not be in it. */
export interface Listings {
  lists: Call<OfAccount, List>;
  fields: Call<OfAccount, Field>;
  /** In the order in which they became known. */
  members: Call<OfAccount & { readonly list: ListId }, Member>;
  targetedLists: Call<OfAccount & { readonly campaign: CampaignId }, TargetedList>;
  campaigns: Call<OfAccount, Campaign>;
}
/** As listings, but of so many rows that the store writes them itself. */
export interface EncodedListings {
  lostSubscribers: Call<
    OfAccount & { readonly campaign: CampaignId; readonly event: CampaignEvent },
    LostSubscriber
  >;
}

/** A member of a list, be the membership in effect or not. */
export interface Member {
  readonly address: string;
  readonly joinedAt: number;
  readonly facts: Facts;
  readonly data: BasicData;
  readonly values: readonly { readonly field: FieldId; readonly value: string }[];
}

/** How busy a store is at the moment. */
export interface StoreLoad {
  /** Writes that wait for the next commit. */
  readonly waiting: number;
  /** To a server, for reading, and reads that wait for one; none where there is no server. */
  readonly connections: { readonly busy: number; readonly idle: number; readonly waiting: number };
}

/** Who wants to know how a store fares is told as it happens; that is often, so it must be cheap. */
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
  /** Finishes what was asked before, then lets go of the database. */
  close(): Promise<void>;
}

/** The database does not answer, is full, or is locked by somebody else: the same call may work later. */
export class StoreUnavailable extends Error {
  override readonly name: string = "StoreUnavailable";
}
/** The database went away during a commit, so it is not known whether that was made. */
export class CommitUnknown extends StoreUnavailable {
  /** What the write comes to if it was. */
  readonly result: unknown;

  constructor(message: string, result: unknown) {
    super(message);
    this.result = result;
  }
}
/** The open file is no longer the one at the configured path, so whatever is written to it would be lost. */
export class DatabaseFileReplaced extends StoreUnavailable {
  override readonly name = "DatabaseFileReplaced";
}
/** The database cannot be used at all; the text says in one line why, and what to do. */
export class StoreRefused extends Error {
  override readonly name = "StoreRefused";
}
