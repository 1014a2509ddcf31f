/**
 * The rules of an import: what a row of a file changes, given the stored state. A row adds what is missing.
 * It never clears a suppression, never confirms a pending membership, never adds a subscriber again who left
 * the list since, and never replaces a value that was set here. So importing the same row again changes
 * nothing.
 */
import { batchOf, type ImportId } from "../access/origin.ts";
import type { Address } from "../address.ts";
import { type GivenValues, giveValues, type StoredValues } from "../field/value-rules.ts";
import type { ListId } from "../list.ts";
import {
  changeSuppression,
  importOf,
  joinList,
  leaveList,
  type SubscriberChange,
} from "../subscriber/change.ts";
import { type Cause, historyEntry } from "../subscriber/history.ts";
import { type AddressState, createSubscriber, type Decided, suppressionsOf } from "../subscriber/rules.ts";
import type { FromImport, MembershipStatus } from "../subscriber/subscriber.ts";
import {
  type ClearableSuppression,
  clearable,
  isActive,
  type SuppressionKind,
  type Suppressions,
  stateOf,
} from "../subscriber/subscriber.ts";

/** A subscriber of a file, with normalized values. */
export interface ImportedPerson extends GivenValues {
  readonly address: Address;
  /** null: not in the file. */
  readonly joinedAt: number | null;
  /** null: not dated in the file, so it holds from the time of the import. */
  readonly suppressions: Readonly<Partial<Record<ClearableSuppression, number | null>>>;
  /** The person has left the list: when, or null if nobody knows. Absent: is on it. */
  readonly leftAt?: number | null;
  /** A later row of the file has the same address, and is used instead. */
  readonly isDuplicate?: boolean;
  /** An earlier row of the file created the subscriber. */
  readonly isCreatedByFile?: boolean;
  /** The pattern of a block that this import added and that covers the address. */
  readonly blockPattern?: string;
}

export interface ImportState extends AddressState {
  /** null: not on the list. */
  readonly membership: MembershipStatus | null;
  readonly fromImport?: FromImport | null;
  /** Since when the subscriber is on the list; null: is not on it. */
  readonly joinedAt: number | null;
  /** When the subscriber last left the list; null if never. */
  readonly leftAt: number | null;
  /** null if the address is not stored. */
  readonly stored: StoredValues | null;
}
/** The target list, and whether a row may replace values that were not set by an import. */
export interface ImportOptions {
  readonly list: ListId | null;
  readonly overwrite: boolean;
}
/** The number of active subscribers, and its limit. */
export interface SubscriberCapacity {
  readonly subscribers: number;
  readonly subscriberLimit: number | null;
}

export type ImportOutcome =
  /** On the list now. */
  | "Joined"
  /** A member now, but suppressed, so the membership is suspended. */
  | "Suppressed"
  | "OnList"
  /** On the list, but pending; a row of a file is not the person's confirmation. */
  | "Pending"
  /** Left the list here after the date in the file, and is not added again; or left it elsewhere. */
  | "LeftSince"
  /** Without a list: a suppression is new, or nothing is. */
  | "Recorded"
  | "NoOp"
  /** Was erased here with a suppression; the row is not stored. */
  | "Erased"
  /**
   * A later row is used instead. A suppression of this row is recorded all the same: no row clears one.
   */
  | "Duplicate"
  /** Nothing was changed. */
  | "LimitReached";

