/**
 * Imports a file: shows progress, stops at a signal, and reports the line where an error stopped it. What
 * becomes of the rows is decided by the action.
 */

import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import type { Readable } from "node:stream";
import { CsvError } from "#csv/rows.ts";
import { ImportUndone, StoreUnavailable } from "#domain/ports/errors.ts";
import { suppressionKinds } from "#domain/subscriber/subscriber.ts";
import { PartialFolder, writeFailure } from "#files/partial-folder.ts";
import { PROGRAM } from "#shipped.ts";
import { ListGone } from "#transfer/import/batcher.ts";
import { IGNORE, keyOf, type Mapped } from "#transfer/table/column-mapping.ts";
import { CONSENT } from "#transfer/table/columns.ts";
import { mayBeAboutConsent } from "#transfer/table/known-headings.ts";
import { factOf, type Problem, TableProblem } from "#transfer/table/problem.ts";
import { type TableEvents, type TableProgress, TableReading } from "#transfer/table/read-table.ts";
import type { GivenOrder, TableSource } from "#transfer/table/source.ts";
import { dateOrders } from "#transfer/values/time.ts";
import { type Context, Failure, type Option, UsageError } from "../../kit/command.ts";
import { openFile } from "../../kit/files.ts";
import { parseChoice } from "../../kit/parse-call.ts";
import { interruptible } from "../../kit/signals.ts";
import { formatNumber, progressText, shellWord, shorten } from "../../kit/terminal/text.ts";
import type { RejectedOutput } from "./rejected-file.ts";

/** The options that every import has, and what they mean. */
export const tableOptions: Readonly<Record<string, Option>> = {
  "dry-run": { doc: "Report what the import would do; change nothing and write no file." },
  dates: {
    value: dateOrders.join("|"),
    repeated: true,
    doc: "Whether 3/4/2026 is 3 April (dmy) or March 4 (mdy); 'HEADING=dmy' for one column (default: detected from dates such as 25/12/2026).",
  },
  separator: { value: "CHAR", doc: "The column separator, such as ';' or 'tab' (default: detected)." },
  encoding: { value: "NAME", doc: "The character encoding, such as windows-1252 (default: detected)." },
  sheet: { value: "NAME", doc: "The sheet of a workbook (default: the first one with rows)." },
  rejected: {
    value: "FILE",
    doc: "The file for rejected rows; it is replaced if it exists (default: a new file beside FILE, such as members.rejected.csv for members.csv).",
  },
  "rejected-unchanged": {
    doc: "Write rejected rows as they are; otherwise cells that begin with =, +, - or @ get a ' in front, so that spreadsheets do not treat them as formulas (an import of the file removes it).",
  },
};

