/**
 * Why a table cannot be imported as it is. Each problem is data, because every adapter says it in its own
 * words: the command line names its options. The message here names none.
 */
import type { DateOrder } from "../values/time.ts";

export interface DateCell {
  readonly text: string;
  readonly line: number;
}
export type Problem =
  | { readonly kind: "empty" }
  | { readonly kind: "changed" }
  /** Too many addresses are in several rows, or there are too many rows to know. */
  | { readonly kind: "many duplicates" }
  /** The first row has an address where it should name the columns. */
  | { readonly kind: "no header"; readonly first: string }
  | { readonly kind: "no email column"; readonly headings: readonly string[] }
  /** Of a table without headings: columns by number. `first`: its first row, which is data of a person. */
  | {
      readonly kind: "not mapped";
      readonly unknown: readonly string[];
      readonly hasEmail: boolean;
      readonly first: readonly string[];
    }
  | { readonly kind: "same column"; readonly earlier: string; readonly later: string }
  | { readonly kind: "unknown columns"; readonly unknown: readonly string[] }
  /** A column that is unknown has words for people who must not be mailed. */
  | { readonly kind: "states left out"; readonly heading: string; readonly words: string }
  | { readonly kind: "mapped twice"; readonly heading: string }
  /** The heading of a column that is to be a new field. */
  | { readonly kind: "no field name"; readonly heading: string }
  /** The same, if every subscriber has that without a custom field. */
  | { readonly kind: "built-in field"; readonly heading: string; readonly builtIn: string }
  /** Fields that the import would create; `limit`: how many the account may have. */
  | { readonly kind: "too many fields"; readonly wanted: number; readonly limit: number }
  /** It cannot be created, and is not there either. */
  | { readonly kind: "no new field"; readonly name: string }
  | {
      readonly kind: "no such heading";
      readonly heading: string;
      readonly meant: string | null;
      readonly headings: readonly string[];
    }
  | {
      readonly kind: "no such column";
      readonly column: string;
      readonly meant: string | null;
      readonly columns: readonly string[];
    }
  | { readonly kind: "no such date column"; readonly heading: string; readonly columns: readonly string[] }
  | {
      readonly kind: "both orders";
      readonly heading: string;
      readonly dmy: DateCell;
      readonly mdy: DateCell;
    }
  | { readonly kind: "ambiguous dates"; readonly heading: string; readonly cell: DateCell }
  | {
      readonly kind: "other order";
      readonly heading: string;
      readonly wanted: DateOrder;
      readonly certain: DateOrder;
      readonly cell: DateCell;
    }
  /** A file of suppressions: the first row is neither a header nor an address. */
  | { readonly kind: "no suppressions"; readonly first: string }
  | { readonly kind: "no kind" };

export const first: Readonly<Record<DateOrder, string>> = { dmy: "the day first", mdy: "the month first" };
export const shownCell = ({ text, line }: DateCell): string => `'${text.trim()}' in line ${line}`;

const MAX_SHOWN = 300;
const shorten = (text: string, most = 60): string => (text.length > most ? `${text.slice(0, most)}…` : text);
const list = (names: readonly string[]): string => shorten(names.join(", ") || "none", MAX_SHOWN);
const MAX_HEADINGS = 50;
const shownHeadings = (unknown: readonly string[]): string =>
  unknown
    .slice(0, MAX_HEADINGS)
    .map((heading) => `'${shorten(heading)}'`)
    .join(", ") + (unknown.length > MAX_HEADINGS ? ` and ${unknown.length - MAX_HEADINGS} more` : "");
const didYouMean = (meant: string | null): string => (meant === null ? "" : ` (did you mean ${meant}?)`);

/** The input that the problem is about, by its name among the arguments of an import. */
export function inputOf({ kind }: Problem): "map" | "dates" | "as" | "upload" {
  switch (kind) {
    case "no kind":
      return "as";
    case "both orders":
    case "ambiguous dates":
    case "other order":
    case "no such date column":
      return "dates";
    case "empty":
    case "changed":
    case "many duplicates":
    case "no header":
    case "no suppressions":
      return "upload";
    default:
      return "map";
  }
}

