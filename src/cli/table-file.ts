/** Reading a table for an import: opens it, tells how far it is, ends at a signal, and names the line where it must end. */
import { CsvError } from "../csv/csv-error.ts";
import { type CsvOptions, readCsv } from "../csv/read-csv.ts";
import type { CsvRow } from "../csv/rows.ts";
import { StoreUnavailable } from "../domain/ports.ts";
import { ListGone } from "../transfer/import-batcher.ts";
import { type DateOrder, dateOrders } from "../transfer/time.ts";
import { parseChoice } from "./arguments.ts";
import { type Context, Failure, type Option, UsageError } from "./command.ts";
import { openInput } from "./input.ts";
import { count, progressText } from "./progress-text.ts";
import type { Rejections } from "./rejections.ts";
import { interruptible } from "./signals.ts";

/** The options that every import has. */
export const tableOptions: Readonly<Record<string, Option>> = {
  "dry-run": { doc: "Change nothing, and tell what would be done." },
  dates: {
    value: dateOrders.join("|"),
    doc: "How dates such as 3/4/2026 are to be read; those that begin with the year need no word.",
  },
  separator: { value: "CHAR", doc: "What stands between cells, such as ';' or 'tab' (found out)." },
  encoding: { value: "NAME", doc: "The encoding, such as windows-1252 (found out)." },
  rejected: {
    value: "FILE",
    doc: "Where rows go that cannot be taken: a new file, or a regular one to replace (beside the file).",
  },
};

export const parseDates = (text: string | undefined): DateOrder | null =>
  text === undefined ? null : parseChoice(text, "--dates", dateOrders);

export function parseSeparator(text: string | undefined): string | null {
  if (text === undefined) return null;
  const separator = /^(?:tab|\\t)$/i.test(text) ? "\t" : text;
  if ([...separator].length !== 1 || /["\r\n]/.test(separator))
    throw new UsageError(`--separator takes one character, or 'tab'; '${text}' is neither`);
  return separator;
}

/** Rows are counted, and the bar is about how much of all there is was read; null where nobody knows how much that is. */
export const rowsText = (rows: number, elapsedMs: number, done: number, size: number | null): string =>
  progressText({
    what: `${count(rows)} rows`,
    part: size === null || size === 0 ? null : done / size,
    rows,
    elapsedMs,
  });

export interface Work {
  /** The first row; false where it is a row like the others. */
  readonly onHeader: (cells: readonly string[]) => boolean;
  /** Gives back what to wait for, or in words what is wrong with the row. */
  readonly onRow: (row: CsvRow) => Promise<void> | string | null;
  /** After the last one. */
  readonly onEnd: () => Promise<void>;
  /** What is waited for is to end soon. */
  readonly onInterrupt: () => void;
}

interface Progress {
  rows: number;
  /** Where the last row began. */
  line: number;
  bytes: number;
  mislabelled: number;
}

/** Reads FILE to its end, and gives back how many rows it had. */
export async function readTable(context: Context, rejections: Rejections, work: Work): Promise<number> {
  const { args, option, out } = context;
  const file = args[0] ?? "-";
  const separator = parseSeparator(option("separator"));
  const { stream, size } = await openInput(file);
  const startedAt = performance.now();
  const progress: Progress = { rows: 0, line: 0, bytes: 0, mislabelled: 0 };
  async function* bytes(): AsyncGenerator<Buffer> {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      progress.bytes += chunk.length;
      yield chunk;
    }
  }
  const options: CsvOptions = {
    separator,
    encoding: option("encoding") ?? null,
    onSeparator: (found) => {
      rejections.separator = found;
    },
    onMislabelled: (lines) => {
      progress.mislabelled += lines;
    },
  };
  const tell = (): void =>
    out.progress(rowsText(progress.rows, performance.now() - startedAt, progress.bytes, size));
  const all = async (signal: AbortSignal): Promise<void> => {
    signal.addEventListener("abort", () => {
      stream.destroy(signal.reason as Failure);
      work.onInterrupt();
    });
    let isFirst = true;
    for await (const rows of readCsv(bytes(), options))
      for (const row of rows) {
        signal.throwIfAborted();
        progress.line = row.line;
        const isHeader = isFirst && work.onHeader(row.cells);
        isFirst = false;
        if (isHeader) {
          rejections.header = row.cells;
          continue;
        }
        progress.rows += 1;
        const done = row.problem ?? work.onRow(row);
        if (typeof done === "string") rejections.add(row, done);
        else if (done !== null) {
          await done;
          tell();
        }
      }
    if (isFirst) throw new Failure(`${file} holds no rows`);
    await work.onEnd();
  };
  try {
    await interruptible(new Failure("interrupted"), all);
  } catch (error) {
    throw explained(error, file, progress);
  } finally {
    out.progress(null);
    stream.destroy();
    rejections.close();
  }
  if (progress.mislabelled > 0)
    out.note(
      `${progress.mislabelled === 1 ? "1 line is not UTF-8 and was" : `${count(progress.mislabelled)} lines are not UTF-8 and were`} read as windows-1252; if names look wrong, give --encoding`,
    );
  return progress.rows;
}

/** What was done stays done, and giving the file again does the rest. */
function explained(error: unknown, file: string, { line, rows }: Progress): unknown {
  const isOfSystem = (error as NodeJS.ErrnoException | null)?.syscall !== undefined;
  const isExpected =
    error instanceof CsvError ||
    error instanceof StoreUnavailable ||
    error instanceof ListGone ||
    error instanceof Failure ||
    isOfSystem;
  if (!isExpected) return error;
  const { message } = error as Error;
  const reason = error instanceof CsvError || isOfSystem ? `${file} cannot be read: ${message}` : message;
  if (rows === 0) return new Failure(reason);
  return new Failure(
    `${reason}. It was read to line ${line}; give the file again: what is done already is not done twice`,
  );
}
