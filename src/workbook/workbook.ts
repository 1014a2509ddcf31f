/**
 * Reads workbooks of Excel (.xlsx): a zip archive with a part for each sheet, one for the texts that cells
 * share, and one for how numbers are shown. A sheet is read as a stream; the shared texts are in memory.
 */
import { posix } from "node:path";
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import { CsvError, type CsvRow, MAX_CELLS, MAX_ROW_LENGTH } from "#csv/rows.ts";
import { XmlError, XmlRefused } from "#xml/errors.ts";
import { XmlParser } from "#xml/parser.ts";
import type { StartTag } from "#xml/start-tag.ts";
import { columnIn, type NumberKind, namesOfSheets, numberKind, numberText, unescaped } from "./cells.ts";

/** Of the parts that are read; the pictures of a workbook are none of them. */
const MAX_UNPACKED = 500 * 1024 ** 2;
/** Of real workbooks, less than a twentieth is left by packing only if they are small. */
const [MAX_RATIO, SMALL] = [100, 10 * 1024 ** 2];
const MAX_ENTRIES = 10_000;
const MAX_SHEETS = 1000;
/** Above the headings. */
const MAX_TITLES = 10;

const AS_CSV = "save the sheet as CSV";
const TOO_LARGE = `the workbook has more than ${MAX_UNPACKED / 1024 ** 2} MiB when it is unpacked; ${AS_CSV}`;
const DAMAGED = `the workbook is damaged; open it in a spreadsheet program and save it again, or ${AS_CSV}`;

/** What is found in the element that is open, by the names from the root to it. */
abstract class Part {
  readonly path: string[] = [];
  readonly #parser = new XmlParser({
    open: (tag) => {
      this.path.push(tag.local);
      this.open(tag);
    },
    close: () => {
      this.close(this.path.at(-1) ?? "");
      this.path.pop();
    },
    text: (part) => this.text(part),
  });
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });

  protected open(_tag: StartTag): void {}
  protected close(_local: string): void {}
  protected text(_part: string): void {}

  isIn(...names: readonly string[]): boolean {
    return names.every((name, index) => this.path.at(index - names.length - 1) === name);
  }

  write(bytes: Buffer): void {
    this.#parser.write(this.#decoder.decode(bytes, { stream: true }));
  }
  end(): void {
    this.#parser.write(this.#decoder.decode());
    this.#parser.end();
  }
}

/** What a part refers to: by the id, where it is and what it is. */
class Relationships extends Part {
  readonly all = new Map<string, { readonly type: string; readonly target: string }>();
  protected override open(tag: StartTag): void {
    if (tag.local !== "Relationship") return;
    const [id, type, target] = ["Id", "Type", "Target"].map((name) => tag.attribute("", name) ?? "");
    // The rest of a type is the version of the standard.
    this.all.set(id ?? "", { type: posix.basename(type ?? ""), target: target ?? "" });
  }
}

interface SheetEntry {
  readonly name: string;
  readonly isHidden: boolean;
  readonly relationship: string;
}

class Contents extends Part {
  readonly sheets: SheetEntry[] = [];
  is1904 = false;
  protected override open(tag: StartTag): void {
    if (tag.local === "workbookPr") this.is1904 = /^(?:1|true)$/.test(tag.attribute("", "date1904") ?? "");
    if (tag.local !== "sheet" || !this.isIn("sheets")) return;
    const [, , relationship = ""] =
      tag.attributes().find(([uri, local]) => uri !== "" && local === "id") ?? [];
    const isHidden = (tag.attribute("", "state") ?? "visible") !== "visible";
    this.sheets.push({ name: tag.attribute("", "name") ?? "", isHidden, relationship });
  }
}