/** What is wrong, the same for every adapter. What to do next follows, unless it is the same, too. */
export function factOf(problem: Problem): string {
  switch (problem.kind) {
    case "empty":
      return "the file is empty";
    case "changed":
      return "the file changed while it was being read";
    case "many duplicates":
      return "the file has too many repeated addresses: at most 1,000,000 may be in several rows, and more than about 30 million rows are too many in any case; split the file";
    case "no header":
      return `the first row must name the columns, such as email,first_name; it begins with '${shorten(problem.first)}'`;
    case "no email column":
      return `no column is named email; the columns are: ${list(problem.headings)}`;
    case "not mapped":
      return problem.hasEmail
        ? `no meaning is given for the ${problem.unknown.length === 1 ? "column" : "columns"} ${list(problem.unknown)}; map each by its number, or ignore it`
        : "the table has no headings, and no column is mapped to email; map the number of the column with the addresses";
    case "same column":
      return `the columns '${shorten(problem.earlier)}' and '${shorten(problem.later)}' map to the same data`;
    case "unknown columns":
      return `unknown columns: ${shownHeadings(problem.unknown)}`;
    case "states left out":
      return `people with ${shorten(problem.words, MAX_SHOWN)} in the column '${shorten(problem.heading)}' would become active`;
    case "mapped twice":
      return `the heading '${shorten(problem.heading)}' is mapped twice`;
    case "no field name":
      return `'${shorten(problem.heading)}' cannot be the name of a new field: it needs 1 to 100 characters, and no control characters, and numbers of columns are no names; create a field first and map the column to it, or ignore the column`;
    case "built-in field":
      return `'${shorten(problem.heading)}' cannot be the name of a new field, because every subscriber has the built-in field '${problem.builtIn}'; map the column to that, or give it another heading`;
    case "too many fields":
      return `the import would create ${problem.wanted} new ${problem.wanted === 1 ? "field" : "fields"}, but the account may have at most ${problem.limit} in all; ignore columns that you do not need, or have the limit raised`;
    case "no new field":
      return `the field '${shorten(problem.name)}' cannot be created: there is one of that name that is being deleted, or the account has as many fields as it may; import the file again later`;
    case "no such heading":
      return `the file has no column '${shorten(problem.heading)}'${didYouMean(problem.meant)}; its columns are: ${list(problem.headings)}`;
    case "no such column":
      return `there is no column '${shorten(problem.column)}' to map to${didYouMean(problem.meant)}; there are: ${list(problem.columns)}`;
    case "no such date column":
      return `'${shorten(problem.heading)}' is not a date column; the date columns are: ${list(problem.columns)}`;
    case "both orders":
      return `the column '${problem.heading}' has dates in both orders: ${shownCell(problem.dmy)} has ${first.dmy}, ${shownCell(problem.mdy)} has ${first.mdy}`;
    case "ambiguous dates":
      return `the dates of the column '${problem.heading}' are ambiguous, such as ${shownCell(problem.cell)}`;
    case "other order":
      return `the order ${problem.wanted} does not fit the column '${problem.heading}': ${shownCell(problem.cell)} has ${first[problem.certain]}, and no other cell contradicts it`;
    case "no suppressions":
      return `the first row must name the columns (email, kind, date) or begin with an address; it begins with '${shorten(problem.first)}'`;
    case "no kind":
      return "there is no column 'kind'";
  }
}

/** What to do next, without the names of options. */
const advice: Readonly<Partial<Record<Problem["kind"], string>>> = {
  "no header": ". If the table has no headings, say so, and map its columns by number",
  "unknown columns": "; map each of them, or ignore it",
  "states left out": "; map the column to 'state', or ignore it",
  "both orders": "; correct the file, or give an order: dates of the other one are then not valid",
  "ambiguous dates": "; give their order, dmy (day first) or mdy (month first)",
  "no kind": ", so the kind of all rows must be given",
};

export class TableProblem extends Error {
  override readonly name = "TableProblem";
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(factOf(problem) + (advice[problem.kind] ?? ""));
    this.problem = problem;
  }
}
