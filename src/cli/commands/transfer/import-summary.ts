/** The result of an import: lines for users, named counts for scripts. */
import {
  type ImportCounts,
  rowsOf,
  type SubscriberCounts,
  type SuppressionCounts,
  type SuppressionReason,
} from "#domain/import/batch.ts";
import { listedSuppressions } from "#domain/subscriber/subscriber.ts";
import type { LeftOut, Rejections } from "#transfer/import/rejections.ts";
import { counted, formatNumber, oneLine } from "../../kit/terminal/text.ts";

type Line = readonly [rows: number, what: string];

const values = (n: number): string => counted(n, "value", "values");

const reasons: readonly SuppressionReason[] = [...listedSuppressions, "erased"];
const reasonText = (reason: SuppressionReason): string =>
  reason === "erased" ? "erased earlier; the row was not stored" : reason;

/** Left out if there is none: few lists ask for a confirmation. */
const pendingLines = (pending: number): readonly Line[] =>
  pending === 0 ? [] : [[pending, "on the list, but pending: not mailed until the person confirms"]];

const MOST_LINES = 3;
/** The values that are not valid, by column and reason. */
function leftOutLines(leftOut: readonly LeftOut[]): readonly Line[] {
  if (leftOut.length === 0) return [];
  const all = leftOut.reduce((sum, one) => sum + one.values, 0);
  return [
    [all, "values left out, because they are not valid (--strict rejects their rows)"],
    ...leftOut.map(({ heading, reason, values: count, lines }): Line => {
      const first = lines.slice(0, MOST_LINES);
      const more = count > first.length ? ", …" : "";
      return [
        count,
        `- '${oneLine(heading)}': ${oneLine(reason)} (${count === 1 ? "line" : "lines"} ${first.join(", ")}${more})`,
      ];
    }),
  ];
}

/** `rejected` has a line per reason; it is empty for an earlier import. */
function subscriberLines(counts: SubscriberCounts, rejected: readonly Line[]): readonly Line[] {
  const { suppressed, updated, keptNewer } = counts;
  const why = reasons.filter((reason) => suppressed[reason] > 0);
  const all = why.reduce((sum, reason) => sum + suppressed[reason], 0);
  return [
    [
      counts.added,
      `added to the list (new subscribers, including suppressed ones: ${formatNumber(counts.newSubscribers)})`,
    ],
    [counts.alreadyThere, "already on the list"],
    ...pendingLines(counts.pending),
    [all, "suppressed; they are not mailed"],
    ...why.map((reason): Line => [suppressed[reason], `- ${reasonText(reason)}`]),
    [counts.leftSince, "left the list after the date in the file; not added again"],
    [counts.duplicates, "duplicates: a later row has the same address, and the last row counts"],
    [counts.rejected, "rejected"],
    ...rejected,
    [updated.subscribers, `subscribers updated: ${values(updated.values)} filled or replaced`],
    [
      keptNewer.subscribers,
      `subscribers with newer values: ${values(keptNewer.values)} kept (--overwrite replaces them)`,
    ],
  ];
}

const suppressionLines = (counts: SuppressionCounts, rejected: readonly Line[]): readonly Line[] => [
  [counts.recorded, "opt-outs, bounces and complaints recorded"],
  [counts.newBlocks, "blocks added"],
  [counts.noOps, "already recorded"],
  [counts.rejected, "rejected"],
  ...rejected,
];

/** Of an earlier import, the reasons are not known. */
export function summary(
  heading: string,
  counts: ImportCounts,
  { reasons: why, leftOut }: Pick<Rejections, "reasons" | "leftOut"> = { reasons: [], leftOut: [] },
): string {
  const rejected = why.map(([reason, rows]): Line => [rows, `- ${oneLine(reason)}`]);
  const lines: readonly Line[] = [
    [rowsOf(counts), "rows read"],
    ...("recorded" in counts ? suppressionLines(counts, rejected) : subscriberLines(counts, rejected)),
    ...leftOutLines(leftOut),
  ];
  const width = lines.reduce((most, [n]) => Math.max(most, formatNumber(n).length), 0);
  return [heading, ...lines.map(([n, what]) => `  ${formatNumber(n).padStart(width)}  ${what}`)].join("\n");
}
