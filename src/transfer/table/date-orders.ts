/**
 * Detects the order of day and month in each date column: 3/4/2026 is ambiguous, but one 25/12/1990 decides
 * for its whole column. With dots, the day comes first in every country. All rows are checked before the
 * first one is imported.
 */
import type { CsvRow } from "#csv/rows.ts";
import { type DateOrder, isDotted, likelyOrder, orderOf } from "../values/time.ts";
import { widthOf } from "./columns.ts";
import { type DateCell, first, shownCell, TableProblem } from "./problem.ts";
import { isInPlace } from "./read-person.ts";

/** The order that the user gave for a column, by its heading; null if none. */
export type WantedOrder = (heading: string) => DateOrder | null;

/** `ambiguous`: every date can be read in both orders. `mixed`: each order has dates that only it can be. */
export type FoundOrder = DateOrder | "ambiguous" | "mixed";

interface DateColumn {
  readonly index: number;
  readonly heading: string;
  /** The first cell of each order. */
  readonly seen: Partial<Record<DateOrder | "either", DateCell>>;
  /** Values, and those of them that can be read in both orders. */
  values: number;
  ambiguous: number;
}

/**
 * In a column whose other dates begin with the year, as those of workbooks do, few ambiguous ones are left
 * out.
 */
const FEW = 0.1;
const areFew = ({ values, ambiguous }: DateColumn): boolean => ambiguous <= values * FEW;

export class DateOrders {
  readonly #width: number;
  readonly #columns: readonly DateColumn[];

  /** `columns` are the indexes of the date columns. */
  constructor(header: readonly string[], columns: readonly number[]) {
    this.#width = widthOf(header);
    this.#columns = columns.map((index) => ({
      index,
      heading: header[index]?.trim() ?? "",
      seen: {},
      values: 0,
      ambiguous: 0,
    }));
  }

  look(row: CsvRow): void {
    if (!isInPlace(row, this.#width)) return;
    const { line, cells } = row;
    for (const column of this.#columns) {
      const { index, seen } = column;
      const text = cells[index];
      if (text === undefined || text === "") continue;
      const likely = likelyOrder(text);
      column.values += 1;
      if (likely === "either") column.ambiguous += 1;
      if (likely === null || seen[likely] !== undefined) continue;
      const order = orderOf(text);
      if (order !== null) seen[order] ??= { text, line };
    }
  }

  /** For each column with ambiguous dates, a line that names the cell that decided. */
  explanations(): readonly string[] {
    return this.#columns.flatMap(({ heading, seen: { dmy, mdy, either } }) => {
      const [order, cell] = dmy === undefined ? (["mdy", mdy] as const) : (["dmy", dmy] as const);
      if (either === undefined || cell === undefined || (dmy !== undefined && mdy !== undefined)) return [];
      return [`'${heading}' is read with ${first[order]}, because of ${shownCell(cell)}`];
    });
  }

  /** What the cells so far say about a column; null if they are no such dates, or it is not a date column. */
  found(index: number): FoundOrder | null {
    const column = this.#columns.find((one) => one.index === index);
    const { dmy, mdy, either } = column?.seen ?? {};
    if (dmy !== undefined && mdy !== undefined) return "mixed";
    if (dmy !== undefined || mdy !== undefined) return dmy === undefined ? "mdy" : "dmy";
    if (either === undefined || column === undefined) return null;
    return isDotted(either.text) ? "dmy" : areFew(column) ? null : "ambiguous";
  }

  /** The order by column index. Throws a TableProblem if an order has to be given, or the file corrected. */
  decide(wanted: WantedOrder): readonly (DateOrder | null)[] {
    const orders = Array.from({ length: this.#width }, (): DateOrder | null => null);
    for (const column of this.#columns) orders[column.index] = decided(column, wanted(column.heading));
    return orders;
  }
}

function decided(column: DateColumn, wanted: DateOrder | null): DateOrder | null {
  const { heading, seen } = column;
  const { dmy, mdy, either } = seen;
  if (dmy !== undefined && mdy !== undefined) {
    if (wanted === null) throw new TableProblem({ kind: "both orders", heading, dmy, mdy });
    return wanted;
  }
  const certain = dmy === undefined ? (mdy === undefined ? null : "mdy") : "dmy";
  if (certain === null) {
    if (either === undefined || wanted !== null) return wanted;
    if (isDotted(either.text)) return "dmy";
    if (areFew(column)) return null;
    throw new TableProblem({ kind: "ambiguous dates", heading, cell: either });
  }
  const cell = dmy ?? mdy;
  if (wanted === null || wanted === certain || cell === undefined) return certain;
  throw new TableProblem({ kind: "other order", heading, wanted, certain, cell });
}
