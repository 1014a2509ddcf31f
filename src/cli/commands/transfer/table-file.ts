/**
 * Reads a table for an import. The first pass detects the date formats and the duplicate rows, before any row
 * is imported; the second imports the rows. Shows progress, stops at a signal, and reports the line where an
 * error stopped it.
 */
import { CsvError } from "../../../csv/csv-error.ts";
import { type CsvOptions, readCsv } from "../../../csv/read-csv.ts";
import type { CsvRow } from "../../../csv/rows.ts";
import { StoreUnavailable } from "../../../domain/ports/errors.ts";
import { DateOrders } from "../../../transfer/date-orders.ts";
import { ListGone } from "../../../transfer/import-batcher.ts";
import { type DateOrder, dateOrders } from "../../../transfer/time.ts";
import { type Context, Failure, type Option, UsageError } from "../../kit/command.ts";
import { interruptible } from "../../kit/signals.ts";
import { formatNumber } from "../../kit/terminal/numbers.ts";
import { progressText } from "../../kit/terminal/progress-text.ts";
import type { Rejections } from "./rejections.ts";
import { parseDates } from "./table-dates.ts";
import { openTable, type TableSource } from "./table-source.ts";

/** The options that every import has. */
export const tableOptions: Readonly<Record<string, Option>> = {
  "dry-run": { doc: "Report what the import would do; change nothing and write no file." },
  dates: {
    value: dateOrders.join("|"),
    repeated: true,
    doc: "Whether 3/4/2026 is 3 April (dmy) or March 4 (mdy); 'HEADING=dmy' for one column (default: detected from dates such as 25/12/2026).",
  },
  separator: { value: "CHAR", doc: "The column separator, such as ';' or 'tab' (default: detected)." },
  encoding: { value: "NAME", doc: "The character encoding, such as windows-1252 (default: detected)." },
  rejected: {
    value: "FILE",
    doc: "The file for rejected rows; it is replaced if it exists (default: a new file beside FILE, such as members.rejected.csv for members.csv).",
  },
};

