/**
 * Detects the order of day and month in each date column: 3/4/2026 is ambiguous, but one 25.12.1990 decides
 * for its whole column. All rows are checked before the first one is imported.
 */
import { widthOf } from "./columns.ts";
import { wrongWidth } from "./read-person.ts";
import { type DateOrder, likelyOrder, orderOf } from "./time.ts";

/** The order that the user gave for a column, by its heading; null if none. */
export type WantedOrder = (heading: string) => DateOrder | null;

interface Cell {
  readonly text: string;
  readonly line: number;
}
interface DateColumn {
  readonly index: number;
  readonly heading: string;
  /** The first cell of each order. */
  readonly seen: Partial<Record<DateOrder | "either", Cell>>;
}

const first: Readonly<Record<DateOrder, string>> = { dmy: "the day first", mdy: "the month first" };
const shown = ({ text, line }: Cell): string => `'${text.trim()}' in line ${line}`;

export class DateOrders {
  readonly #width: number;
  readonly #columns: readonly DateColumn[];

  /** `columns` are the indexes of the date columns. */
  constructor(header: readonly string[], columns: readonly number[]) {
    this.#width = widthOf(header);
    this.#columns = columns.map((index) => ({ index, heading: header[index]?.trim() ?? "", seen: {} }));
  }

  /** Rows with a wrong number of cells are skipped: their cells may be under the wrong headings. */
  look({ line, cells }: { readonly line: number; readonly cells: readonly string[] }): void {
    if (wrongWidth(cells, this.#width) !== null) return;
    for (const { index, seen } of this.#columns) {
      const text = cells[index];
      const likely = text === undefined || text === "" ? null : likelyOrder(text);
      if (text === undefined || likely === null || seen[likely] !== undefined) continue;
      const order = orderOf(text);
      if (order !== null) seen[order] ??= { text, line };
    }
  }

  /** For each column with ambiguous dates, a line that names the cell that decided. */
  explanations(): readonly string[] {
    return this.#columns.flatMap(({ heading, seen: { dmy, mdy, either } }) => {
      const [order, cell] = dmy === undefined ? (["mdy", mdy] as const) : (["dmy", dmy] as const);
      if (either === undefined || cell === undefined || (dmy !== undefined && mdy !== undefined)) return [];
      return [`'${heading}' is read with ${first[order]}, because of ${shown(cell)}`];
    });
  }

  /** The order by column index, or what has to be given or corrected first. */
  decide(wanted: WantedOrder): readonly (DateOrder | null)[] | string {
    const orders = Array.from({ length: this.#width }, (): DateOrder | null => null);
    for (const column of this.#columns) {
      const order = decided(column, wanted(column.heading));
      if (order !== null && order !== "dmy" && order !== "mdy") return order.problem;
      orders[column.index] = order;
    }
    return orders;
  }
}

function decided(
  { heading, seen: { dmy, mdy, either } }: DateColumn,
  wanted: DateOrder | null,
): DateOrder | null | { readonly problem: string } {
  if (dmy !== undefined && mdy !== undefined)
    return (
      wanted ?? {
        problem: `the column '${heading}' has dates in both orders: ${shown(dmy)} has ${first.dmy}, ${shown(mdy)} has ${first.mdy}. Correct the file, or give --dates dmy or --dates mdy to have rows of the other order rejected`,
      }
    );
  const certain = dmy === undefined ? (mdy === undefined ? null : "mdy") : "dmy";
  if (certain === null)
    return either === undefined || wanted !== null
      ? wanted
      : {
          problem: `the dates of the column '${heading}' are ambiguous, such as ${shown(either)}; give --dates dmy (day first) or --dates mdy (month first)`,
        };
  const cell = dmy ?? mdy;
  if (wanted === null || wanted === certain || cell === undefined) return certain;
  return {
    problem: `--dates ${wanted} does not fit the column '${heading}': ${shown(cell)} has ${first[certain]}, and no other cell contradicts it. Correct the cell, or give the order for one column only: --dates 'HEADING=${wanted}'`,
  };
}
