/**
 * Reads a table for an import. The first pass detects the date formats and the duplicate rows, before any row
 * is imported; the second imports the rows.
 */
import { type CsvOptions, readCsv } from "#csv/read-csv.ts";
import type { CsvRow } from "#csv/rows.ts";
import { rearmed } from "#csv/write-csv.ts";
import type { Rejections } from "../import/rejections.ts";
import type { DateOrder } from "../values/time.ts";
import { DateOrders } from "./date-orders.ts";
import { rejectedColumns } from "./known-headings.ts";
import { TableProblem } from "./problem.ts";
import type { TableSource } from "./source.ts";
import { type GivenOrder, wantedOrders } from "./source.ts";

/** How to read the table, derived from its first row. */
export interface TablePlan {
  /** False if the first row is data. */
  readonly isHeader: boolean;
  /** What the user should know about how it is read, a sentence each. Asked after the first pass. */
  readonly notes: () => readonly string[];
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

export interface TableImporter {
  readonly onHeader: (cells: readonly string[]) => TablePlan;
  /** A row was rejected; returns what to wait for. */
  readonly onRejected: () => Promise<void> | null;
  /** After the last row. */
  readonly onEnd: () => Promise<void>;
}

/** How far a table has been read. */
export interface TableProgress {
  /** 1: formats are being detected; 2: rows are being imported. */
  readonly pass: 1 | 2;
  /** A table without dates and possible duplicates is read once: `pass` is 2 at once. */
  readonly passes: 1 | 2;
  /** Of the current pass. */
  readonly rows: number;
  readonly bytes: number;
}

export interface TableOptions extends Pick<CsvOptions, "separator" | "encoding"> {
  readonly dates: readonly GivenOrder[];
}

/** What happens while a table is read. */
export interface TableEvents {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: TableProgress) => void;
  /** Before the first row is imported: how the table is read, and each column with ambiguous dates. */
  readonly onNotes: (notes: readonly string[], dates: readonly string[]) => void;
}

/** The state of the second pass; it is complete even if the import fails. */
export class TableReading {
  rows = 0;
  /** The line in which the last row began. */
  line = 0;
  /** Lines that are not in the encoding of the others. */
  mislabelled = 0;
  /** The table has more rows than were to be read. */
  isPartial = false;
}

async function* counted(
  chunks: AsyncIterable<Buffer>,
  count: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    count(chunk.length);
    yield chunk;
  }
}

/** What the reading of a table begins with, and what it changes. */
export interface TableState {
  readonly events: TableEvents;
  readonly rejections: Rejections;
  readonly reading: TableReading;
  /** How many rows were imported before an interruption. They are counted, and nothing else. */
  readonly doneRows: number;
  /** The rest of a longer table is not read. */
  readonly mostRows?: number;
}

/** Throws a TableProblem, a CsvError, the reason of the signal, and what the work throws. */
export async function readTable(
  source: TableSource,
  { dates: given, ...csv }: TableOptions,
  { events, rejections, reading, doneRows, mostRows = Infinity }: TableState,
  work: TableImporter,
): Promise<void> {
  const { signal, onProgress } = events;
  const { header, plan, dates } = await look(source, csv, work, events);
  if (header === null || plan === null) throw new TableProblem({ kind: "empty" });
  const wanted = wantedOrders(given, header, plan.dateColumns);
  const orders = dates?.decide(wanted) ?? [];
  events.onNotes(plan.notes(), dates?.explanations() ?? []);
  const { table } = rejections;
  const take = plan.rowTaker(orders);
  const options: CsvOptions = {
    ...csv,
    onSeparator: (found) => {
      if (table !== null) table.separator = found;
    },
    onMislabelled: (lines) => {
      reading.mislabelled += lines;
    },
  };
  const passes = dates === null ? 1 : 2;
  let bytes = 0;
  const chunks = counted(source.second(), (length) => {
    bytes += length;
  });
  let isFirst = true;
  whole: for await (const rows of tableRows(chunks, options))
    for (const row of rows) {
      reading.isPartial = reading.rows >= mostRows;
      if (reading.isPartial) break whole;
      signal.throwIfAborted();
      reading.line = row.line;
      if (isFirst) {
        isFirst = false;
        requireSame(row.cells, header);
        if (plan.isHeader) {
          if (table !== null) table.header = row.cells;
          continue;
        }
      }
      reading.rows += 1;
      if (reading.rows <= doneRows) continue;
      const taken = row.problem ?? take(row);
      if (typeof taken === "string") rejections.add(row, taken);
      const done = typeof taken === "string" ? work.onRejected() : taken;
      if (done === null) continue;
      await done;
      onProgress({ pass: 2, passes, rows: reading.rows, bytes });
    }
  await work.onEnd();
}

/**
 * The rows of a table. In a file of rejected rows, cells may have an apostrophe, so that a spreadsheet does
 * not run them as formulas: it is taken away.
 */
export async function* tableRows(
  chunks: AsyncIterable<Buffer>,
  options: CsvOptions,
): AsyncGenerator<readonly CsvRow[]> {
  let isOfRejected: boolean | null = null;
  for await (const rows of readCsv(chunks, options)) {
    const [header] = rows;
    if (header !== undefined)
      isOfRejected ??= rejectedColumns.every((name, index) => header.cells[index] === name);
    yield isOfRejected === true ? rows.map((row) => ({ ...row, cells: row.cells.map(rearmed) })) : rows;
  }
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
  work: TableImporter,
  { signal, onProgress }: TableEvents,
): Promise<Looked> {
  let [read, bytes] = [0, 0];
  let header: readonly string[] | null = null;
  let plan: TablePlan | null = null;
  let dates: DateOrders | null = null;
  const chunks = counted(source.first(), (length) => {
    bytes += length;
  });
  for await (const rows of tableRows(chunks, csv)) {
    for (const row of rows) {
      if (plan === null) {
        header = row.cells;
        plan = work.onHeader(header);
        if (plan.dateColumns.length === 0 && plan.preview === null) return { header, plan, dates };
        dates = new DateOrders(header, plan.dateColumns);
        if (plan.isHeader) continue;
      }
      read += 1;
      if (row.problem === null) dates?.look(row);
      plan.preview?.(row);
    }
    signal.throwIfAborted();
    onProgress({ pass: 1, passes: 2, rows: read, bytes });
  }
  return { header, plan, dates };
}

/**
 * Otherwise a file that changes within the same instant and keeps its length would be read with the columns
 * of another one.
 */
function requireSame(cells: readonly string[], header: readonly string[]): void {
  if (cells.length !== header.length || cells.some((cell, index) => cell !== header[index]))
    throw new TableProblem({ kind: "changed" });
}
