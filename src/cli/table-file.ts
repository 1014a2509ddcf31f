/**
 * Reading a table for an import. A first reading finds out how dates are written and which rows are
 * duplicates, before any row is taken; the second takes the rows. Tells how far it is, ends at a signal, and
 * names the line where it must end.
 */
import { CsvError } from "../csv/csv-error.ts";
import { type CsvOptions, readCsv } from "../csv/read-csv.ts";
import type { CsvRow } from "../csv/rows.ts";
import { StoreUnavailable } from "../domain/ports.ts";
import { DateOrders } from "../transfer/date-orders.ts";
import { ListGone } from "../transfer/import-batcher.ts";
import { type DateOrder, dateOrders } from "../transfer/time.ts";
import { type Context, Failure, type Option, UsageError } from "./command.ts";
import { formatNumber } from "./numbers.ts";
import { progressText } from "./progress-text.ts";
import type { Rejections } from "./rejections.ts";
import { interruptible } from "./signals.ts";
import { parseDates } from "./table-dates.ts";
import { openTable, type TableSource } from "./table-source.ts";

/** The options that every import has. */
export const tableOptions: Readonly<Record<string, Option>> = {
  "dry-run": { doc: "Change nothing, write no file, and tell what would be done." },
  dates: {
    value: dateOrders.join("|"),
    repeated: true,
    doc: "How dates such as 3/4/2026 are to be read where no cell of their column tells, such as 25/12/2026; 'COLUMN=dmy' for one column.",
  },
  separator: { value: "CHAR", doc: "What stands between cells, such as ';' or 'tab' (found out)." },
  encoding: { value: "NAME", doc: "The encoding, such as windows-1252 (found out)." },
  rejected: {
    value: "FILE",
    doc: "Where rows go that cannot be taken: a new file, or a regular one to replace (beside the file); none in a dry run.",
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
 * Rows are counted, and the bar is about how much of all there is was read; null where nobody knows how much
 * that is.
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

/** What the first row makes of a table. */
export interface TablePlan {
  /** False where the first row is a row like the others. */
  readonly isHeader: boolean;
  /** The places of the columns that hold dates or times. */
  readonly dateColumns: readonly number[];
  /** Sees every sound row in the first reading; null where nothing but the dates has to be known before. */
  readonly preview: ((row: CsvRow) => void) | null;
  /**
   * Given how the dates of each column are written: takes a row, and gives back what to wait for, or in words
   * what is wrong with it.
   */
  readonly rowTaker: (
    orders: readonly (DateOrder | null)[],
  ) => (row: CsvRow) => Promise<void> | string | null;
}

export interface Work {
  readonly onHeader: (cells: readonly string[]) => TablePlan;
  /** After the last one. */
  readonly onEnd: () => Promise<void>;
  /** What is waited for is to end soon. */
  readonly onInterrupt: () => void;
}

/** One reading of the table, as far as it is. */
class Pass {
  rows = 0;
  /** Where the last row began. */
  line = 0;
  mislabelled = 0;
  bytes = 0;
  readonly #startedAt = performance.now();

  async *formatNumber(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.bytes += chunk.length;
      yield chunk;
    }
  }
  text(size: number | null, what: (counted: string) => string): string {
    return rowsText(this.rows, performance.now() - this.#startedAt, this.bytes, size, what);
  }
}

/** Reads FILE to its end, and gives back how many rows it had. */
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
    for await (const rows of readCsv(taking.formatNumber(source.second()), options))
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
  if (taking.rows === 0) out.note(`${file} has a first row that names the columns, and no others`);
  if (taking.mislabelled > 0)
    out.note(
      `${taking.mislabelled === 1 ? "1 line is not UTF-8 and was" : `${formatNumber(taking.mislabelled)} lines are not UTF-8 and were`} read as windows-1252; if names look wrong, give --encoding`,
    );
  return taking.rows;
}

interface Looked {
  /** null where the table has no row. */
  readonly header: readonly string[] | null;
  readonly plan: TablePlan | null;
  /** null where nothing has to be known before, and the rest was not looked at. */
  readonly dates: DateOrders | null;
}

/** The first reading. */
async function look(
  source: TableSource,
  csv: CsvOptions,
  work: Work,
  tell: (text: string) => void,
): Promise<Looked> {
  const pass = new Pass();
  let header: readonly string[] | null = null;
  let plan: TablePlan | null = null;
  let dates: DateOrders | null = null;
  for await (const rows of readCsv(pass.formatNumber(source.first()), csv)) {
    for (const row of rows) {
      if (plan === null) {
        header = row.cells;
        plan = work.onHeader(header);
        if (plan.dateColumns.length === 0 && plan.preview === null) return { header, plan, dates };
        dates = new DateOrders(header, plan.dateColumns);
        if (plan.isHeader) continue;
      }
      pass.rows += 1;
      if (row.problem !== null) continue;
      dates?.look(row);
      plan.preview?.(row);
    }
    tell(pass.text(source.size, (counted) => `1 of 2: looked at ${counted} rows`));
  }
  return { header, plan, dates };
}

/**
 * A file that changes in the same moment and keeps its length would else be read by the columns of another
 * one.
 */
function requireSame(cells: readonly string[], header: readonly string[], file: string): void {
  if (cells.length !== header.length || cells.some((cell, index) => cell !== header[index]))
    throw new Failure(`${file} was changed while it was read; give it again when it is complete`);
}

/** What was done stays done, and giving the file again does the rest. */
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
    `${reason}. It was read to line ${line}; give the file again: what is done already is not done twice`,
  );
}
