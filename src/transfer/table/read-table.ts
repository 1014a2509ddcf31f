/**
 * Reads a table for an import. The first pass detects the date formats and the duplicate rows, before any row
 * is imported; the second imports the rows.
 */
import { type CsvOptions, readCsv } from "#csv/read-csv.ts";
import type { CsvRow } from "#csv/rows.ts";
import { rearmed } from "#csv/write-csv.ts";
import { namesOfSheets } from "#workbook/cells.ts";
import { isZip, readWorkbook, type Sheets, type WorkbookOptions } from "#workbook/read-workbook.ts";
import type { Rejections } from "../import/rejections.ts";
import type { DateOrder } from "../values/time.ts";
import { DateOrders } from "./date-orders.ts";
import { rejectedColumns } from "./known-headings.ts";
import { TableProblem } from "./problem.ts";
import type { TableSource } from "./source.ts";
import { type GivenOrder, wantedOrders } from "./source.ts";

/** How to read the table, derived from its first row. */
export interface TablePlan {
  /** What the columns are called: the first row, or their numbers. */
  readonly names: readonly string[];
  /** The headings of its rejected rows. */
  readonly rejectedHeader: readonly string[];
  /** False if the first row is data. */
  readonly isHeader: boolean;
  /** What the user should know about how it is read, a sentence each. Asked after the first pass. */
  readonly notes: () => readonly string[];
  /**
   * How some values are read, which nothing may keep: they are data of people. Asked after the first pass.
   */
  readonly examples: () => readonly string[];
  /** The indexes of the columns with dates or times. */
  readonly dateColumns: readonly number[];
  /** Gets every row in the first pass, even malformed; null if only the dates have to be known in advance. */
  readonly preview: ((row: CsvRow) => void) | null;
  /**
   * Given the date order of each column: imports a row, and returns what to wait for, or why it is
   * rejected. Before the first row, it may have to create something.
   */
  readonly rowTaker: (orders: readonly (DateOrder | null)[]) => RowTaker | Promise<RowTaker>;
}

type RowTaker = (row: CsvRow) => Promise<void> | string | null;

export interface TableImporter {
  /** How many rows say what the columns are. No row is imported before they were read. */
  readonly decidingRows: number;
  /** Given these rows, or more, or all of a shorter table. There is at least one. */
  readonly onBeginning: (rows: readonly CsvRow[]) => TablePlan;
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

type ReadingOptions = CsvOptions & WorkbookOptions;

export interface TableOptions extends Pick<ReadingOptions, "separator" | "encoding" | "sheet"> {
  readonly dates: readonly GivenOrder[];
}

/** What happens while a table is read. */
export interface TableEvents {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: TableProgress) => void;
  /** The next rows are taken when it resolves. */
  readonly turn?: () => Promise<void>;
  /**
   * Before the first row is imported: how the table is read, each column with ambiguous dates, and examples.
   * Only the notes contain no values of the file.
   */
  readonly onNotes: (notes: readonly string[], dates: readonly string[], examples: readonly string[]) => void;
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
  { dates: given, ...format }: TableOptions,
  { events, rejections, reading, doneRows, mostRows = Infinity }: TableState,
  work: TableImporter,
): Promise<void> {
  const { signal, onProgress, turn } = events;
  const { first, firstLine, plan, dates, sheets } = await look(source, format, work, events);
  if (first === null || plan === null) throw new TableProblem({ kind: "empty" });
  const wanted = wantedOrders(given, plan.names, plan.dateColumns);
  const orders = dates?.decide(wanted) ?? [];
  const notes = [...notesOfSheets(sheets, firstLine), ...plan.notes()];
  events.onNotes(notes, dates?.explanations() ?? [], plan.examples());
  const { table } = rejections;
  const take = await plan.rowTaker(orders);
  const second = passOver(source.second(), {
    ...format,
    onSeparator: (found) => {
      if (table !== null) table.separator = found;
    },
    onMislabelled: (lines) => {
      reading.mislabelled += lines;
    },
  });
  const passes = dates === null ? 1 : 2;
  let isFirst = true;
  whole: for await (const rows of second.rows) {
    await turn?.();
    for (const row of rows) {
      reading.isPartial = reading.rows >= mostRows;
      if (reading.isPartial) break whole;
      signal.throwIfAborted();
      reading.line = row.line;
      if (isFirst) {
        isFirst = false;
        requireSame(row.cells, first);
        if (table !== null) table.header = plan.rejectedHeader;
        if (plan.isHeader) continue;
      }
      reading.rows += 1;
      if (reading.rows <= doneRows) continue;
      const taken = row.problem ?? take(row);
      if (typeof taken === "string") rejections.add(row, taken);
      const done = typeof taken === "string" ? work.onRejected() : taken;
      if (done === null) continue;
      await done;
      onProgress({ pass: 2, passes, rows: reading.rows, bytes: second.bytes() });
    }
  }
  await work.onEnd();
}

/**
 * The rows, and how many bytes are done. A workbook is in memory before its first row: how far the file is
 * read does not tell how much is done.
 */
function passOver(
  chunks: AsyncIterable<Buffer>,
  options: ReadingOptions,
): { readonly rows: AsyncIterable<readonly CsvRow[]>; readonly bytes: () => number } {
  let [read, part] = [0, 1];
  const counting = counted(chunks, (bytes) => {
    read += bytes;
  });
  const onPart = (done: number): void => {
    part = done;
  };
  return { rows: tableRows(counting, { ...options, onPart }), bytes: () => Math.round(part * read) };
}

