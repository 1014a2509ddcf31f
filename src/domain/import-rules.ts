/**
 * People taken over from elsewhere: what a row of a file does, given what is known here. It adds what is missing and
 * undoes nothing: neither an opt-out, a bounce, a complaint or a block, nor that somebody left the list since. So the
 * same row given again changes nothing.
 */
import type { Address } from "./address.ts";
import type { FieldId } from "./field.ts";
import type { ListId } from "./list.ts";
import {
  type BasicData,
  changeFact,
  type Facts,
  isActive,
  type LiftableFact,
  liftable,
  type SubscriberChange,
} from "./subscriber.ts";
import {
  type AddressState,
  becomeKnown,
  type Cause,
  type Decided,
  factsOf,
  historyEntry,
} from "./subscriber-rules.ts";

/** A person as a file tells of them; every value is as it is kept. */
export interface ImportedPerson {
  readonly address: Address;
  /** null: the file does not say. */
  readonly joinedAt: number | null;
  readonly facts: Readonly<Partial<Record<LiftableFact, number>>>;
  readonly data: Partial<BasicData>;
  readonly values: readonly { readonly field: FieldId; readonly value: string }[];
}

export interface ImportState extends AddressState {
  readonly isMember: boolean;
  /** When the person last left the list, null where never. */
  readonly leftAt: number | null;
  /** What is kept of a person who is known. */
  readonly data: Partial<BasicData> | null;
  readonly values: { get(field: FieldId): string | undefined };
}
/** How many active subscribers there are, and may be. */
export interface Room {
  readonly subscribers: number;
  readonly subscriberLimit: number | null;
}

export type ImportOutcome =
  /** On the list now. */
  | "Joined"
  /** Written down for the list, but a fact holds, so it is not in effect. */
  | "HeldBack"
  | "OnList"
  /** Left the list here after joining it elsewhere, and so stays off. */
  | "LeftSince"
  /** Without a list: a fact is new, or nothing is. */
  | "Recorded"
  | "NoOp"
  /** Was erased here and is out for good; nothing of the row is kept. */
  | "Erased"
  /** Nothing was changed. */
  | "LimitReached";

export interface Imported {
  readonly outcome: ImportOutcome;
  readonly isNew: boolean;
}

export function decideImport(
  person: ImportedPerson,
  list: ListId | null,
  { at, origin }: Cause,
  state: ImportState,
  { subscribers, subscriberLimit }: Room,
): Decided<ImportOutcome> & Imported {
  const { address, joinedAt, facts } = person;
  if (state.known === null && state.erased !== null && !tellsMore(person, list, state.erased))
    return { outcome: list === null ? "NoOp" : "Erased", isNew: false, changes: [] };
  const isNew = state.known === null;
  const since = Math.min(at, joinedAt ?? at, ...Object.values(facts));
  const changes: SubscriberChange[] = isNew ? [...becomeKnown(address, since, state)] : [];
  let held: Facts = factsOf(state);
  let isTold = false;
  for (const fact of liftable) {
    const factAt = facts[fact];
    if (factAt === undefined || held[fact] !== null) continue;
    changes.push(...changeFact(held, fact, true, historyEntry(fact, { at: factAt, origin })));
    held = { ...held, [fact]: factAt };
    isTold = true;
  }
  const isFull = subscriberLimit !== null && subscribers >= subscriberLimit;
  if (isNew && isActive(held) && isFull) return { outcome: "LimitReached", isNew: false, changes: [] };
  changes.push(...describe(person, { at, origin }, state));
  if (list === null) return { outcome: isTold ? "Recorded" : "NoOp", isNew, changes };
  if (state.isMember) return { outcome: "OnList", isNew, changes };
  if (state.leftAt !== null && state.leftAt >= (joinedAt ?? state.leftAt))
    return { outcome: "LeftSince", isNew, changes };
  const joined = { at: joinedAt ?? at, origin };
  changes.push(
    { kind: "join", list, at: joined.at, counted: isActive(held) },
    { kind: "add-history", entry: historyEntry("joined", joined, { list }) },
  );
  // A block that is put up but not settled yet holds the person back already; counted is what it will take away.
  const isHeldBack = !isActive(held) || state.blockedAt !== null;
  return { outcome: isHeldBack ? "HeldBack" : "Joined", isNew, changes };
}

/** Whether a row says of somebody who was erased what is not kept of them: only that is a reason to know them again. */
const tellsMore = ({ facts }: ImportedPerson, list: ListId | null, erased: Facts): boolean =>
  list === null && liftable.some((fact) => facts[fact] !== undefined && erased[fact] === null);

/** A given value replaces a stored one. One that is the same changes nothing, not even when it was given. */
function describe(
  { data, values }: ImportedPerson,
  { at, origin }: Cause,
  state: ImportState,
): readonly SubscriberChange[] {
  const changes: SubscriberChange[] = [];
  const names = Object.keys(data) as (keyof BasicData)[];
  if (names.some((name) => data[name] !== state.data?.[name])) changes.push({ kind: "describe", data });
  for (const { field, value } of values)
    if (state.values.get(field) !== value) changes.push({ kind: "set-value", field, value, at, origin });
  return changes;
}
