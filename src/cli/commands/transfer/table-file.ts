/**
 * Imports a file: shows progress, stops at a signal, and reports the line where an error stopped it. What
 * becomes of the rows is decided by the action.
 */
import { CsvError } from "#csv/csv-error.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import { ListGone } from "#transfer/import/batcher.ts";
import { TableProblem } from "#transfer/table/problem.ts";
import { type TableEvents, type TableProgress, TableReading } from "#transfer/table/read-table.ts";
import type { TableSource } from "#transfer/table/source.ts";
import { type Context, Failure } from "../../kit/command.ts";
import { interruptible } from "../../kit/signals.ts";
import { formatNumber } from "../../kit/terminal/numbers.ts";
import { progressText } from "../../kit/terminal/progress-text.ts";
import type { RejectedOutput } from "./rejected-output.ts";
import { explainProblem } from "./table-problems.ts";
import { openTable } from "./table-source.ts";

/**
 * Counts rows; the bar shows how much of the total was read. A total of null is not known.
 */
export const rowsText = (
  rows: number,
  elapsedMs: number,
  done: number,
  size: number | null,
  what = (counted: string) => `${counted} rows`,
): string =>
  progressText({
    what: what(formatNumber(rows)),
    part: size === null || size === 0 ? null : done / size,
    rows,
    elapsedMs,
  });

const passText = ({ pass, passes }: TableProgress, rows: string): string => {
  if (pass === 1) return `1 of 2: checked ${rows} rows`;
  return passes === 1 ? `${rows} rows` : `2 of 2: ${rows} rows`;
};

/** What an action needs to import the file of a command. */
export interface TableInput {
  readonly source: TableSource;
  readonly reading: TableReading;
  readonly events: TableEvents;
}

/** Calls `work` with FILE. Returns what it returns, and the number of rows. */
export async function importFile<Result>(
  { args, out }: Context,
  rejected: RejectedOutput,
  onInterrupt: () => void,
  work: (input: TableInput) => Promise<Result>,
): Promise<Result & { readonly rows: number }> {
  const file = args[0] ?? "-";
  const source = await openTable(file);
  const reading = new TableReading();
  let began = { pass: 0, at: 0 };
  const onProgress = (progress: TableProgress): void => {
    const { pass, rows, bytes } = progress;
    if (began.pass !== pass) began = { pass, at: performance.now() };
    const elapsedMs = performance.now() - began.at;
    out.progress(rowsText(rows, elapsedMs, bytes, source.size, (counted) => passText(progress, counted)));
  };
  const onDates = (explanations: readonly string[]): void => {
    out.progress(null);
    for (const line of explanations) out.note(line);
    rejected.requireFolder();
  };
  let result: Result;
  try {
    result = await interruptible(new Failure("interrupted"), (signal) => {
      signal.addEventListener("abort", () => {
        source.interrupt(signal.reason as Failure);
        onInterrupt();
      });
      return work({ source, reading, events: { signal, onProgress, onDates } });
    });
  } catch (error) {
    throw explained(error, file, reading);
  } finally {
    out.progress(null);
    await source.close();
    rejected.close();
  }
  const { rows, mislabelled } = reading;
  if (rows === 0) out.note(`${file} has a header, but no rows`);
  if (mislabelled > 0)
    out.note(
      `${mislabelled === 1 ? "1 line is not UTF-8 and was" : `${formatNumber(mislabelled)} lines are not UTF-8 and were`} read as windows-1252; if names look wrong, set --encoding`,
    );
  return { ...result, rows };
}

/** Imported rows stay imported; importing the file again imports the rest. */
function explained(thrown: unknown, file: string, { line, rows }: TableReading): unknown {
  const error = thrown instanceof TableProblem ? explainProblem(thrown.problem, file) : thrown;
  const isOfSystem = (error as NodeJS.ErrnoException | null)?.syscall !== undefined;
  const isExpected =
    error instanceof CsvError ||
    error instanceof StoreUnavailable ||
    error instanceof ListGone ||
    (error instanceof Failure && error.code === "Failed") ||
    isOfSystem;
  if (!isExpected) return error;
  const { message } = error as Error;
  const reason = error instanceof CsvError || isOfSystem ? `${file} cannot be read: ${message}` : message;
  if (rows === 0) return new Failure(reason);
  return new Failure(
    `${reason}. The import stopped at line ${line}; import the file again: rows that were already imported are not changed`,
  );
}
