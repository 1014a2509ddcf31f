/** What is under way in a database is not under way in its copy. */
import type { Table } from "../tables/tables.ts";
import type { Row } from "./archive.ts";
import { heldMailings, unreportedRecipients } from "./held-mailings.ts";
import { interruptedJobs } from "./interrupted-jobs.ts";

/** The rows of a table as they are in a copy that is made at the time `now`. */
export function copiedRows(table: Table, rows: readonly Row[], now: number): readonly Row[] {
  if (table.name === "job") return interruptedJobs(table, rows, now);
  if (table.name === "recipient") return unreportedRecipients(table, rows);
  return table.name === "mailing" ? heldMailings(table, rows) : rows;
}
