/** People taken over from elsewhere: what the decision about each needs, and what it changed, in the working set. */
import type { AccountId } from "../../domain/account.ts";
import { decideImport, type ImportState, type Room } from "../../domain/import-rules.ts";
import type { ListId } from "../../domain/list.ts";
import type { Writes } from "../../domain/ports.ts";
import type { SubscriberId } from "../../domain/subscriber.ts";
import { applyChanges } from "./subscriber-changes.ts";
import { type Found, find } from "./subscribers.ts";
import { givenOf, leaveOf, of, type WorkingSet } from "./working-set.ts";

const noValues: ImportState["values"] = new Map();

export function stateOf(
  set: WorkingSet,
  { person, known, blockedAt, erased }: Found,
  list: ListId | null,
): ImportState {
  const id = person?.id ?? null;
  return {
    known,
    blockedAt,
    erased,
    isMember: list !== null && person?.joined.has(list) === true,
    leftAt: id === null || list === null ? null : (set.leaves.get(leaveOf(id, list)) ?? null),
    data: id === null ? null : { ...set.data.get(id), ...person?.data },
    values: id === null ? noValues : valuesOf(set, id),
  };
}
/** Those that the commands before it have given count, then those that were there. */
const valuesOf = (set: WorkingSet, id: SubscriberId): ImportState["values"] => ({
  get: (field) => set.givenValues.get(givenOf(id, field))?.value ?? set.values.get(id)?.get(field),
});

export function roomOf(set: WorkingSet, account: AccountId): Room {
  const { subscribersBefore, subscribersAdded, limitSubscribers } = set.account(account);
  return { subscribers: subscribersBefore + subscribersAdded, subscriberLimit: limitSubscribers };
}

export function importPeople(
  set: WorkingSet,
  { account, list, at, people }: Writes["importPeople"]["args"],
): Writes["importPeople"]["result"] {
  if (list !== null && !set.lists.has(of(account, list))) return null;
  const cause = { at, origin: { kind: "import" } } as const;
  return people.map((person) => {
    const found = find(set, account, person.address);
    const state = stateOf(set, found, list);
    const { outcome, isNew, changes } = decideImport(person, list, cause, state, roomOf(set, account));
    applyChanges(set, account, found.person, changes);
    return { outcome, isNew };
  });
}
