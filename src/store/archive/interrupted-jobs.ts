/**
 * Jobs in a copy of a database. Work that was left there is not continued by itself: somebody who
 * restores a backup, or copies a database to try something, decides about it. So the copy has it as
 * interrupted. Jobs of maintenance are continued in the copy.
 */
import { isMaintenance } from "#domain/job/kinds.ts";
import type { Table } from "../tables/tables.ts";
import { cellOf, changedRow, columnsOf, type Row } from "./archive.ts";

const noLease = { owner: null, leased_until: null };

/** The rows of the table `job` in a copy that is made at the time `now`. */
export function interruptedJobs(table: Table, rows: readonly Row[], now: number): readonly Row[] {
  const columns = columnsOf(table);
  // Older schemas keep no job that has ended.
  if (!columns.includes("ended_at")) return rows;
  const interrupted = {
    ...noLease,
    args: "{}",
    progress: null,
    ending: "interrupted",
    ended_at: String(now),
  };
  return rows.map((row) => {
    const ending = cellOf(columns, row, "ending");
    if (ending !== null && ending !== "interrupted") return row;
    const isContinued = isMaintenance(cellOf(columns, row, "kind") ?? "");
    return changedRow(columns, row, isContinued ? noLease : interrupted);
  });
}
