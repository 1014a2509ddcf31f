/** `--dates`: the order of day and month, for all columns or for one. */
import type { WantedOrder } from "../../../transfer/date-orders.ts";
import { bareName } from "../../../transfer/headings.ts";
import { type DateOrder, dateOrders } from "../../../transfer/time.ts";
import { parseChoice } from "../../kit/arguments/arguments.ts";
import { UsageError } from "../../kit/command.ts";

/** For a header; `columns` are the indexes of its date columns. */
export type DatesOption = (header: readonly string[], columns: readonly number[]) => WantedOrder;

export function parseDates(given: readonly string[]): DatesOption {
  let general: DateOrder | null = null;
  const named: { readonly heading: string; readonly order: DateOrder }[] = [];
  for (const text of given) {
    const at = text.lastIndexOf("=");
    const order = parseChoice(text.slice(at + 1), "--dates", dateOrders);
    if (at < 0) general = order;
    else named.push({ heading: text.slice(0, at).trim(), order });
  }
  return (header, columns) => {
    const dated = columns.map((index) => header[index]?.trim() ?? "");
    const stray = named.find(({ heading }) => !dated.some((one) => bareName(one) === bareName(heading)));
    if (stray !== undefined)
      throw new UsageError(
        `--dates names '${stray.heading}', which is not a date column; the date columns are: ${dated.join(", ") || "none"}`,
      );
    const orders = new Map(named.map(({ heading, order }) => [bareName(heading), order]));
    return (heading) => orders.get(bareName(heading)) ?? general;
  };
}
