/** The order of day and month that the user gave, for all date columns or for one. */
import type { DateOrder } from "../values/time.ts";
import type { WantedOrder } from "./date-orders.ts";
import { bareName } from "./headings.ts";
import { TableProblem } from "./problem.ts";

export interface GivenOrder {
  /** null: all columns that no other order names. */
  readonly heading: string | null;
  readonly order: DateOrder;
}

/** `columns` are the indexes of the date columns. Of several orders for the same columns, the last counts. */
export function wantedOrders(
  given: readonly GivenOrder[],
  header: readonly string[],
  columns: readonly number[],
): WantedOrder {
  const dated = columns.map((index) => header[index]?.trim() ?? "");
  const bare = new Set(dated.map(bareName));
  const orders = new Map<string, DateOrder>();
  let general: DateOrder | null = null;
  for (const { heading, order } of given) {
    if (heading === null) general = order;
    else if (bare.has(bareName(heading))) orders.set(bareName(heading), order);
    else throw new TableProblem({ kind: "no such date column", heading, columns: dated });
  }
  return (heading) => orders.get(bareName(heading)) ?? general;
}
