/** The result of an import: lines for users, named counts for scripts. */
import {
  countsOfReasons,
  type ImportCounts,
  rowsOf,
  type SubscriberCounts,
  type SuppressionCounts,
} from "#domain/import/batch.ts";
import type { Example, Rejections } from "#transfer/import/rejections.ts";
import { counted, formatNumber, oneLine, shorten } from "../../kit/terminal/text.ts";

type Line = readonly [rows: number, what: string];
type Why = Pick<Rejections, "reasons" | "leftOut" | "exampleOf">;

const values = (n: number): string => counted(n, "value", "values");

/** Left out if there is none: few lists ask for a confirmation. */
const pendingLines = (pending: number): readonly Line[] =>
  pending === 0 ? [] : [[pending, "on the list, but pending: not mailed until the person confirms"]];

const MAX_EXAMPLE = 100;
const shownValue = (value: string): string => oneLine(shorten(value, MAX_EXAMPLE));
/** To follow a reason: the first value and where it is, such as "in line" and its number. */
export function firstOf(example: Example | null, where: string): string {
  if (example === null) return "";
  const { line, value } = example;
  return ` (first${value === null ? "" : `: ${shownValue(value)}`} ${where} ${line})`;
}

const MOST_LINES = 3;
/** The values that are not valid, by column and reason. */
function leftOutLines(why: Why): readonly Line[] {
  const { leftOut } = why;
  if (leftOut.length === 0) return [];
  const all = leftOut.reduce((sum, one) => sum + one.values, 0);
  return [
    [all, "values left out, because they are not valid (--strict rejects their rows)"],
    ...leftOut.map((one): Line => {
      const { heading, reason, values: count, lines } = one;
      const first = lines.slice(0, MOST_LINES);
      const more = count > first.length ? ", …" : "";
      const value = why.exampleOf(one)?.value ?? null;
      return [
        count,
        `- '${oneLine(heading)}': ${oneLine(reason)} (${value === null ? "" : `first: ${shownValue(value)}; `}${count === 1 ? "line" : "lines"} ${first.join(", ")}${more})`,
      ];
    }),
  ];
}

/** `rejected` has a line per reason; it is empty for an earlier import. */
function subscriberLines(counts: SubscriberCounts, rejected: readonly Line[]): readonly Line[] {
  const { suppressed, updated, keptNewer } = counts;
  const why = countsOfReasons(suppressed).filter(([, rows]) => rows > 0);
  const all = why.reduce((sum, [, rows]) => sum + rows, 0);
  return [
    [
      counts.added,
      `added to the list (new subscribers, including suppressed ones: ${formatNumber(counts.newSubscribers)})`,
    ],
    [counts.alreadyThere, "already on the list"],
    ...pendingLines(counts.pending),
    [all, "suppressed; they are not mailed"],
    ...why.map(
      ([reason, rows]): Line => [
        rows,
        `- ${reason === "erased" ? "erased earlier; the row was not stored" : reason}`,
      ],
    ),
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
  why: Why = { reasons: [], leftOut: [], exampleOf: () => null },
): string {
  const rejected = why.reasons.map(
    ([reason, rows]): Line => [rows, `- ${oneLine(reason)}${firstOf(why.exampleOf({ reason }), "in line")}`],
  );
  const lines: readonly Line[] = [
    [rowsOf(counts), "rows read"],
    ...("recorded" in counts ? suppressionLines(counts, rejected) : subscriberLines(counts, rejected)),
    ...leftOutLines(why),
  ];
  const width = lines.reduce((most, [n]) => Math.max(most, formatNumber(n).length), 0);
  return [heading, ...lines.map(([n, what]) => `  ${formatNumber(n).padStart(width)}  ${what}`)].join("\n");
}