/** What the number of a cell stands for, by the style of the cell. */
class Styles extends Part {
  readonly kinds: NumberKind[] = [];
  readonly #codes = new Map<number, string>();
  protected override open(tag: StartTag): void {
    const id = Number(tag.attribute("", "numFmtId") ?? 0);
    if (tag.local === "numFmt") this.#codes.set(id, tag.attribute("", "formatCode") ?? "");
    else if (tag.local === "xf" && this.isIn("cellXfs"))
      this.kinds.push(numberKind(id, this.#codes.get(id) ?? null));
  }
}

/**
 * The text of a cell, which may consist of pieces with different fonts, without the hints for reading it
 * aloud.
 */
class RichText {
  value = "";
  add(part: string, path: readonly string[]): void {
    if (path.at(-1) === "t" && !path.includes("rPh")) this.append(part);
  }
  append(part: string): void {
    this.value += part;
    if (this.value.length > MAX_ROW_LENGTH)
      throw new CsvError(`a cell has more than ${MAX_ROW_LENGTH} characters; ${AS_CSV}`);
  }
}

class SharedTexts extends Part {
  readonly all: string[] = [];
  #text = new RichText();
  protected override text(part: string): void {
    this.#text.add(part, this.path);
  }
  protected override close(local: string): void {
    if (local !== "si") return;
    this.all.push(unescaped(this.#text.value));
    this.#text = new RichText();
  }
}

interface Meanings {
  readonly texts: readonly string[];
  readonly kinds: readonly NumberKind[];
  readonly is1904: boolean;
}
const numbers: NumberKind = { kind: "number" };

/**
 * Rows without a value are left out, as in CSV files. A sheet does not store empty cells at the end of a row:
 * rows are as long as the first one.
 */
class Sheet extends Part {
  readonly #meanings: Meanings;
  #rows: CsvRow[] = [];
  #line = 0;
  #cells: string[] = [];
  #width = 0;
  /** Rows with one value above the first row with several: titles, unless nothing else comes. */
  #titles: CsvRow[] = [];
  #length = 0;
  #column = 0;
  #type = "";
  #style = 0;
  /** The cell has a formula that no program has calculated. */
  #lacksResult = false;
  /** Of all cells: texts that are shared are in the archive once. */
  #total = 0;
  #text = new RichText();

  constructor(meanings: Meanings) {
    super();
    this.#meanings = meanings;
  }

  /** The rows since the last time. */
  take(): readonly CsvRow[] {
    const rows = this.#rows;
    if (rows.length > 0) this.#rows = [];
    return rows;
  }

  protected override open(tag: StartTag): void {
    if (tag.local === "row" && this.isIn("sheetData")) {
      // Sheets are sorted. A number that goes back would make messages name a wrong line.
      this.#line = Math.max(this.#line + 1, Number(tag.attribute("", "r") ?? 0) || 0);
      this.#cells = [];
      [this.#length, this.#column] = [0, 0];
    } else if (tag.local === "c" && this.isIn("sheetData", "row")) {
      this.#column = columnIn(tag.attribute("", "r") ?? "") ?? this.#column;
      this.#type = tag.attribute("", "t") ?? "n";
      this.#style = Number(tag.attribute("", "s") ?? 0);
      this.#text = new RichText();
      this.#lacksResult = false;
    } else if (tag.local === "f") this.#lacksResult = true;
    else if (tag.local === "v") this.#lacksResult = false;
  }

  protected override text(part: string): void {
    if (this.path.at(-1) === "v") this.#text.append(part);
    else if (this.path.includes("is")) this.#text.add(part, this.path);
  }

  protected override close(local: string): void {
    if (local === "c" && this.isIn("sheetData", "row")) this.#endCell();
    else if (local === "row" && this.isIn("sheetData") && this.#cells.some((cell) => cell.trim() !== "")) {
      this.#endRow({ line: this.#line, cells: this.#cells, problem: null });
    }
  }

  override end(): void {
    super.end();
    this.#rows.push(...this.#titles);
  }

  #endRow(row: CsvRow): void {
    if (this.#width === 0) {
      const values = row.cells.filter((cell) => cell.trim() !== "");
      const mayBeTitle = values.length === 1 && !values[0]?.includes("@");
      if (mayBeTitle && this.#titles.length < MAX_TITLES) {
        this.#titles.push(row);
        return;
      }
      // A table with one column has no title that could be told from its rows.
      if (values.length === 1) this.#rows.push(...this.#titles);
      this.#titles = [];
      this.#width = row.cells.length;
    }
    while (this.#cells.length < this.#width) this.#cells.push("");
    this.#rows.push(row);
  }

  #endCell(): void {
    if (this.#lacksResult)
      throw new CsvError(
        `a formula in row ${this.#line} has no result; open the workbook in a spreadsheet program and save it again`,
      );
    const cell = this.#valueOf(this.#text.value);
    const cells = this.#cells;
    this.#length += cell.length;
    this.#total += cell.length;
    if (this.#total > MAX_UNPACKED) throw new CsvError(TOO_LARGE);
    if (this.#column >= MAX_CELLS || this.#length > MAX_ROW_LENGTH)
      throw new CsvError(
        `the row in line ${this.#line} has more than ${MAX_CELLS} cells or ${MAX_ROW_LENGTH} characters`,
      );
    if (cell !== "") {
      while (cells.length < this.#column) cells.push("");
      cells[this.#column] = cell;
    }
    this.#column += 1;
  }

  #valueOf(text: string): string {
    const { texts, kinds, is1904 } = this.#meanings;
    switch (this.#type) {
      case "s":
        return texts[Number(text)] ?? "";
      case "n":
        return text === "" ? "" : numberText(text.trim(), kinds[this.#style] ?? numbers, is1904);
      case "b":
        return text.trim() === "1" ? "true" : "false";
      default:
        return unescaped(text);
    }
  }
}

/** The parts of a workbook by their names. */
class Parts {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  #packed = 0;
  #unpacked = 0;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip;
    this.#entries = entries;
  }

  static async of(file: Buffer): Promise<Parts> {
    const zip = await fromBufferPromise(file, { lazyEntries: true });
    if (zip.entryCount > MAX_ENTRIES)
      throw new CsvError(`it is a zip archive with more than ${MAX_ENTRIES} files`);
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
    return new Parts(zip, entries);
  }

  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase());
  }

  size(name: string): number {
    return this.#entries.get(name.toLowerCase())?.uncompressedSize ?? 0;
  }

  /** The reader throws if a part is larger than the archive says. */
  async *bytes(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(name.toLowerCase());
    if (entry === undefined) throw new CsvError(DAMAGED);
    if (entry.isEncrypted()) throw new CsvError("the workbook has a password; save it without one");
    this.#packed += entry.compressedSize;
    this.#unpacked += entry.uncompressedSize;
    if (this.#unpacked > MAX_UNPACKED) throw new CsvError(TOO_LARGE);
    if (this.#unpacked > SMALL && this.#unpacked > MAX_RATIO * this.#packed)
      throw new CsvError(
        `the workbook unpacks to more than ${MAX_RATIO} times its size, which no table does; ${AS_CSV}`,
      );
    yield* (await this.#zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>;
  }

  /** Empty if there is no such part. */
  async read<Read extends Part>(name: string | null, part: Read): Promise<Read> {
    if (name === null || !this.has(name)) return part;
    for await (const bytes of this.bytes(name)) part.write(bytes);
    part.end();
    return part;
  }

  /** What a part refers to is beside it, in a folder of its own. The empty name is the archive. */
  async relationships(name: string): Promise<Relationships["all"]> {
    const { dir, base } = posix.parse(name);
    const { all } = await this.read(posix.join(dir, "_rels", `${base}.rels`), new Relationships());
    return new Map(
      [...all].map(([id, { type, target }]) => [
        id,
        { type, target: target.startsWith("/") ? target.slice(1) : posix.join(dir, target) },
      ]),
    );
  }

  /** Why it is no workbook. */
  get advice(): string {
    const save = "open it in a spreadsheet program and save it as CSV or .xlsx";
    if (this.has("xl/workbook.bin")) return `it is a binary Excel workbook (.xlsb); ${save}`;
    if (this.has("content.xml")) return `it is an OpenDocument file (.ods); ${save}`;
    if (this.has("index.zip") || this.has("index/document.iwa")) return `it is a file of Numbers; ${save}`;
    return "it is a zip archive; extract the table first";
  }
}

export interface Sheets {
  /** The visible ones, in the order of their tabs. */
  readonly names: readonly string[];
  /** The one that is read. */
  readonly name: string;
}
/** Some rows of a sheet, and how much of it has been read, from 0 to 1. */
export interface Rows {
  readonly rows: readonly CsvRow[];
  readonly part: number;
}
interface OpenSheet extends Sheets {
  readonly rows: AsyncIterable<Rows>;
}

const typed = (all: Relationships["all"], wanted: string): string | null =>
  [...all.values()].find(({ type }) => type === wanted)?.target ?? null;

async function opened(file: Buffer, wanted: string | null): Promise<OpenSheet> {
  const parts = await Parts.of(file);
  const workbook = typed(await parts.relationships(""), "officeDocument");
  if (workbook === null || !workbook.toLowerCase().endsWith(".xml")) throw new CsvError(parts.advice);
  const { sheets, is1904 } = await parts.read(workbook, new Contents());
  if (sheets.length > MAX_SHEETS) throw new CsvError(`it has more than ${MAX_SHEETS} sheets; ${AS_CSV}`);
  const visible = sheets.filter(({ isHidden }) => !isHidden);
  const all = await parts.relationships(workbook);
  const names = visible.map(({ name }) => name);
  const { kinds } = await parts.read(typed(all, "styles"), new Styles());
  const { all: texts } = await parts.read(typed(all, "sharedStrings"), new SharedTexts());
  const meanings = { texts, kinds, is1904 };

  async function* rowsOf({ relationship }: SheetEntry): AsyncGenerator<Rows> {
    const sheet = new Sheet(meanings);
    const name = all.get(relationship)?.target ?? "";
    let read = 0;
    for await (const bytes of parts.bytes(name)) {
      sheet.write(bytes);
      read += bytes.length;
      yield { rows: sheet.take(), part: read / parts.size(name) };
    }
    sheet.end();
    yield { rows: sheet.take(), part: 1 };
  }

  if (wanted !== null) {
    const found = sheets.find(({ name }) => name.toLowerCase() === wanted.trim().toLowerCase());
    if (found === undefined)
      throw new CsvError(`the workbook has no such sheet; it has ${namesOfSheets(names)}`);
    return { names, name: found.name, rows: rowsOf(found) };
  }
  // The first one that is not empty.
  for (const one of visible) {
    const rows = rowsOf(one);
    for (let next = await rows.next(); next.done !== true; next = await rows.next())
      if (next.value.rows.length > 0) return { names, name: one.name, rows: joined(next.value, rows) };
  }
  return { names, name: names[0] ?? "", rows: joined({ rows: [], part: 1 }, null) };
}

async function* joined(first: Rows, rest: AsyncIterable<Rows> | null): AsyncGenerator<Rows> {
  yield first;
  if (rest !== null) yield* rest;
}

/** `wanted`: the name of a sheet; null: the first one with rows. Throws a CsvError if it cannot be read. */
export async function* readSheet(file: Buffer, wanted: string | null): AsyncGenerator<Sheets | Rows> {
  try {
    const { rows, ...sheets } = await opened(file, wanted);
    yield sheets;
    yield* rows;
  } catch (error) {
    if (error instanceof CsvError) throw error;
    const isXml = error instanceof XmlError || error instanceof XmlRefused;
    if (isXml || isOfArchive(error)) throw new CsvError(`${DAMAGED} (${(error as Error).message})`);
    throw error;
  }
}

/** Errors of the archive's reader, of decompression, and of the text's encoding. */
const isOfArchive = (error: unknown): boolean =>
  error instanceof TypeError
    ? "code" in error && error.code === "ERR_ENCODING_INVALID_ENCODED_DATA"
    : error instanceof Error && error.constructor === Error;

// What is exchanged with the thread that reads workbooks.

/** What the thread begins with. `sheet` null: the first one with rows. */
export interface ThreadData {
  readonly file: Uint8Array;
  readonly sheet: string | null;
}
export type ThreadAnswer =
  | { readonly sheets: Sheets }
  | { readonly rows: readonly CsvRow[]; readonly part: number }
  | { readonly isDone: true }
  | { readonly unreadable: string };
