/**
 * Parses CSV text in chunks of any size: RFC 4180, and the variants of spreadsheets. Line breaks are CRLF, LF
 * or CR; a quote within a cell that does not begin with a quote is an ordinary character.
 */

/** The file cannot be read further; the message has the problem and the line. */
export class CsvError extends Error {
  override readonly name = "CsvError";
}

export interface CsvRow {
  /** The line of the file in which the row begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** What is wrong with its syntax, or null. */
  readonly problem: string | null;
}

/** A quote that is never closed would make one row of the rest of the file. */
export const MAX_ROW_LENGTH = 1024 ** 2;

/** More than a spreadsheet can have. What a heading means is looked up for each of them. */
export const MAX_CELLS = 20_000;

const [QUOTE, CR, LF] = [0x22, 0x0d, 0x0a];

/** Parser state: at the start of a cell, within one, within quotes, after a quote that may close them. */
type Place = "start" | "plain" | "quoted" | "closing";

export class RowReader {
  readonly #separator: number;
  #place: Place = "start";
  #cells: string[] = [];
  /** The part of the cell from earlier chunks. */
  #cell = "";
  #problem: string | null = null;
  #line: number;
  #rowLine: number;
  #rowLength = 0;
  /** The last character was a CR, at the end of a row or in quotes; an LF may follow. */
  #isAfterCr = false;
  #isAfterQuotedCr = false;

  /** `line` is the number of the first line of the text. */
  constructor(separator: string, line = 1) {
    this.#separator = separator.charCodeAt(0);
    this.#line = line;
    this.#rowLine = line;
  }

  /** The rows that the text completes; throws CsvError if one is too long or too wide. */
  read(text: string): readonly CsvRow[] {
    const rows: CsvRow[] = [];
    /** Where the cell begins in this text. */
    let from = 0;
    let counted = 0;
    let at = 0;
    if (this.#isAfterCr && text.length > 0) {
      if (text.charCodeAt(0) === LF) from = counted = at = 1;
      this.#isAfterCr = false;
    }
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.#place === "quoted") {
        if (code === QUOTE) {
          this.#cell += text.slice(from, at);
          this.#place = "closing";
        } else if (code === CR || (code === LF && !this.#isAfterQuotedCr)) this.#line += 1;
        this.#isAfterQuotedCr = code === CR;
        continue;
      }
      if (code === QUOTE && this.#place === "start") {
        this.#place = "quoted";
        from = at + 1;
        continue;
      }
      if (code === QUOTE && this.#place === "closing") {
        this.#place = "quoted";
        from = at;
        continue;
      }
      if (code !== this.#separator && code !== LF && code !== CR) {
        if (this.#place === "closing") {
          this.#problem ??= "a quote closes in the middle of a cell";
          from = at;
        }
        this.#place = "plain";
        continue;
      }
      this.#push(this.#place === "closing" ? this.#cell : this.#cell + text.slice(from, at));
      this.#cell = "";
      this.#place = "start";
      if (code === CR && text.charCodeAt(at + 1) === LF) at += 1;
      else if (code === CR && at === text.length - 1) this.#isAfterCr = true;
      from = at + 1;
      if (code === this.#separator) continue;
      this.#bound(from - counted);
      counted = from;
      this.#line += 1;
      this.#end(rows);
    }
    if (this.#place === "quoted" || this.#place === "plain") this.#cell += text.slice(from);
    this.#rowLength += text.length - counted;
    this.#bound(0);
    return rows;
  }

  /** The last row, if the text does not end with a line break. */
  end(): readonly CsvRow[] {
    const rows: CsvRow[] = [];
    if (this.#place === "quoted")
      throw new CsvError(`the quote that opens in the row of line ${this.#rowLine} is never closed`);
    if (this.#place !== "start" || this.#cells.length > 0) {
      this.#push(this.#cell);
      this.#end(rows);
    }
    return rows;
  }

  #push(cell: string): void {
    if (this.#cells.push(cell) > MAX_CELLS)
      throw new CsvError(
        `the row that begins in line ${this.#rowLine} has more than ${MAX_CELLS} cells; check that it is a CSV file`,
      );
  }

  #bound(more: number): void {
    if (this.#rowLength + more > MAX_ROW_LENGTH)
      throw new CsvError(
        `the row that begins in line ${this.#rowLine} is longer than ${MAX_ROW_LENGTH} characters; check for an unclosed quote there`,
      );
  }

  /** Empty rows are skipped: spreadsheets append many. */
  #end(rows: CsvRow[]): void {
    if (this.#cells.some((cell) => cell.trim() !== ""))
      rows.push({ line: this.#rowLine, cells: this.#cells, problem: this.#problem });
    this.#cells = [];
    this.#cell = "";
    this.#problem = null;
    this.#rowLine = this.#line;
    this.#rowLength = 0;
    this.#place = "start";
  }
}
