/** What a table would be imported as, from its first rows: the columns, some values, and what is wrong. */
import type { CsvRow } from "#csv/rows.ts";
import type { Field } from "#domain/field/field.ts";
import type { TableContents } from "#domain/import/job.ts";
import type { Sheets } from "#workbook/read-workbook.ts";
import { columnsSoFar, IGNORE, requireColumns, targetName } from "./table/column-mapping.ts";
import { dateColumns, mayRepeat } from "./table/columns.ts";
import { DateOrders, type FoundOrder, type WantedOrder } from "./table/date-orders.ts";
import { TableProblem } from "./table/problem.ts";
import type { Product } from "./table/products.ts";
import { NameExamples, type SplitName } from "./table/read-person.ts";
import { type GivenOrder, wantedOrders } from "./table/source.ts";
import { suppressionColumns, suppressionReader } from "./table/suppressions.ts";
import { isYearFirst } from "./values/time.ts";

/** What was found in the bytes of a table. */
interface FoundFormat {
  /** null: it is a workbook. */
  readonly separator: string | null;
  /** null: it is none. */
  readonly sheets: Sheets | null;
}

/** The first rows of a table. There is at least one. */
export interface TableBeginning extends FoundFormat {
  readonly rows: readonly CsvRow[];
  /** Whether these are all rows. */
  readonly isWhole: boolean;
}

/** How the dates of a column are written; `ymd`: the year first, which needs no order. */
export const foundFormats = ["ymd", "dmy", "mdy", "ambiguous", "mixed"] as const satisfies readonly (
  | FoundOrder
  | "ymd"
)[];
type FoundDates = (typeof foundFormats)[number];

interface Guess {
  /** null: the table has no header. */
  readonly heading: string | null;
  /** The column, or the custom field, that it is read as; null: it is not known. */
  readonly column: string | null;
  /** It may mean the same as another column: each says something about the state. */
  readonly mayRepeat: boolean;
}
export interface PreviewedColumn extends Guess {
  /** null: no column of dates, or no date was found. */
  readonly dates: FoundDates | null;
  /** Some different values. */
  readonly samples: readonly string[];
}
export interface TablePreview extends FoundFormat {
  readonly hasHeader: boolean;
  /** Whose export it is; null: not recognised. */
  readonly product: Pick<Product, "label" | "note"> | null;
  readonly columns: readonly PreviewedColumn[];
  /** The first ones, without the header. */
  readonly rows: readonly (readonly string[])[];
  /** Some whole names, and how they are split. */
  readonly names: readonly SplitName[];
  /** Why it cannot be imported as asked; null: the first rows are right. */
  readonly problem: TableProblem | null;
}

const SHOWN_ROWS = 10;
const SAMPLES = 3;
/** In how many rows values are looked for: there may be many columns, and many rows without values. */
const SAMPLED_ROWS = 1000;
const MAX_CHARACTERS = 200;

/** What the first row says. */
interface Header {
  readonly hasHeader: boolean;
  /** Or the numbers of the columns. */
  readonly headings: readonly string[];
  readonly product: Product | null;
  readonly guesses: readonly Guess[];
  /** The indexes of the columns with dates. */
  readonly dated: readonly number[];
  readonly names: readonly SplitName[];
  readonly problem: TableProblem | null;
}

/** What is thrown, if it is wrong with the table; null if nothing is. */
function problemIn(check: () => unknown): TableProblem | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof TableProblem) return error;
    throw error;
  }
}

type Subscribers = Extract<TableContents, { readonly kind: "subscribers" }>;
function subscribersHeader(
  rows: readonly CsvRow[],
  { map, ignoresUnknown, hasHeader = true }: Subscribers,
  fields: readonly Field[],
): Header {
  const options = { fields, map, ignoresUnknown, hasHeader };
  const { names: headings, isHeader, product, byHeading, found } = columnsSoFar(rows, options);
  const names = new NameExamples(found);
  for (const row of isHeader ? rows.slice(1) : rows) names.look(row);
  return {
    ...{ hasHeader: isHeader, product, headings },
    guesses: found.map((column, index) => ({
      heading: isHeader ? (headings[index]?.trim() ?? "") : null,
      column: column === null ? null : targetName(column, fields),
      mayRepeat: mayRepeat(byHeading[index] ?? null),
    })),
    names: names.found,
    dated: dateColumns(found.map((column) => column ?? { kind: "ignored" })),
    problem: problemIn(() => requireColumns(rows, options)),
  };
}