export interface Imported {
  readonly outcome: ImportOutcome;
  readonly isNew: boolean;
  /** Why the subscriber is not mailed after this row; null if active. */
  readonly suppressedBy: SuppressionKind | null;
  /**
   * Values of the row that filled or replaced stored ones, and values that did not because the stored ones
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
  { subscribers, subscriberLimit }: SubscriberCapacity,
): Decided<ImportOutcome> & Imported {
  const { address, joinedAt, isDuplicate = false, blockPattern } = person;
  const isNew = state.known === null;
  if (isNew && state.erased !== null && !addsSuppression(person, list, state.erased))
    return unchanged(isDuplicate ? "Duplicate" : list === null ? "NoOp" : "Erased");
  const suppressions = datedSuppressions(person, at);
  const since = Math.min(at, joinedAt ?? at, ...Object.values(suppressions));
  const ownBlock = blockPattern === undefined ? null : { pattern: blockPattern, origin };
  const changes: SubscriberChange[] = isNew
    ? [...createSubscriber(address, since, state, ownBlock, importOf({ origin }))]
    : [];
  let held: Suppressions = suppressionsOf(state);
  let isSuppressedByRow = false;
  for (const suppression of clearable) {
    const suppressedAt = suppressions[suppression];
    if (suppressedAt === undefined || held[suppression] !== null) continue;
    changes.push(
      ...changeSuppression(held, suppression, true, historyEntry(suppression, { at: suppressedAt, origin })),
    );
    held = { ...held, [suppression]: suppressedAt };
    isSuppressedByRow = true;
  }
  if (isDuplicate) return { ...unchanged("Duplicate"), ...(isSuppressedByRow ? { isNew, changes } : {}) };
  const isFull = subscriberLimit !== null && subscribers >= subscriberLimit;
  if (isNew && isActive(held) && isFull) return unchanged("LimitReached");
  const given = giveValues(person, state.stored, { at, origin }, overwrite);
  changes.push(...given.changes);
  // A block that is stored but not applied yet already suppresses the subscriber; `counted` is what applying
  // it will subtract.
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
  if (list === null) return decided(isSuppressedByRow ? "Recorded" : "NoOp");
  if (person.leftAt !== undefined) {
    const leave = leaveBy(person.leftAt, held, list, { at, origin }, state);
    if (leave === null) return decided(state.membership === "pending" ? "Pending" : "OnList");
    changes.push(...leave);
    return decided("LeftSince");
  }
  if (state.membership !== null) {
    changes.push(...confirmMembership(list, batchOf(origin), state.fromImport ?? null));
    return decided(state.membership === "pending" ? "Pending" : "OnList");
  }
  if (state.leftAt !== null && state.leftAt >= (joinedAt ?? state.leftAt)) return decided("LeftSince");
  changes.push(...joinList(held, list, "active", { at: joinedAt ?? at, origin }));
  return decided(suppressedBy === null ? "Joined" : "Suppressed");
}

/** Whoever undoes the earlier import keeps whom the file of the latest one has, too. */
const confirmMembership = (
  list: ListId,
  by: ImportId | null,
  from: FromImport | null,
): readonly SubscriberChange[] =>
  from === null || from.confirmedBy === by || from.import === by
    ? []
    : [{ kind: "confirm-membership", list, by }];

/**
 * Whoever left the list elsewhere also leaves it here, unless they joined it here afterwards (null): not by
 * an import, which may be younger than what its file says. It is recorded once, with the time of the import:
 * an entry from before the list was created here would not count.
 */
function leaveBy(
  leftAt: number | null,
  held: Suppressions,
  list: ListId,
  cause: Cause,
  { membership, fromImport, joinedAt, leftAt: recordedAt }: ImportState,
): readonly SubscriberChange[] | null {
  if (membership === null)
    return recordedAt === null ? [{ kind: "add-history", entry: historyEntry("left", cause, { list }) }] : [];
  const isOfImport = fromImport !== null && fromImport !== undefined;
  if (!isOfImport && leftAt !== null && joinedAt !== null && joinedAt > leftAt) return null;
  return leaveList(held, list, membership, cause);
}

const unchanged = (outcome: ImportOutcome): Decided<ImportOutcome> & Imported => ({
  outcome,
  isNew: false,
  suppressedBy: null,
  updatedValues: 0,
  keptNewerValues: 0,
  changes: [],
});

const datedSuppressions = (
  { suppressions }: ImportedPerson,
  at: number,
): Readonly<Partial<Record<ClearableSuppression, number>>> =>
  Object.fromEntries(Object.entries(suppressions).map(([suppression, since]) => [suppression, since ?? at]));

/**
 * Whether a row has a suppression that the erasure record lacks: only then is an erased subscriber stored
 * again.
 */
const addsSuppression = (
  { suppressions }: ImportedPerson,
  list: ListId | null,
  erased: Suppressions,
): boolean =>
  list === null &&
  clearable.some((suppression) => suppressions[suppression] !== undefined && erased[suppression] === null);
