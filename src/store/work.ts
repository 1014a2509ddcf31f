/**
 * What the commands of a group are decided upon, in the middle of a transaction: each finds here what those
 * before it left, and leaves here what it changed. A store says how; `Person` is what it knows a person by.
 */
import type { AccountId } from "../domain/account.ts";
import type { Address } from "../domain/address.ts";
import type { CampaignEvent, CampaignId } from "../domain/campaign.ts";
import type { FieldState, NewField } from "../domain/field.ts";
import type { ImportCounts } from "../domain/import-batch.ts";
import type { ImportState, Room } from "../domain/import-rules.ts";
import type { ListId } from "../domain/list.ts";
import type { ImportId } from "../domain/origin.ts";
import type { PersonState } from "../domain/person-data.ts";
import type { Command } from "../domain/ports.ts";
import type { SubscriberChange } from "../domain/subscriber-change.ts";
import type { AddressState, EventState } from "../domain/subscriber-rules.ts";
import type { StoredValues } from "../domain/value-rules.ts";

/** `person` is null where the address is not known. */
export interface Lookup<Person> extends AddressState {
  readonly person: Person | null;
}
export type AccountState = Room & Pick<PersonState, "country">;
export type PartInCampaign = Omit<EventState, keyof AddressState>;

export interface UnitOfWork<Person> {
  lookUp(account: AccountId, address: Address): Lookup<Person>;
  /** What is stored of a person; looked up no sooner than it is asked for, where that costs anything. */
  stored(person: Person): StoredValues;
  /** With all that is known of the person, and of their time on the list. */
  lookUpForImport(account: AccountId, address: Address, list: ListId | null): Lookup<Person> & ImportState;
  isMember(person: Person, list: ListId): boolean;
  partInCampaign(
    account: AccountId,
    person: Person | null,
    campaign: CampaignId,
    event: CampaignEvent,
  ): PartInCampaign;
  accountState(account: AccountId): AccountState;
  hasList(account: AccountId, list: ListId): boolean;
  fieldTypes(account: AccountId): PersonState["fieldTypes"];
  /** `key` is the name as names are compared. */
  fieldState(account: AccountId, key: string): FieldState;

  /** `person` is null where the first change makes them known. */
  save(account: AccountId, person: Person | null, changes: readonly SubscriberChange[]): void;
  /** What an import came to so far. */
  saveImportCounts(account: AccountId, batch: ImportId, counts: ImportCounts): void;
  addField(account: AccountId, field: NewField, at: number): void;
  keepRefusal(command: Command, outcome: string): void;
}
