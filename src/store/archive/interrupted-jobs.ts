/**
 * Jobs in a copy of a database. Work that was left there is not continued by itself: somebody who
 * restores a backup, or copies a database to try something, decides about it. So the copy has it as
 * interrupted. Jobs of maintenance are continued in the copy.
 */
import { isMaintenance } from "../../domain/job/kinds.ts";
import type { Table } from "../tables/tables.ts";
import { columnsOf, type Row } from "./archive.ts";

const noLease = { owner: null, leased_until: null };

/** The rows of a table as they are in a copy that is made at the time `now`. */
export function copiedRows(table: Table, rows: readonly Row[], now: number): readonly Row[] {
  const columns = columnsOf(table);
  // Older schemas have no jobs, or keep none that has ended.
  if (table.name !== "job" || !columns.includes("ended_at")) return rows;
  const interrupted = {
    ...noLease,
    args: "{}",
    progress: null,
    ending: "interrupted",
    ended_at: String(now),
  };
  return rows.map((row) => {
    const cell = (column: string): string | null => row[columns.indexOf(column)] ?? null;
    const ending = cell("ending");
    if (ending !== null && ending !== "interrupted") return row;
    const changed: Readonly<Record<string, string | null>> = isMaintenance(cell("kind") ?? "")
      ? noLease
      : interrupted;
    return columns.map((column, index) => {
      const value = changed[column];
      return value === undefined ? (row[index] ?? null) : value;
    });
  });
}
