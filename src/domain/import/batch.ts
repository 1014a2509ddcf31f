/** One run of an import: user, time, file, and the counts of its rows. */
import { originOfActor } from "../access/audit.ts";
import type { ImportId, Origin } from "../access/origin.ts";
import type { ListId } from "../list.ts";
import { bySuppression, listedSuppressions, type SuppressionKind } from "../subscriber/subscriber.ts";
import type { Imported, ImportedPerson } from "./rules.ts";

/** Why the subscriber of a row is not mailed: the state, or an erasure here. */
export type SuppressionReason = SuppressionKind | "erased";

/** The number of subscribers, and the number of their values. */
export interface ValueCount {
  readonly subscribers: number;
  readonly values: number;
}

/** Counts of an import into a list: each row is counted in one of the first seven. */
export interface SubscriberCounts {
  readonly added: number;
  readonly alreadyThere: number;
  /** On the list, but not confirmed by the person. */
  readonly pending: number;
  readonly suppressed: Readonly<Record<SuppressionReason, number>>;
  readonly leftSince: number;
  readonly duplicates: number;
  readonly rejected: number;
  readonly newSubscribers: number;
  /** Subscribers who existed before the import, and their values that were filled or replaced. */
  readonly updated: ValueCount;
  /** Values that were kept, because they were set here and not by an import. */
  readonly keptNewer: ValueCount;
  readonly newBlocks: number;
}
/** Counts of an import of suppressions: each row is counted in one of these. */
export interface SuppressionCounts {
  readonly recorded: number;
  readonly newBlocks: number;
  readonly noOps: number;
  readonly rejected: number;
}
export type ImportCounts = SubscriberCounts | SuppressionCounts;

export interface NewImportBatch {
  /** null: an import of suppressions, which has no list. */
  readonly list: ListId | null;
  readonly fileName: string;
  /** The user of the operating system who ran the command, or the id of the user or key; empty: not known. */
  readonly startedBy: string;
  /** What `startedBy` names; absent: an operator. */
  readonly startedKind?: Origin["kind"];
  readonly startedAt: number;
}
export interface ImportBatch extends NewImportBatch {
  readonly id: ImportId;
  readonly startedKind: Origin["kind"];
  /** null: it is still running, or was interrupted. */
  readonly finishedAt: number | null;
  /** Of the rows so far. */
  readonly counts: ImportCounts;
  /** Whether what an undo needs was recorded. */
  readonly isUndoable: boolean;
  /** null: nobody has begun to undo it. */
  readonly undoStartedAt: number | null;
  /** null: it was not undone, or only in part. */
  readonly undoneAt: number | null;
}

/** Who has started it. */
export const starterOf = ({ startedKind: kind, startedBy }: ImportBatch): Origin =>
  originOfActor({ kind, name: startedBy === "" ? null : startedBy }) ?? { kind: "operator" };

const noValues: ValueCount = { subscribers: 0, values: 0 };
export const noSubscriberCounts: SubscriberCounts = {
  added: 0,
  alreadyThere: 0,
  pending: 0,
  suppressed: { ...bySuppression(() => 0), erased: 0 },
  leftSince: 0,
  duplicates: 0,
  rejected: 0,
  newSubscribers: 0,
  updated: noValues,
  keptNewer: noValues,
  newBlocks: 0,
};
export const noSuppressionCounts: SuppressionCounts = { recorded: 0, newBlocks: 0, noOps: 0, rejected: 0 };

/** Why subscribers are not mailed, in the order in which counts are shown. */
const suppressionReasons: readonly SuppressionReason[] = [...listedSuppressions, "erased"];
export const countsOfReasons = (
  suppressed: SubscriberCounts["suppressed"],
): readonly (readonly [SuppressionReason, number])[] =>
  suppressionReasons.map((reason) => [reason, suppressed[reason]]);

/** What rows are counted as, in the order in which it is shown: first what was done, then what was not. */
export function countsOfRows(counts: SubscriberCounts): readonly (readonly [CountedAs, number])[] {
  const { added, alreadyThere, pending, suppressed, leftSince, duplicates, rejected } = counts;
  return [
    ["added", added],
    ["alreadyThere", alreadyThere],
    ["pending", pending],
    ...countsOfReasons(suppressed),
    ["leftSince", leftSince],
    ["duplicates", duplicates],
    ["rejected", rejected],
  ];
}

export const rowsOf = (counts: ImportCounts): number =>
  "recorded" in counts
    ? counts.recorded + counts.newBlocks + counts.noOps + counts.rejected
    : countsOfRows(counts).reduce((sum, [, rows]) => sum + rows, 0);

/** Adds the results of these rows, in the order of their subscribers. */
export function countRows<Counts extends ImportCounts>(
  before: Counts,
  people: readonly ImportedPerson[],
  rows: readonly Imported[],
): Counts {
  let counts: ImportCounts = before;
  const created = new Set<string>();
  for (const [index, row] of rows.entries()) {
    const person = people[index];
    if (person === undefined) throw new Error("there are more results than rows");
    const { key } = person.address;
    if (row.isNew) created.add(key);
    const existed = person.isCreatedByFile !== true && !created.has(key);
    counts = "recorded" in counts ? withSuppression(counts, row) : withSubscriber(counts, row, existed);
  }
  return counts as Counts;
}

function withSuppression(counts: SuppressionCounts, { outcome }: Imported): SuppressionCounts {
  return outcome === "Recorded"
    ? { ...counts, recorded: counts.recorded + 1 }
    : { ...counts, noOps: counts.noOps + 1 };
}

/** `existed`: before the import. */
function withSubscriber(before: SubscriberCounts, row: Imported, existed: boolean): SubscriberCounts {
  const { updatedValues: updated, keptNewerValues: kept } = row;
  const counts = withOutcome(before, row);
  return {
    ...counts,
    newSubscribers: counts.newSubscribers + (row.isNew ? 1 : 0),
    updated: existed ? withValues(counts.updated, updated) : counts.updated,
    keptNewer: withValues(counts.keptNewer, kept),
  };
}
const withValues = (count: ValueCount, values: number): ValueCount =>
  values === 0 ? count : { subscribers: count.subscribers + 1, values: count.values + values };

function withOutcome(counts: SubscriberCounts, row: Imported): SubscriberCounts {
  const { suppressed } = counts;
  const counted = countedAs(row);
  return isReason(counted)
    ? { ...counts, suppressed: { ...suppressed, [counted]: suppressed[counted] + 1 } }
    : { ...counts, [counted]: counts[counted] + 1 };
}

/** What a row is counted as. A suppressed subscriber is counted as such, on the list or not. */
export type CountedAs =
  | SuppressionReason
  | "added"
  | "alreadyThere"
  | "pending"
  | "leftSince"
  | "duplicates"
  | "rejected";
const isReason = (counted: CountedAs): counted is SuppressionReason =>
  counted in noSubscriberCounts.suppressed;

export function countedAs({ outcome, suppressedBy }: Imported): CountedAs {
  if (outcome === "Duplicate") return "duplicates";
  if (outcome === "LimitReached") return "rejected";
  if (outcome === "Erased") return "erased";
  if (suppressedBy !== null) return suppressedBy;
  if (outcome === "LeftSince") return "leftSince";
  if (outcome === "Joined") return "added";
  return outcome === "Pending" ? "pending" : "alreadyThere";
}
