/** Why a table cannot be imported, in the words of the command line: with the options that help. */
import { suppressionKinds } from "#domain/subscriber/subscriber.ts";
import { IGNORE, keyOf } from "#transfer/table/header.ts";
import {
  first,
  MANY_DUPLICATES,
  type Problem,
  shownCell,
  type UnknownHeading,
} from "#transfer/table/problem.ts";
import { Failure, UsageError } from "../../kit/command.ts";
import { shellWord, shorten } from "../../kit/terminal/terminal-text.ts";

export function explainProblem(problem: Problem, file: string): Failure | UsageError {
  if (problem.kind === "empty") return new Failure(`${file} is empty`);
  if (problem.kind === "changed")
    return new Failure(`${file} changed while it was being read; import it again when it is complete`);
  if (problem.kind === "many duplicates") return new Failure(MANY_DUPLICATES);
  return new UsageError(textOf(problem));
}

function textOf(problem: Exclude<Problem, { kind: "empty" | "changed" | "many duplicates" }>): string {
  switch (problem.kind) {
    case "no header":
      return `the first row must name the columns, such as email,first_name; it begins with '${shorten(problem.first, 60)}'`;
    case "no email column":
      return `no column is named email; the columns are: ${shown(problem.headings)}. Map the right one with --map 'HEADING=email'`;
    case "same column":
      return sameColumn(problem.earlier, problem.later);
    case "unknown columns":
      return unknownColumns(problem.unknown);
    case "mapped twice":
      return `--map names '${problem.heading}' twice`;
    case "no such heading":
      return `--map names '${problem.heading}', but the file has no such column${didYouMean(problem.meant)}; its columns are: ${shown(problem.headings)}`;
    case "no such column":
      return `--map names the column '${problem.column}', which does not exist${didYouMean(problem.meant)}; there are: ${problem.columns.join(", ")}`;
    case "no such date column":
      return `--dates names '${problem.heading}', which is not a date column; the date columns are: ${problem.columns.join(", ") || "none"}`;
    case "both orders":
      return `the column '${problem.heading}' has dates in both orders: ${shownCell(problem.dmy)} has ${first.dmy}, ${shownCell(problem.mdy)} has ${first.mdy}. Correct the file, or give --dates dmy or --dates mdy to have rows of the other order rejected`;
    case "ambiguous dates":
      return `the dates of the column '${problem.heading}' are ambiguous, such as ${shownCell(problem.cell)}; give --dates dmy (day first) or --dates mdy (month first)`;
    case "other order":
      return `--dates ${problem.wanted} does not fit the column '${problem.heading}': ${shownCell(problem.cell)} has ${first[problem.certain]}, and no other cell contradicts it. Correct the cell, or give the order for one column only: --dates 'HEADING=${problem.wanted}'`;
    case "no suppressions":
      return `the first row must name the columns (email, kind, date) or begin with an address; it begins with '${problem.first}'`;
    case "no kind":
      return `there is no column 'kind'; give --as ${suppressionKinds.join("|")}`;
  }
}

function sameColumn(earlier: string, later: string): string {
  const advice =
    keyOf(earlier) === keyOf(later)
      ? "rename one"
      : `ignore one with --map ${shellWord(`${later}=${IGNORE}`)}`;
  return `the columns '${earlier}' and '${later}' map to the same data; ${advice}`;
}

function unknownColumns(unknown: readonly UnknownHeading[]): string {
  const maps = unknown.flatMap(({ heading, meant }) =>
    meant === null ? [] : [`--map ${shellWord(`${heading}=${meant}`)}`],
  );
  return [
    `unknown columns: ${unknown.map(({ heading, meant }) => `'${shorten(heading, 60)}'${didYouMean(meant)}`).join(", ")}.`,
    ...(maps.length === 0 ? [] : [`To accept that, give ${maps.join(" ")}.`]),
    `For each other column: map it with --map 'HEADING=first_name', create a field for it with 'mailroll field create NAME --type STRING', or ignore it with --map 'HEADING=${IGNORE}' (all unknown columns: --ignore-unknown)`,
  ].join(" ");
}

const didYouMean = (meant: string | null): string => (meant === null ? "" : ` (did you mean ${meant}?)`);
const shown = (cells: readonly string[]): string => shorten(cells.join(", "), 300);