function notesOfSheets(sheets: Sheets | null, firstLine: number): readonly string[] {
  if (sheets === null) return [];
  const others = sheets.names.filter((name) => name !== sheets.name);
  const above = firstLine > 1 ? [`the table begins in row ${firstLine}; what is above is not read`] : [];
  if (others.length === 0) return above;
  return [
    `the sheet ${namesOfSheets([sheets.name])} is read; the workbook also has ${namesOfSheets(others)}`,
    ...above,
  ];
}

/** The bytes from the first one, and the first four of them. */
async function begun(
  chunks: AsyncIterable<Buffer>,
): Promise<{ readonly start: Buffer; readonly whole: AsyncIterable<Buffer> }> {
  const rest = chunks[Symbol.asyncIterator]();
  let start: Buffer = Buffer.alloc(0);
  while (start.length < 4) {
    const next = await rest.next();
    if (next.done === true) break;
    start = Buffer.concat([start, next.value]);
  }
  async function* whole(): AsyncGenerator<Buffer> {
    try {
      yield start;
      for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
    } finally {
      await rest.return?.();
    }
  }
  return { start, whole: whole() };
}

/**
 * The rows of a table: of a CSV file, or of a sheet of a workbook. In a file of rejected rows, cells may have
 * an apostrophe, so that a spreadsheet does not run them as formulas: it is taken away.
 */
export async function* tableRows(
  chunks: AsyncIterable<Buffer>,
  options: ReadingOptions,
): AsyncGenerator<readonly CsvRow[]> {
  const { start, whole } = await begun(chunks);
  let isOfRejected: boolean | null = null;
  for await (const rows of isZip(start) ? readWorkbook(whole, options) : readCsv(whole, options)) {
    const [header] = rows;
    if (header !== undefined)
      isOfRejected ??= rejectedColumns.every((name, index) => header.cells[index] === name);
    yield isOfRejected === true ? rows.map((row) => ({ ...row, cells: row.cells.map(rearmed) })) : rows;
  }
}

/** Rows from the beginning of a table, and how much of it was read: of a workbook, the text of its rows. */
interface BeginningRows {
  readonly rows: readonly CsvRow[];
  readonly bytes: number;
}

/** For those who need the first rows only: how many, they decide by how much was read. */
export async function* firstTableRows(
  chunks: AsyncIterable<Buffer>,
  options: ReadingOptions,
): AsyncGenerator<BeginningRows> {
  const read = { bytes: 0, text: 0, isWorkbook: false };
  const all = tableRows(
    counted(chunks, (length) => {
      read.bytes += length;
    }),
    {
      ...options,
      onSheets: (sheets) => {
        read.isWorkbook = true;
        options.onSheets?.(sheets);
      },
    },
  );
  for await (const rows of all) {
    for (const { cells } of rows) for (const cell of cells) read.text += cell.length + 1;
    yield { rows, bytes: read.isWorkbook ? read.text : read.bytes };
  }
}

/** Of rows that are long, fewer are kept. */
const MAX_BEGINNING = 1024 ** 2;

/** The first group has at least so many rows, if there are. */
async function* withBeginning(
  groups: AsyncIterable<readonly CsvRow[]>,
  least: number,
): AsyncGenerator<readonly CsvRow[]> {
  let beginning: CsvRow[] | null = [];
  let length = 0;
  for await (const rows of groups) {
    if (beginning === null) {
      yield rows;
      continue;
    }
    beginning.push(...rows);
    for (const { cells } of rows) for (const cell of cells) length += cell.length + 1;
    if (beginning.length < least && length < MAX_BEGINNING) continue;
    yield beginning;
    beginning = null;
  }
  if (beginning !== null) yield beginning;
}

interface Looked {
  /** null if the table has no rows. */
  readonly first: readonly string[] | null;
  readonly firstLine: number;
  readonly plan: TablePlan | null;
  /** null if nothing has to be known in advance; the rest was not read then. */
  readonly dates: DateOrders | null;
  /** null: it is no workbook. */
  readonly sheets: Sheets | null;
}

/** The first pass. */
async function look(
  source: TableSource,
  format: ReadingOptions,
  work: TableImporter,
  { signal, onProgress, turn }: TableEvents,
): Promise<Looked> {
  let read = 0;
  let [first, firstLine]: [readonly string[] | null, number] = [null, 1];
  let plan: TablePlan | null = null;
  let dates: DateOrders | null = null;
  let sheets: Sheets | null = null;
  const onSheets = (found: Sheets): void => {
    sheets = found;
  };
  const { rows: groups, bytes } = passOver(source.first(), { ...format, onSheets });
  for await (const rows of withBeginning(groups, work.decidingRows)) {
    await turn?.();
    for (const row of rows) {
      if (plan === null) {
        [first, firstLine] = [row.cells, row.line];
        plan = work.onBeginning(rows);
        if (plan.dateColumns.length === 0 && plan.preview === null)
          return { first, firstLine, plan, dates, sheets };
        dates = new DateOrders(plan.names, plan.dateColumns);
        if (plan.isHeader) continue;
      }
      read += 1;
      dates?.look(row);
      plan.preview?.(row);
    }
    signal.throwIfAborted();
    onProgress({ pass: 1, passes: 2, rows: read, bytes: bytes() });
  }
  return { first, firstLine, plan, dates, sheets };
}

/**
 * Otherwise a file that changes within the same instant and keeps its length would be read with the columns
 * of another one.
 */
function requireSame(cells: readonly string[], first: readonly string[]): void {
  if (cells.length !== first.length || cells.some((cell, index) => cell !== first[index]))
    throw new TableProblem({ kind: "changed" });
}
