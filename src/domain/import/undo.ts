/**
 * The rules of undoing an import: whom it added is removed, and what it replaced is restored. Nothing is
 * touched that a call, an operator, the person or a later import has changed since, and no suppression is
 * cleared: an opt-out stays, and with it whoever opted out.
 *
 * If several imports are wrong, undoing the latest one first restores everything. In another order, the later
 * import takes over whom both files have.
 */
import type { ImportId } from "../access/origin.ts";
import { DAY_MS } from "../calendar.ts";
import type { FieldId } from "../field/field.ts";
import {
  basicNames,
  importedBits,
  importedNames,
  type StoredBasics,
  type StoredValue,
} from "../field/value-rules.ts";
import type { JobResult } from "../job/result.ts";
import type { ListId } from "../list.ts";
import type { SubscriberChange } from "../subscriber/change.ts";
import { deleteSubscriber } from "../subscriber/erasure.ts";
import { type Cause, type HistoryEntry, historyEntry, type ReplacedValue } from "../subscriber/history.ts";
import {
  type BasicData,
  clearable,
  type FromImport,
  isCounted,
  type Known,
  type MembershipStatus,
} from "../subscriber/subscriber.ts";
import type { ImportBatch } from "./batch.ts";

const UNDOABLE_DAYS = 30;

const BY_HAND =
  "remove the subscribers from the list with one change of many subscribers, and take earlier values from a backup";

/**
 * Why an import cannot be undone, and what to do instead: a sentence without its subject. null: it can, also
 * if that was begun and interrupted.
 */
export function undoRefusal(batch: ImportBatch, now: number): string | null {
  if (batch.undoneAt !== null) return "was undone already; import the file again if you need it";
  if (batch.list === null)
    return "is an import of suppressions, and an opt-out is never undone; reactivate single subscribers, or remove the blocks";
  if (!batch.isUndoable)
    return `was begun by an earlier version, which did not record what an undo needs; ${BY_HAND}`;
  if (now - batch.startedAt > UNDOABLE_DAYS * DAY_MS)
    return `is more than ${UNDOABLE_DAYS} days old; ${BY_HAND}`;
  return null;
}
/** Until when an import can be undone; null: it cannot. */
export const undoableUntil = (batch: ImportBatch, now: number): number | null =>
  undoRefusal(batch, now) === null ? batch.startedAt + UNDOABLE_DAYS * DAY_MS : null;

/** What is undone. */
export interface Undone {
  readonly import: ImportId;
  readonly list: ListId;
  /** Whether the list of the import still exists. */
  readonly listExists: boolean;
  /** Imports that were undone earlier: what they left in the history counts as nothing. */
  readonly undone: ReadonlySet<ImportId>;
  /**
   * Other imports into the list that were not undone, the latest first. Only the latest one that confirms a
   * membership is recorded: an earlier one may have the member, too, so in doubt it counts as one that has.
   */
  readonly others: readonly ImportId[];
}

/** An entry of the history; `batch` is the import that made it. */
export type UndoEntry = Pick<HistoryEntry, "kind" | "list" | "replaced"> & {
  readonly batch: ImportId | null;
};

/** What is stored of a subscriber whom the import may have changed. */
export interface UndoState {
  readonly known: Known;
  /** Whether the import created the subscriber. */
  readonly isCreated: boolean;
  /** Of the list of the import; null: not on it. */
  readonly membership: {
    readonly status: MembershipStatus;
    readonly fromImport: FromImport | null;
  } | null;
  readonly isOnOtherLists: boolean;
  /** Whether a campaign was, or is being, sent to the subscriber. */
  readonly isInCampaign: boolean;
  readonly basics: StoredBasics;
  readonly values: ReadonlyMap<FieldId, StoredValue>;
  /** The oldest first. */
  readonly history: readonly UndoEntry[];
}

/** Why a subscriber stays whom the import created, or on the list whom it added. */
export const stayReasons = ["addedSince", "optedOut", "mailed", "changedSince"] as const;
export type StayReason = (typeof stayReasons)[number];

/** What an undo has done, or would do. */
export interface UndoCounts extends JobResult {
  /** Subscribers whom the import created, and who are deleted. */
  readonly deleted: number;
  /** Others who are removed from the list. */
  readonly removed: number;
  /** Subscribers who get back values from before, and how many; also none, if a value was empty. */
  readonly restored: { readonly subscribers: number; readonly values: number };
  readonly stayed: Readonly<Record<StayReason, number>>;
  /** Values that the import set and that were changed since. */
  readonly keptValues: number;
}
export const noUndoCounts: UndoCounts = {
  deleted: 0,
  removed: 0,
  restored: { subscribers: 0, values: 0 },
  stayed: { addedSince: 0, optedOut: 0, mailed: 0, changedSince: 0 },
  keptValues: 0,
};

