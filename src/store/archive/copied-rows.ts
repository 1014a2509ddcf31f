/** What is under way in a database is not under way in its copy. */

import { isMaintenance } from "#domain/job/kinds.ts";
import { mailingTransitions, type StateAfter } from "#domain/sending/mailing.ts";
import { stateNumber } from "#domain/sending/recipient.ts";
import type { Table } from "../tables/entity.ts";
import { cellOf, changedRow, columnsOf, type Row } from "./archive.ts";

/**
 * Campaigns in a copy of a database. What is scheduled or under way there is sent by the original, if that
 * still runs. So the copy has it as held: an operator who restores a backup, or copies a database to try
 * something, decides whether to send it from there. Whatever the state of a campaign, no process reports to
 * the copy what became of the messages that were being sent. So these recipients are unknown, as after a
 * lease that has expired.
 */
const HELD_REASON =
  "This database was copied or restored from a backup, so the original may have sent the campaign already. Check the log of the relay, then resume the campaign or cancel it.";

/** A mailing that is held already keeps its reason. */
const held: ReadonlySet<string> = new Set(mailingTransitions.copy.from);

/** The rows of the table `mailing`. */
function heldMailings(table: Table, rows: readonly Row[]): readonly Row[] {
  const columns = columnsOf(table);
  const state: StateAfter<"copy"> = "held";
  const values = { state, reason: HELD_REASON, waits_until: null, relay_failures: "0" };
  return rows.map((row) => {
    const count = (state: "sending" | "unknown"): bigint => BigInt(cellOf(columns, row, state) ?? "0");
    const counts = { sending: "0", unknown: String(count("sending") + count("unknown")) };
    const isToHold = held.has(cellOf(columns, row, "state") ?? "");
    return changedRow(columns, row, isToHold ? { ...values, ...counts } : counts);
  });
}

const SENDING = String(stateNumber("sending"));
const UNKNOWN = { state: String(stateNumber("unknown")) };
/** The rows of the table `recipient`; `heldMailings` counts them. */
function unreportedRecipients(table: Table, rows: readonly Row[]): readonly Row[] {
  const columns = columnsOf(table);
  const state = columns.indexOf("state");
  return rows.map((row) => (row[state] === SENDING ? changedRow(columns, row, UNKNOWN) : row));
}

/**
 * Jobs in a copy of a database. Work that was left there is not continued by itself: an operator who restores
 * a backup, or copies a database to try something, decides about it. So the copy has it as interrupted. Jobs
 * of maintenance are continued in the copy.
 */
const noLease = { owner: null, leased_until: null };

/** The rows of the table `job` in a copy that is made at the time `now`. */
function interruptedJobs(table: Table, rows: readonly Row[], now: number): readonly Row[] {
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

/** Where the original is served, the copy is not: a link to sign in with must not lead there. */
const elsewhere = (table: Table, rows: readonly Row[]): readonly Row[] =>
  rows.map((row) => changedRow(columnsOf(table), row, { address: null }));

/** The rows of a table as they are in a copy that is made at the time `now`. */
export function copiedRows(table: Table, rows: readonly Row[], now: number): readonly Row[] {
  if (table.name === "job") return interruptedJobs(table, rows, now);
  if (table.name === "recipient") return unreportedRecipients(table, rows);
  if (table.name === "program") return elsewhere(table, rows);
  return table.name === "mailing" ? heldMailings(table, rows) : rows;
}