function suppressionsHeader(
  first: readonly string[],
  { as }: Extract<TableContents, { readonly kind: "suppressions" }>,
): Header {
  const { isHeader, who, kind, date } = suppressionColumns(first);
  const problem = problemIn(() => suppressionReader(as, 0)(first));
  // Neither a header nor an address: it is shown as headings, all of them unknown.
  const isUnknown = problem?.problem.kind === "no suppressions";
  const names = new Map([...(isUnknown ? [] : [[who, "email"] as const]), [kind, "kind"], [date, "date"]]);
  return {
    ...{ hasHeader: isHeader || isUnknown, product: null, headings: first },
    guesses: first.map((cell, index) => ({
      heading: isHeader || isUnknown ? cell.trim() : null,
      column: names.get(index) ?? (isUnknown ? null : IGNORE),
      mayRepeat: false,
    })),
    dated: date < 0 ? [] : [date],
    names: [],
    problem,
  };
}

export function previewTable(
  { separator, sheets, rows, isWhole }: TableBeginning,
  { contents, dates }: { readonly contents: TableContents; readonly dates: readonly GivenOrder[] },
  fields: readonly Field[],
): TablePreview {
  const first = rows[0]?.cells ?? [];
  const { hasHeader, headings, product, guesses, dated, names, problem } =
    contents.kind === "suppressions"
      ? suppressionsHeader(first, contents)
      : subscribersHeader(rows, contents, fields);
  const data = hasHeader ? rows.slice(1) : rows;
  const sampled = data.slice(0, SAMPLED_ROWS);
  const orders = new DateOrders(headings, dated);
  for (const row of data) orders.look(row);
  let wanted: WantedOrder = () => null;
  const wrongDates = problemIn(() => {
    wanted = wantedOrders(dates, headings, dated);
    orders.decide(wanted);
  });
  const formatOf = (index: number): FoundDates | null => {
    if (!dated.includes(index)) return null;
    const found = orders.found(index);
    const given = wanted(headings[index]?.trim() ?? "");
    if (found === "dmy" || found === "mdy") return found;
    if (given !== null || found !== null) return given ?? found;
    return sampled.some(({ cells }) => isYearFirst(cells[index] ?? "")) ? "ymd" : null;
  };
  return {
    ...{ separator, sheets },
    hasHeader,
    product: product === null ? null : { label: product.label, note: product.note },
    columns: guesses.map((guess, index) => ({
      ...guess,
      dates: formatOf(index),
      samples: samplesOf(sampled, index),
    })),
    names,
    rows: data.slice(0, SHOWN_ROWS).map(({ cells }) => cells.map(shorten)),
    problem: problem ?? (isWhole || isCertain(wrongDates) ? wrongDates : null),
  };
}

/** Whether no later row can change it. Another row may show the order of dates that are ambiguous so far. */
const isCertain = (wrongDates: TableProblem | null): boolean =>
  wrongDates?.problem.kind === "no such date column" || wrongDates?.problem.kind === "both orders";

/** A cell as it is shown. */
export const shorten = (cell: string): string =>
  cell.length > MAX_CHARACTERS ? `${cell.slice(0, MAX_CHARACTERS)}…` : cell;

function samplesOf(rows: readonly CsvRow[], index: number): readonly string[] {
  const found = new Set<string>();
  for (const { cells } of rows) {
    const cell = shorten(cells[index]?.trim() ?? "");
    if (cell !== "") found.add(cell);
    if (found.size === SAMPLES) break;
  }
  return [...found];
}