/** Of the job. */
export interface UndoResult extends JobResult {
  readonly import: ImportId;
  readonly isDryRun: boolean;
  readonly counts: UndoCounts;
  /**
   * The first imports after it that were not undone: a value that was in both files is restored, too.
   */
  readonly laterImports: readonly ImportId[];
}

export interface UndoDecision {
  readonly isDeleted: boolean;
  readonly isRemoved: boolean;
  readonly stays: StayReason | null;
  readonly restoredValues: number;
  readonly keptValues: number;
  readonly changes: readonly SubscriberChange[];
  /** What else to save: all basic values if some of them change, and custom values that become empty. */
  readonly basics: StoredBasics | null;
  readonly cleared: readonly FieldId[];
  /** The later import that takes over the subscriber, if this one is the creator, and the membership. */
  readonly heir: FromImport | null;
  /** Of a membership that an earlier import has started, and this one confirmed: what confirms it now. */
  readonly confirmedBy: { readonly import: ImportId | null } | null;
}
const nothing: UndoDecision = {
  isDeleted: false,
  isRemoved: false,
  stays: null,
  restoredValues: 0,
  keptValues: 0,
  changes: [],
  basics: null,
  cleared: [],
  heir: null,
  confirmedBy: null,
};

export function decideUndo(state: UndoState, undone: Undone, cause: Cause): UndoDecision {
  const { known, isCreated, membership } = state;
  const from = membership?.fromImport ?? null;
  const isOwn = from?.import === undone.import;
  const confirmedSince = (first: ImportId, except: ImportId): ImportId | null =>
    undone.others.find((other) => other > first && other !== except) ?? null;
  const heir: FromImport | null =
    isOwn && from.confirmedBy !== null
      ? { import: from.confirmedBy, confirmedBy: confirmedSince(undone.import, from.confirmedBy) }
      : null;
  if (isCreated && membership !== null && (!isOwn || heir !== null))
    return { ...nothing, stays: "addedSince", heir };
  if (isCreated && isUntouched(state, undone))
    return { ...nothing, isDeleted: true, changes: deleteSubscriber(known, cause.at) };
  const isRemoved = isOwn && heir === null && membership !== null;
  const { back, keptValues } = valuesBack(state, undone);
  const changes: SubscriberChange[] = [];
  if (isRemoved) {
    const counted = isCounted(known.suppressions, membership.status);
    changes.push({ kind: "leave", list: undone.list, at: cause.at, counted });
  }
  let basics: StoredBasics | null = null;
  const cleared: FieldId[] = [];
  for (const { field, old, importedBy } of back) {
    if (typeof field !== "bigint") basics = restoreBasic(basics ?? state.basics, field, old, importedBy);
    else if (old === "") cleared.push(field);
    else {
      const origin = importedBy == null ? cause.origin : ({ kind: "import", batch: importedBy } as const);
      changes.push({ kind: "set-value", field, value: old, at: cause.at, origin });
    }
  }
  if (isRemoved || back.length > 0) {
    const replaced = back.map(({ field, old, new: value }) => ({ field, old: value, new: old }));
    const more = {
      list: isRemoved ? undone.list : null,
      detail: undoneDetail(undone.import),
      replaced: replaced.length === 0 ? null : replaced,
    };
    changes.push({ kind: "add-history", entry: historyEntry("undone", cause, more) });
  }
  return {
    ...{ ...nothing, isRemoved, keptValues, changes, basics, cleared, heir },
    stays: isCreated ? whyKept(state) : heir === null ? null : "addedSince",
    restoredValues: back.length,
    confirmedBy:
      from?.confirmedBy === undone.import ? { import: confirmedSince(from.import, undone.import) } : null,
  };
}

/** The detail of an entry of kind "undone". */
const undoneDetail = (id: ImportId): string => `import ${id}`;

const isSuppressed = ({ known }: UndoState): boolean =>
  clearable.some((suppression) => known.suppressions[suppression] !== null);

/** Who left a list elsewhere, as a pull says, has opted out, too. */
const isPulledLeave = ({ kind, batch }: UndoEntry): boolean => kind === "left" && batch !== null;

