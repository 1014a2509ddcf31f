/**
 * Applies the changes that a rule decided for one subscriber to the working set. Counters change here and
 * nowhere else.
 */
import { batchOf, keyOf } from "#domain/access/origin.ts";
import type { AccountId } from "#domain/account.ts";
import { activeBy, type SubscriberChange } from "#domain/subscriber/change.ts";
import type { HistoryEntry } from "#domain/subscriber/history.ts";
import { COUNTED_STATUS, noSuppressions, type State } from "#domain/subscriber/subscriber.ts";
import { concernsLinks } from "../../writes/repeated-opt-out.ts";
import { givenOf, leaveOf, lossOf, of, type Person, type WorkingSet } from "./working-set.ts";

/** `person` is null if the first change creates the subscriber. */
export function applyChanges(
  set: WorkingSet,
  account: AccountId,
  person: Person | null,
  changes: readonly SubscriberChange[],
): void {
  let about = person;
  for (const change of changes) {
    if (change.kind === "create-subscriber") about = createSubscriber(set, account, change);
    else if (about === null) throw new Error(`${change.kind} without a subscriber`);
    else apply(set, about, change);
    set.changedPeople.add(about);
  }
}

function createSubscriber(
  set: WorkingSet,
  account: AccountId,
  { address, at, blockedAt, import: batch }: Extract<SubscriberChange, { kind: "create-subscriber" }>,
): Person {
  changeState(set, account, at, null, blockedAt === null ? "active" : "blocked");
  const person: Person = {
    account,
    id: set.takeId(),
    key: address.key,
    since: at,
    createdBy: batch ?? null,
    newAddress: address,
    suppressions: { ...noSuppressions, blocked: blockedAt },
    isChanged: false,
    data: {},
    imported: null,
    membershipsBefore: new Map(),
    memberships: new Map(),
  };
  set.people.set(of(account, address.key), person);
  return person;
}

/** null: not a subscriber. Returns the change of the number of active subscribers. */
function changeState(
  set: WorkingSet,
  account: AccountId,
  at: number,
  from: State | null,
  to: State | null,
): 1 | -1 | 0 {
  set.countSuppressed(account, from, -1);
  set.countSuppressed(account, to, 1);
  const by = activeBy(from, to);
  if (by !== 0) {
    set.account(account).subscribersAdded += by;
    set.accountDays.count(account, account, at, by);
  }
  return by;
}
function apply(
  set: WorkingSet,
  person: Person,
  change: Exclude<SubscriberChange, { kind: "create-subscriber" }>,
): void {
  const { account } = person;
  switch (change.kind) {
    case "describe":
      person.data = { ...person.data, ...change.data };
      person.imported = change.imported;
      person.isChanged = true;
      return;
    case "set-value": {
      const { field, value, at, origin } = change;
      set.givenValues.set(givenOf(person.id, field), {
        person,
        field,
        value,
        at,
        key: keyOf(origin),
        batch: batchOf(origin),
      });
      return;
    }
    case "join":
      person.memberships.set(change.list, {
        joinedAt: change.at,
        status: change.status,
        fromImport: change.import === undefined ? null : { import: change.import, confirmedBy: null },
      });
      if (change.counted) set.listDays.count(account, change.list, change.at, 1);
      return;
    case "confirm-membership": {
      const held = person.memberships.get(change.list);
      if (held?.fromImport == null) return;
      const fromImport = change.by === null ? null : { ...held.fromImport, confirmedBy: change.by };
      person.memberships.set(change.list, { ...held, fromImport });
      return;
    }
    case "leave":
      person.memberships.delete(change.list);
      if (change.counted) set.listDays.count(account, change.list, change.at, -1);
      return;
    case "set-suppression":
    case "clear-suppression":
      person.suppressions = {
        ...person.suppressions,
        [change.suppression]: change.kind === "set-suppression" ? change.at : null,
      };
      person.isChanged = true;
      return;
    case "change-state": {
      const by = changeState(set, account, change.at, change.from, change.to);
      if (by === 0) return;
      for (const [list, { status }] of person.memberships)
        if (status === COUNTED_STATUS) set.listDays.count(account, list, change.at, by);
      return;
    }
    case "add-campaign-event": {
      const { campaign, event, at, joinedAt } = change;
      set.losses.add(lossOf(person.id, campaign, event));
      set.newLosses.push({ person, campaign, event, at, joinedAt });
      return;
    }
    case "add-history": {
      const { entry } = change;
      if (change.isAfterLink === true) {
        addAfterLink(set, person, entry);
        return;
      }
      set.history.push({ person, entry, isAfterLink: false });
      if (entry.kind === "left" && entry.list !== null) {
        const leave = leaveOf(person.id, entry.list);
        set.leaves.set(leave, Math.max(set.leaves.get(leave) ?? 0, entry.at));
      }
      return;
    }
    case "delete-subscriber":
      set.people.delete(of(account, person.key));
      set.deletedPeople.add(person);
      return;
    default:
      change satisfies never;
  }
}

/**
 * An entry that is after a link itself is either saved, or there is no such link: there is nothing to add.
 */
function addAfterLink(set: WorkingSet, person: Person, entry: HistoryEntry): void {
  const newest = set.history.findLast((saved) => saved.person === person && concernsLinks(saved.entry));
  if (newest === undefined) set.history.push({ person, entry, isAfterLink: true });
  else if (newest.entry.origin.kind === "link") set.history.push({ person, entry, isAfterLink: false });
}
