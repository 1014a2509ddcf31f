/**
 * People taken over from elsewhere: what a row of a file does, given what is known here. It adds what is
 * missing and undoes nothing: neither an opt-out, a bounce, a complaint or a block, nor that somebody left
 * the list since, nor a value that was given here. So the same row given again changes nothing.
 */
import type { Address } from "./address.ts";
import { type Cause, historyEntry } from "./history.ts";
import type { ListId } from "./list.ts";
import { type FactName, type Facts, isActive, type LiftableFact, liftable, stateOf } from "./subscriber.ts";
import { changeFact, type SubscriberChange } from "./subscriber-change.ts";
import { type AddressState, becomeKnown, type Decided, factsOf } from "./subscriber-rules.ts";
import { type GivenValues, giveValues, type StoredValues } from "./value-rules.ts";

/** A person as a file tells of them; every value is as it is kept. */
export interface ImportedPerson extends GivenValues {
  readonly address: Address;
  /** null: the file does not say. */
  readonly joinedAt: number | null;
  readonly facts: Readonly<Partial<Record<LiftableFact, number>>>;
  /** A later row of the file has the same address, and counts instead. */
  readonly isDuplicate?: boolean;
}

export interface ImportState extends AddressState {
  readonly isMember: boolean;
  /** When the person last left the list, null where never. */
  readonly leftAt: number | null;
  /** null where the person is not known. */
  readonly stored: StoredValues | null;
}
/** Where a row goes, and whether it may replace values that no import wrote. */
export interface ImportOptions {
  readonly list: ListId | null;
  readonly overwrite: boolean;
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
  /**
   * A later row counts. An opt-out, a bounce or a complaint of this one holds all the same: no row undoes
   * one.
   */
  | "Duplicate"
  /** Nothing was changed. */
  | "LimitReached";

export interface Imported {
  readonly outcome: ImportOutcome;
  readonly isNew: boolean;
  /** Why the person is not mailed after this row; null where nothing keeps them from it. */
  readonly suppressedBy: FactName | null;
  /**
   * Values of the row that filled or replaced stored ones, and those that did not because the stored ones
   * are newer.
   */
  readonly updatedValues: number;
  readonly keptNewerValues: number;
}

export function decideImport(
  person: ImportedPerson,
  { list, overwrite }: ImportOptions,
  { at, origin }: Cause,
  state: ImportState,
  { subscribers, subscriberLimit }: Room,
): Decided<ImportOutcome> & Imported {
  const { address, joinedAt, facts, isDuplicate = false } = person;
  const isNew = state.known === null;
  if (isNew && state.erased !== null && !tellsMore(person, list, state.erased))
    return unchanged(isDuplicate ? "Duplicate" : list === null ? "NoOp" : "Erased");
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
  if (isDuplicate) return { ...unchanged("Duplicate"), ...(isTold ? { isNew, changes } : {}) };
  const isFull = subscriberLimit !== null && subscribers >= subscriberLimit;
  if (isNew && isActive(held) && isFull) return unchanged("LimitReached");
  const given = giveValues(person, state.stored, { at, origin }, overwrite);
  changes.push(...given.changes);
  // A block that is put up but not settled yet suppresses the person already; counted is what it will take
  // away.
  const shown = stateOf({ ...held, blocked: held.blocked ?? state.blockedAt });
  const suppressedBy = shown === "active" ? null : shown;
  const decided = (outcome: ImportOutcome): Decided<ImportOutcome> & Imported => ({
    outcome,
    isNew,
    suppressedBy,
    updatedValues: given.updated,
    keptNewerValues: given.keptNewer,
    changes,
  });
  if (list === null) return decided(isTold ? "Recorded" : "NoOp");
  if (state.isMember) return decided("OnList");
  if (state.leftAt !== null && state.leftAt >= (joinedAt ?? state.leftAt)) return decided("LeftSince");
  const joined = { at: joinedAt ?? at, origin };
  changes.push(
    { kind: "join", list, at: joined.at, counted: isActive(held) },
    { kind: "add-history", entry: historyEntry("joined", joined, { list }) },
  );
  return decided(suppressedBy === null ? "Joined" : "HeldBack");
}

const unchanged = (outcome: ImportOutcome): Decided<ImportOutcome> & Imported => ({
  outcome,
  isNew: false,
  suppressedBy: null,
  updatedValues: 0,
  keptNewerValues: 0,
  changes: [],
});

/**
 * Whether a row says of somebody who was erased what is not kept of them: only that is a reason to know them
 * again.
 */
const tellsMore = ({ facts }: ImportedPerson, list: ListId | null, erased: Facts): boolean =>
  list === null && liftable.some((fact) => facts[fact] !== undefined && erased[fact] === null);