function whyKept(state: UndoState): StayReason {
  if (isSuppressed(state) || state.history.some(isPulledLeave)) return "optedOut";
  return state.isInCampaign ? "mailed" : "changedSince";
}

/**
 * Whether nothing is known of a subscriber but what this import says. A block stays on the block list, and
 * covers the address when it is added again.
 */
function isUntouched(state: UndoState, { import: id, list, listExists, undone }: Undone): boolean {
  const isUndone = (batch: ImportId | null): boolean => batch !== null && (batch === id || undone.has(batch));
  const imported = importedNames(state.basics.imported);
  return (
    !isSuppressed(state) &&
    !state.isOnOtherLists &&
    !state.isInCampaign &&
    basicNames.every((name) => (state.basics[name] ?? "") === "" || imported.includes(name)) &&
    [...state.values.values()].every(({ batch }) => isUndone(batch)) &&
    state.history.every(({ kind, batch, list: about }) =>
      kind === "left"
        ? // Whoever is removed together with the list has done nothing.
          about === list && !listExists
        : isUndone(batch) || kind === "blocked" || kind === "unblocked" || kind === "undone",
    )
  );
}

type Field = keyof BasicData | FieldId;
interface ValueBack extends Pick<ReplacedValue, "old" | "new" | "importedBy"> {
  readonly field: Field;
}

/** The values that the import set last, with what they were before; and how many others it has set. */
function valuesBack(
  { isCreated, basics, values, history }: UndoState,
  { import: id, undone }: Undone,
): { readonly back: readonly ValueBack[]; readonly keptValues: number } {
  const set = new Map<Field, ValueBack>();
  const lastSetBy = new Map<Field, ImportId | null>();
  /** What imports that were undone had set, in part before this one has replaced it. */
  const hidden = new Map<Field, Omit<ValueBack, "field">>();
  for (const { kind, batch, replaced } of history) {
    if (kind !== "changed") continue;
    for (const { field, ...given } of replaced ?? []) {
      if (field === "address") continue;
      const before = hidden.get(field);
      const value = before !== undefined && before.new === given.old ? { ...before, new: given.new } : given;
      if (batch !== null && batch !== id && undone.has(batch)) {
        hidden.set(field, value);
        continue;
      }
      lastSetBy.set(field, batch);
      if (batch === id) set.set(field, { ...value, old: set.get(field)?.old ?? value.old, field });
    }
  }
  const imported = importedNames(basics.imported);
  // Nothing is recorded of the values with which it created the subscriber.
  if (isCreated) {
    for (const field of imported)
      if (!lastSetBy.has(field)) set.set(field, { field, old: "", new: basics[field] ?? "" });
    for (const [field, { value, batch }] of values)
      if (batch === id && !set.has(field)) set.set(field, { field, old: "", new: value });
  }
  const current = (field: Field): string =>
    (typeof field === "bigint" ? values.get(field)?.value : basics[field]) ?? "";
  const isOwn = (field: Field): boolean =>
    typeof field === "bigint"
      ? values.get(field)?.batch === id
      : imported.includes(field) && (!lastSetBy.has(field) || lastSetBy.get(field) === id);
  const differs = [...set.values()].filter(({ field, old }) => current(field) !== old);
  const back = differs.filter((one) => current(one.field) === one.new && isOwn(one.field));
  return { back, keptValues: differs.filter(({ field }) => current(field) !== "").length - back.length };
}

function restoreBasic(
  basics: StoredBasics,
  name: keyof BasicData,
  old: string,
  importedBy: ReplacedValue["importedBy"],
): StoredBasics {
  const empty = name === "firstName" || name === "lastName" ? "" : null;
  const bit = importedBits[name];
  const imported = importedBy === undefined ? basics.imported & ~bit : basics.imported | bit;
  return { ...basics, [name]: old === "" ? empty : old, imported };
}

export const countUndo = (counts: UndoCounts, decision: UndoDecision): UndoCounts => {
  const { isDeleted, isRemoved, stays, restoredValues, keptValues } = decision;
  const { restored, stayed } = counts;
  return {
    deleted: counts.deleted + (isDeleted ? 1 : 0),
    removed: counts.removed + (isRemoved ? 1 : 0),
    restored: {
      subscribers: restored.subscribers + (restoredValues > 0 ? 1 : 0),
      values: restored.values + restoredValues,
    },
    stayed: stays === null ? stayed : { ...stayed, [stays]: stayed[stays] + 1 },
    keptValues: counts.keptValues + keptValues,
  };
};
