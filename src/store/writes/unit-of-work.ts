/**
 * The state on which the commands of a group are decided, inside a transaction. Each command sees the changes
 * of the commands before it and saves its own here. `Person` is a store's handle for a subscriber.
 */
import type { ImportId } from "#domain/access/origin.ts";
import type { AccountId } from "#domain/account.ts";
import type { Address } from "#domain/address.ts";
import type { CampaignEvent, CampaignId } from "#domain/campaign.ts";
import type { FieldState, NewField } from "#domain/field/field.ts";
import type { StoredValues } from "#domain/field/value-rules.ts";
import type { ImportCounts } from "#domain/import/batch.ts";
import type { ImportProgress } from "#domain/import/job.ts";
import type { ImportState, SubscriberCapacity } from "#domain/import/rules.ts";
import type { ListId } from "#domain/list.ts";
import type { Command } from "#domain/ports/command.ts";
import type { SubscriberChange } from "#domain/subscriber/change.ts";
import type { PersonState } from "#domain/subscriber/person-data.ts";
import type { AddressState, EventState } from "#domain/subscriber/rules.ts";
import type { FromImport, MembershipStatus, SubscriberId } from "#domain/subscriber/subscriber.ts";

/** `person` is null if the address is unknown. */
export interface Lookup<Person> extends AddressState {
  readonly person: Person | null;
}
export interface HeldMembership {
  readonly status: MembershipStatus;
  readonly joinedAt: number;
  readonly fromImport: FromImport | null;
}
export type AccountState = SubscriberCapacity & Pick<PersonState, "country">;
export type PartInCampaign = Omit<EventState, keyof AddressState>;

export interface UnitOfWork<Person> {
  lookUp(account: AccountId, address: Address): Lookup<Person>;
  idOf(person: Person): SubscriberId;
  /** The stored values of a subscriber. Read lazily by a store for which that costs anything. */
  stored(person: Person): StoredValues;
  /** With everything stored about the subscriber and their membership of the list. */
  lookUpForImport(account: AccountId, address: Address, list: ListId | null): Lookup<Person> & ImportState;
  /** null: not on the list. */
  membership(person: Person, list: ListId): HeldMembership | null;
  partInCampaign(
    account: AccountId,
    person: Person | null,
    campaign: CampaignId,
    event: CampaignEvent,
  ): PartInCampaign;
  accountState(account: AccountId): AccountState;
  hasList(account: AccountId, list: ListId): boolean;
  fieldTypes(account: AccountId): PersonState["fieldTypes"];
  /** `key` is the name in the form in which names are compared. */
  fieldState(account: AccountId, key: string): FieldState;

  /** `person` is null if the first change creates the subscriber. */
  save(account: AccountId, person: Person | null, changes: readonly SubscriberChange[]): void;
  /** The counts of an import so far. */
  saveImportCounts(account: AccountId, batch: ImportId, counts: ImportCounts): void;
  /** Whether undoing the import was begun: it adds no more rows. */
  isImportUndone(account: AccountId, batch: ImportId): boolean;
  /** How often the progress of an import was saved; no other process saves it until the end. */
  importVersion(account: AccountId, batch: ImportId): number;
  saveImportProgress(account: AccountId, batch: ImportId, progress: ImportProgress): void;
  addField(account: AccountId, field: NewField, at: number): void;
  keepRefusal(command: Command, outcome: string): void;
}
