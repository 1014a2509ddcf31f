/** The unit of work of one group, in the working set. Reads and saves nothing itself. */
import type { ImportId } from "#domain/access/origin.ts";
import type { AccountId } from "#domain/account.ts";
import type { Address } from "#domain/address.ts";
import type { CampaignEvent, CampaignId } from "#domain/campaign.ts";
import type { FieldState, NewField } from "#domain/field/field.ts";
import { noBasics, type StoredValues } from "#domain/field/value-rules.ts";
import type { ImportCounts } from "#domain/import/batch.ts";
import type { ImportProgress } from "#domain/import/job.ts";
import type { ImportState } from "#domain/import/rules.ts";
import type { ListId } from "#domain/list.ts";
import type { Command } from "#domain/ports/command.ts";
import type { SubscriberChange } from "#domain/subscriber/change.ts";
import type { PersonState } from "#domain/subscriber/person-data.ts";
import { COUNTED_STATUS, type SubscriberId } from "#domain/subscriber/subscriber.ts";
import { nameKey } from "#domain/text.ts";
import type {
  AccountState,
  HeldMembership,
  Lookup,
  PartInCampaign,
  UnitOfWork,
} from "../../writes/unit-of-work.ts";
import { keepRefusal } from "./refused-calls.ts";
import { applyChanges } from "./subscriber-changes.ts";
import { givenOf, leaveOf, lossOf, of, type Person, type WorkingSet } from "./working-set.ts";

const noTypes: PersonState["fieldTypes"] = new Map();

export class PostgresUnitOfWork implements UnitOfWork<Person> {
  readonly #set: WorkingSet;

  constructor(set: WorkingSet) {
    this.#set = set;
  }

  lookUp(account: AccountId, address: Address): Lookup<Person> {
    const id = of(account, address.key);
    const person = this.#set.people.get(id) ?? null;
    const erased = person === null ? (this.#set.erased.get(id) ?? null) : null;
    return { person, known: person, blockedAt: this.#blockedAt(account, address), erased };
  }
  idOf({ id }: Person): SubscriberId {
    return id;
  }
  /** Since when a block covers the address, directly or by its domain. */
  #blockedAt(account: AccountId, { key, domain }: Address): number | null {
    const times = [key, `@${domain}`].flatMap((pattern) => this.#set.blocks.get(of(account, pattern)) ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }
  lookUpForImport(account: AccountId, address: Address, list: ListId | null): Lookup<Person> & ImportState {
    const set = this.#set;
    const found = this.lookUp(account, address);
    const { person } = found;
    if (person === null) return { ...found, membership: null, joinedAt: null, leftAt: null, stored: null };
    const held = list === null ? null : this.membership(person, list);
    return {
      ...found,
      membership: held?.status ?? null,
      fromImport: held?.fromImport ?? null,
      joinedAt: held?.joinedAt ?? null,
      leftAt: list === null ? null : (set.leaves.get(leaveOf(person.id, list)) ?? null),
      stored: this.stored(person),
    };
  }
  /** Values set by earlier commands of the group take precedence over those in the database. */
  stored({ id, data, imported }: Person): StoredValues {
    const { basics, givenValues, values } = this.#set;
    const before = basics.get(id) ?? noBasics;
    return {
      basics: { ...before, ...data, imported: imported ?? before.imported },
      values: {
        get: (field) => {
          const given = givenValues.get(givenOf(id, field));
          return given === undefined ? values.get(id)?.get(field) : given;
        },
      },
    };
  }
  membership(person: Person, list: ListId): HeldMembership | null {
    return person.memberships.get(list) ?? null;
  }
  partInCampaign(
    account: AccountId,
    person: Person | null,
    campaign: CampaignId,
    event: CampaignEvent,
  ): PartInCampaign {
    const lists = this.#set.campaigns.get(of(account, campaign));
    const joins = (lists ?? []).flatMap((list) => {
      const membership = person?.memberships.get(list);
      return membership?.status === COUNTED_STATUS ? membership.joinedAt : [];
    });
    return {
      campaignExists: lists !== undefined,
      isRecorded: person !== null && this.#set.losses.has(lossOf(person.id, campaign, event)),
      earliestJoin: joins.length === 0 ? null : Math.min(...joins),
    };
  }
  accountState(account: AccountId): AccountState {
    const { country, subscribersBefore, subscribersAdded, limitSubscribers } = this.#set.account(account);
    return { country, subscribers: subscribersBefore + subscribersAdded, subscriberLimit: limitSubscribers };
  }
  hasList(account: AccountId, list: ListId): boolean {
    return this.#set.lists.has(of(account, list));
  }
  fieldTypes(account: AccountId): PersonState["fieldTypes"] {
    return this.#set.fieldTypes.get(account) ?? noTypes;
  }
  fieldState(account: AccountId, key: string): FieldState {
    return {
      exists: this.#set.fieldNames.has(of(account, key)),
      count: this.#set.fieldCounts.get(account) ?? 0,
      limit: this.#set.account(account).limitFields,
    };
  }

  save(account: AccountId, person: Person | null, changes: readonly SubscriberChange[]): void {
    applyChanges(this.#set, account, person, changes);
  }
  saveImportCounts(account: AccountId, batch: ImportId, counts: ImportCounts): void {
    this.#set.importCounts.set(batch, { account, counts });
  }
  isImportUndone(_account: AccountId, batch: ImportId): boolean {
    return this.#set.undoneImports.has(batch);
  }
  importVersion(_account: AccountId, batch: ImportId): number {
    return this.#set.importVersions.get(batch) ?? 0;
  }
  saveImportProgress(account: AccountId, batch: ImportId, progress: ImportProgress): void {
    this.#set.importVersions.set(batch, progress.version);
    this.#set.importProgress.set(batch, { account, progress });
  }
  addField(account: AccountId, field: NewField, at: number): void {
    const { newFields, fieldNames, fieldCounts } = this.#set;
    const key = nameKey(field.name);
    newFields.push({ ...field, account, key, at });
    fieldNames.add(of(account, key));
    fieldCounts.set(account, (fieldCounts.get(account) ?? 0) + 1);
  }
  keepRefusal(command: Command, outcome: string): void {
    keepRefusal(this.#set, command, outcome);
  }
}