export function parseSeparator(text: string | undefined): string | null {
  if (text === undefined) return null;
  const separator = /^(?:tab|\\t)$/i.test(text) ? "\t" : text;
  if ([...separator].length !== 1 || /["\r\n]/.test(separator))
    throw new UsageError(`--separator takes one character, or 'tab'; '${text}' is neither`);
  return separator;
}

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

/** How to read the table, derived from its first row. */
export interface TablePlan {
  /** False if the first row is data. */
  readonly isHeader: boolean;
  /** The indexes of the columns with dates or times. */
  readonly dateColumns: readonly number[];
  /** Gets every row in the first pass, even malformed; null if only the dates have to be known in advance. */
  readonly preview: ((row: CsvRow) => void) | null;
  /**
   * Given the date order of each column: imports a row, and returns what to wait for, or why it is
   * rejected.
   */
  readonly rowTaker: (
    orders: readonly (DateOrder | null)[],
  ) => (row: CsvRow) => Promise<void> | string | null;
}

export interface Work {
  readonly onHeader: (cells: readonly string[]) => TablePlan;
  /** After the last row. */
  readonly onEnd: () => Promise<void>;
  /** Pending work should end soon. */
  readonly onInterrupt: () => void;
}

/** The state of one pass over the table. */
class Pass {
  rows = 0;
  /** The line in which the last row began. */
  line = 0;
  mislabelled = 0;
  bytes = 0;
  readonly #startedAt = performance.now();

  async *counted(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.bytes += chunk.length;
      yield chunk;
    }
  }
  text(size: number | null, what: (counted: string) => string): string {
    return rowsText(this.rows, performance.now() - this.#startedAt, this.bytes, size, what);
  }
}

/** Reads FILE to its end, and returns its number of rows. */
export async function readTable(context: Context, rejections: Rejections, work: Work): Promise<number> {
  const { args, option, out } = context;
  const file = args[0] ?? "-";
  const wantedDates = parseDates(context.options("dates"));
  const csv = { separator: parseSeparator(option("separator")), encoding: option("encoding") ?? null };
  const source = await openTable(file);
  const taking = new Pass();

  const all = async (signal: AbortSignal): Promise<void> => {
    signal.addEventListener("abort", () => {
      source.interrupt(signal.reason as Failure);
      work.onInterrupt();
    });
    const { header, plan, dates } = await look(source, csv, work, (text) => {
      signal.throwIfAborted();
      out.progress(text);
    });
    if (header === null || plan === null) throw new Failure(`${file} is empty`);
    const wanted = wantedDates(header, plan.dateColumns);
    const orders = dates?.decide(wanted) ?? [];
    if (typeof orders === "string") throw new UsageError(orders);
    out.progress(null);
    for (const line of dates?.explanations() ?? []) out.note(line);
    rejections.requireFolder();
    const take = plan.rowTaker(orders);
    const options: CsvOptions = {
      ...csv,
      onSeparator: (found) => {
        rejections.separator = found;
      },
      onMislabelled: (lines) => {
        taking.mislabelled += lines;
      },
    };
    const what = (rows: string): string => (dates === null ? `${rows} rows` : `2 of 2: ${rows} rows`);
    let isFirst = true;
    for await (const rows of readCsv(taking.counted(source.second()), options))
      for (const row of rows) {
        signal.throwIfAborted();
        taking.line = row.line;
        if (isFirst) {
          isFirst = false;
          requireSame(row.cells, header, file);
          if (plan.isHeader) {
            rejections.header = row.cells;
            continue;
          }
        }
        taking.rows += 1;
        const done = row.problem ?? take(row);
        if (typeof done === "string") rejections.add(row, done);
        else if (done !== null) {
          await done;
          out.progress(taking.text(source.size, what));
        }
      }
    await work.onEnd();
  };
  try {
    await interruptible(new Failure("interrupted"), all);
  } catch (error) {
    throw explained(error, file, taking);
  } finally {
    out.progress(null);
    await source.close();
    rejections.close();
  }
  if (taking.rows === 0) out.note(`${file} has a header, but no rows`);
  if (taking.mislabelled > 0)
    out.note(
      `${taking.mislabelled === 1 ? "1 line is not UTF-8 and was" : `${formatNumber(taking.mislabelled)} lines are not UTF-8 and were`} read as windows-1252; if names look wrong, set --encoding`,
    );
  return taking.rows;
}

interface Looked {
  /** null if the table has no rows. */
  readonly header: readonly string[] | null;
  readonly plan: TablePlan | null;
  /** null if nothing has to be known in advance; the rest was not read then. */
  readonly dates: DateOrders | null;
}

/** The first pass. */
async function look(
  source: TableSource,
  csv: CsvOptions,
  work: Work,
  showProgress: (text: string) => void,
): Promise<Looked> {
  const pass = new Pass();
  let header: readonly string[] | null = null;
  let plan: TablePlan | null = null;
  let dates: DateOrders | null = null;
  for await (const rows of readCsv(pass.counted(source.first()), csv)) {
    for (const row of rows) {
      if (plan === null) {
        header = row.cells;
        plan = work.onHeader(header);
        if (plan.dateColumns.length === 0 && plan.preview === null) return { header, plan, dates };
        dates = new DateOrders(header, plan.dateColumns);
        if (plan.isHeader) continue;
      }
      pass.rows += 1;
      if (row.problem === null) dates?.look(row);
      plan.preview?.(row);
    }
    showProgress(pass.text(source.size, (counted) => `1 of 2: checked ${counted} rows`));
  }
  return { header, plan, dates };
}

/**
 * Otherwise a file that changes within the same instant and keeps its length would be read with the columns
 * of another one.
 */
function requireSame(cells: readonly string[], header: readonly string[], file: string): void {
  if (cells.length !== header.length || cells.some((cell, index) => cell !== header[index]))
    throw new Failure(`${file} changed while it was being read; import it again when it is complete`);
}

/** Imported rows stay imported; importing the file again imports the rest. */
function explained(error: unknown, file: string, { line, rows }: Pass): unknown {
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
    `${reason}. The import stopped at line ${line}; import the file again: rows that were already imported are not changed`,
  );
}