export function parseSeparator(text: string | undefined): string | null {
  if (text === undefined) return null;
  const separator = /^(?:tab|\\t)$/i.test(text) ? "\t" : text;
  if ([...separator].length !== 1 || /["\r\n]/.test(separator))
    throw new UsageError(`--separator takes one character, or 'tab'; '${text}' is neither`);
  return separator;
}

export const parseDates = (given: readonly string[]): readonly GivenOrder[] =>
  given.map((text) => {
    const at = text.lastIndexOf("=");
    const order = parseChoice(text.slice(at + 1), "--dates", dateOrders);
    return { heading: at < 0 ? null : text.slice(0, at).trim(), order };
  });

export const parseMap = (given: readonly string[]): readonly Mapped[] =>
  given.map((pair) => {
    const at = pair.lastIndexOf("=");
    if (at < 1) throw new UsageError(`--map takes HEADING=COLUMN; '${pair}' is not of that form`);
    return { heading: pair.slice(0, at), column: pair.slice(at + 1) };
  });

/** Why a table cannot be imported, with the options that help. */
function explainProblem(problem: Problem, file: string): Failure | UsageError {
  if (problem.kind === "empty") return new Failure(`${file} is empty`);
  if (problem.kind === "changed")
    return new Failure(`${file} changed while it was being read; import it again when it is complete`);
  if (problem.kind === "many duplicates") return new Failure(factOf(problem));
  const option = aboutOptions[problem.kind];
  return new UsageError(
    `${option === undefined ? "" : `${option}: `}${factOf(problem)}${adviceFor(problem)}`,
  );
}

/** What is wrong with an option, and not with the file. */
const aboutOptions: Readonly<Partial<Record<Problem["kind"], string>>> = {
  "mapped twice": "--map",
  "no such heading": "--map",
  "no such column": "--map",
  "no such date column": "--dates",
  "other order": "--dates",
};

function adviceFor(problem: Problem): string {
  switch (problem.kind) {
    case "no header":
      return ". If the file has no such row, give --no-header and map the columns by number: --map '1=email'";
    case "no email column":
      return ". Map the right one with --map 'HEADING=email'";
    case "not mapped":
      return `. The first row is: ${shownCells(problem.first)}. ${exampleOf(problem)}`;
    case "same column": {
      const isSame = keyOf(problem.earlier) === keyOf(problem.later);
      return isSame ? "; rename one" : `; ignore one with ${mapping(problem.later, IGNORE)}`;
    }
    case "unknown columns":
      return adviceForUnknown(problem.unknown);
    case "states left out":
      return `; if they must not be mailed, map the column with ${mapping(problem.heading, "state")}, otherwise ignore it with ${mapping(problem.heading, IGNORE)}`;
    case "both orders":
      return ". Correct the file, or give --dates dmy or --dates mdy: dates of the other order are then not valid";
    case "ambiguous dates":
      return "; give --dates dmy (day first) or --dates mdy (month first)";
    case "other order":
      return `. Correct the cell, or give the order for one column only: --dates 'HEADING=${problem.wanted}'`;
    case "no kind":
      return `; give --as ${suppressionKinds.join("|")}`;
    default:
      return "";
  }
}
const mapping = (heading: string, column: string): string => `--map ${shellWord(`${heading}=${column}`)}`;

function exampleOf({ hasEmail, unknown, first }: Extract<Problem, { readonly kind: "not mapped" }>): string {
  const email = first.findIndex((cell) => cell.includes("@")) + 1 || 1;
  const others = "For each other column: its number with first_name, another column or ignore, such as";
  return hasEmail
    ? `${others} --map '${unknown[0] ?? "1"}=${IGNORE}' (all of them: --ignore-unknown)`
    : `Use --map '${email}=email'. ${others} --map '${email === 1 ? 2 : 1}=${IGNORE}' (all of them: --ignore-unknown)`;
}

function adviceForUnknown(unknown: readonly string[]): string {
  const asking = unknown.find(mayBeAboutConsent);
  const consent =
    asking === undefined
      ? ""
      : ` If '${shorten(asking, 60)}' says who wants mail, with yes or no, add ${mapping(asking, CONSENT)}: no is unsubscribed.`;
  return `.${consent} For each of them: map it with --map 'HEADING=first_name', create a field for it with '${PROGRAM} field create NAME --type STRING', or ignore it with --map 'HEADING=${IGNORE}' (all unknown columns: --ignore-unknown)`;
}

const shownCells = (cells: readonly string[]): string =>
  shorten(cells.map((cell, index) => `${index + 1} '${shorten(cell.trim(), 30)}'`).join(", "), 300);

/**
 * The bytes of a file that is read twice: once to detect its formats, once to import its rows. Input that can
 * only be read once – standard input, a pipe – is buffered: the beginning in memory, the rest in an unnamed
 * temporary file with mode 0600, which the system removes however the command ends.
 */
interface OpenTable extends TableSource {
  /** Ends the current reading with the reason. */
  interrupt(reason: Error): void;
  close(): Promise<void>;
}

export async function openTable(file: string): Promise<OpenTable> {
  if (file === "-") return new StreamSource(process.stdin);
  const { handle, stats } = await openFile(file);
  return stats.isFile()
    ? new FileSource(file, handle, stats.size)
    : new StreamSource(handle.createReadStream());
}

/** Stays open between the two passes, so that replacing the file at this path has no effect. */
class FileSource implements OpenTable {
  readonly size: number;
  readonly #name: string;
  readonly #handle: FileHandle;
  #version = "";

  constructor(name: string, handle: FileHandle, size: number) {
    this.#name = name;
    this.#handle = handle;
    this.size = size;
  }

  async *first(): AsyncGenerator<Buffer> {
    this.#version = await this.#currentVersion();
    yield* contents(this.#handle);
  }
  async *second(): AsyncGenerator<Buffer> {
    await this.#requireSame();
    yield* contents(this.#handle);
    await this.#requireSame();
  }
  /** Reading a file never blocks, so there is nothing to interrupt. */
  interrupt(): void {}
  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #requireSame(): Promise<void> {
    if ((await this.#currentVersion()) !== this.#version)
      throw new Failure(`${this.#name} changed while it was being read; import it again when it is complete`);
  }
  async #currentVersion(): Promise<string> {
    const { size, mtimeNs, ctimeNs } = await this.#handle.stat({ bigint: true });
    return [size, mtimeNs, ctimeNs].join(" ");
  }
}

const CHUNK_BYTES = 65_536;

/** From the first byte; a stream would close the file when the reader stops early. */
async function* contents(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { buffer, bytesRead } = await handle.read(
      Buffer.allocUnsafe(CHUNK_BYTES),
      0,
      CHUNK_BYTES,
      position,
    );
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

const KEPT_IN_MEMORY = 1024 ** 2;

class StreamSource implements OpenTable {
  size: number | null = null;
  readonly #stream: Readable;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #spool: FileHandle | null = null;

  constructor(stream: Readable) {
    this.#stream = stream;
    this.#chunks = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  async *first(): AsyncGenerator<Buffer> {
    for await (const chunk of this.#rest()) {
      await this.#keep(chunk);
      yield chunk;
    }
    this.size = this.#keptBytes;
  }
  async *second(): AsyncGenerator<Buffer> {
    yield* this.#kept;
    if (this.#spool !== null) yield* contents(this.#spool);
    yield* this.#rest();
  }
  interrupt(reason: Error): void {
    this.#stream.destroy(reason);
  }
  async close(): Promise<void> {
    this.#stream.destroy();
    await this.#spool?.close();
  }

  /**
   * The unread rest. Stopping early does not end the stream, as stopping to iterate the stream itself would.
   */
  async *#rest(): AsyncGenerator<Buffer> {
    for (let next = await this.#chunks.next(); next.done !== true; next = await this.#chunks.next())
      yield next.value;
  }

  async #keep(chunk: Buffer): Promise<void> {
    this.#keptBytes += chunk.length;
    if (this.#keptBytes <= KEPT_IN_MEMORY) {
      this.#kept.push(chunk);
      return;
    }
    try {
      this.#spool ??= await openSpool();
      await this.#spool.writeFile(chunk);
    } catch (error) {
      throw new Failure(
        `the input cannot be buffered in ${tmpdir()}: ${writeFailure(error)}; import a file instead of standard input, or set TMPDIR`,
      );
    }
  }
}

/** The name is removed before anything is written. */
async function openSpool(): Promise<FileHandle> {
  const folder = PartialFolder.within(tmpdir());
  try {
    return await open(folder.file, "wx+", 0o600);
  } finally {
    folder.remove();
  }
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
  { args, has, out }: Context,
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
  const onNotes: TableEvents["onNotes"] = (notes, dates, examples): void => {
    out.progress(null);
    for (const note of [...notes, ...dates, ...(has("dry-run") ? examples : [])]) out.note(note);
    rejected.requireFolder();
  };
  let result: Result;
  try {
    result = await interruptible(new Failure("interrupted"), (signal) => {
      signal.addEventListener("abort", () => {
        source.interrupt(signal.reason as Failure);
        onInterrupt();
      });
      return work({ source, reading, events: { signal, onProgress, onNotes } });
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
    error instanceof ImportUndone ||
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
