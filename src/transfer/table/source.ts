import type { AccountId } from "#domain/account.ts";
import type { ImportedPerson, ImportOptions } from "#domain/import/rules.ts";
import type { DateOrder } from "../values/time.ts";
import type { WantedOrder } from "./date-orders.ts";
import { bareName } from "./known-headings.ts";
import { TableProblem } from "./problem.ts";

/** A row of a file that was read, and where rows go that are rejected. */
export interface Entry {
  readonly line: number;
  readonly cells: readonly string[];
  readonly person: ImportedPerson | null;
  /** The time is null if the file has none. */
  readonly block: { readonly pattern: string; readonly at: number | null } | null;
}
/** Collects all rejected rows, also rows that the reader of the file rejects. */
export interface RejectedRows {
  readonly count: number;
  add(entry: Entry, reason: string): void;
  /** A value that is not valid, of a row that is imported without it. */
  leaveOut(line: number, heading: string, reason: string): void;
}

export interface Target extends ImportOptions {
  readonly account: AccountId;
  /** When the import began. */
  readonly now: number;
}

/** The order of day and month that the user gave, for all date columns or for one. */
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

/** The bytes of a table that is read twice: once to detect its formats, once to import its rows. */
export interface TableSource {
  /** In bytes; null while it is not known. */
  readonly size: number | null;
  /** From the first byte; the reader may stop before the end. */
  first(): AsyncIterable<Buffer>;
  /** Again from the first byte, to the end. */
  second(): AsyncIterable<Buffer>;
}
