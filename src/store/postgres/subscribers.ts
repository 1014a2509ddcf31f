/** Commands about subscribers: finds in the working set what each decision needs, and carries what it changed into it. */
import type { AccountId } from "../../domain/account.ts";
import type { Address } from "../../domain/address.ts";
import type { Writes } from "../../domain/ports.ts";
import {
  type AddressState,
  type AddState,
  decideAdd,
  decideAddWithData,
  decideEvent,
  decideReactivate,
  decideRemove,
  decideUnsubscribe,
  type ListState,
} from "../../domain/subscriber-rules.ts";
import { applyChanges } from "./subscriber-changes.ts";
import { lossOf, of, type Person, type WorkingSet } from "./working-set.ts";

export interface Found extends AddressState {
  readonly person: Person | null;
}

export function find(set: WorkingSet, account: AccountId, address: Address | null): Found {
  if (address === null) return { person: null, known: null, blockedAt: null, erased: null };
  const person = set.people.get(of(account, address.key)) ?? null;
  const erased = person === null ? (set.erased.get(of(account, address.key)) ?? null) : null;
  return { person, known: person, blockedAt: blockedAt(set, account, address), erased };
}

/** Since when a block covers the address, by itself or by its domain. */
function blockedAt(set: WorkingSet, account: AccountId, { key, domain }: Address): number | null {
  const times = [key, `@${domain}`].flatMap((pattern) => set.blocks.get(of(account, pattern)) ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

function findOnList(
  set: WorkingSet,
  { account, address, list }: Writes["removeSubscriber"]["args"],
): Found & ListState {
  const found = find(set, account, address);
  return {
    ...found,
    listExists: set.lists.has(of(account, list)),
    isMember: found.person?.joined.has(list) ?? false,
  };
}

function findForAdd(set: WorkingSet, command: Writes["addSubscriber"]["args"]): Found & AddState {
  const { subscribersBefore, subscribersAdded, limitSubscribers } = set.account(command.account);
  return {
    ...findOnList(set, command),
    subscribers: subscribersBefore + subscribersAdded,
    subscriberLimit: limitSubscribers,
  };
}

export function addSubscriber(
  set: WorkingSet,
  command: Writes["addSubscriber"]["args"],
): Writes["addSubscriber"]["result"] {
  const found = findForAdd(set, command);
  const { outcome, changes } = decideAdd(command, found);
  applyChanges(set, command.account, found.person, changes);
  return outcome;
}

export function addSubscriberWithData(
  set: WorkingSet,
  command: Writes["addSubscriberWithData"]["args"],
): Writes["addSubscriberWithData"]["result"] {
  const { account } = command;
  const found = findForAdd(set, command);
  const { outcome, changes } = decideAddWithData(command, {
    ...found,
    country: set.account(account).country,
    fieldTypes: set.fieldTypes.get(account) ?? new Map(),
  });
  applyChanges(set, account, found.person, changes);
  return outcome;
}

export function removeSubscriber(
  set: WorkingSet,
  command: Writes["removeSubscriber"]["args"],
): Writes["removeSubscriber"]["result"] {
  const found = findOnList(set, command);
  const { outcome, changes } = decideRemove(command, found);
  applyChanges(set, command.account, found.person, changes);
  return outcome;
}

export function unsubscribe(
  set: WorkingSet,
  command: Writes["unsubscribe"]["args"],
): Writes["unsubscribe"]["result"] {
  const found = find(set, command.account, command.address);
  const { outcome, changes } = decideUnsubscribe(command, found);
  applyChanges(set, command.account, found.person, changes);
  return outcome;
}

export function reactivate(
  set: WorkingSet,
  command: Writes["reactivate"]["args"],
): Writes["reactivate"]["result"] {
  const found = find(set, command.account, command.address);
  const { outcome, changes } = decideReactivate(command, found);
  applyChanges(set, command.account, found.person, changes);
  return outcome;
}

export function recordEvent(
  set: WorkingSet,
  command: Writes["recordEvent"]["args"],
): Writes["recordEvent"]["result"] {
  const { account, address, campaign, event } = command;
  const found = find(set, account, address);
  const lists = set.campaigns.get(of(account, campaign));
  const joins = (lists ?? []).flatMap((list) => found.person?.joined.get(list) ?? []);
  const { outcome, changes } = decideEvent(command, {
    ...found,
    campaignExists: lists !== undefined,
    isRecorded: found.person !== null && set.losses.has(lossOf(found.person.id, campaign, event)),
    earliestJoin: joins.length === 0 ? null : Math.min(...joins),
  });
  applyChanges(set, account, found.person, changes);
  return outcome;
}
