/** Writes CSV; cells are quoted if they contain any character that a reader may take for a separator. */
import { readCsv } from "./read-csv.ts";

// CSV for a spreadsheet: the same rows, without cells that it would run as formulas.

/** By which spreadsheets recognise UTF-8. */
const MARK = "\ufeff";

/** Throws CsvError. */
export async function* disarmCsv(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let separator = ",";
  const onSeparator = (found: string): void => {
    separator = found;
  };
  yield MARK;
  for await (const rows of readCsv(bytes, { encoding: null, separator: null, onSeparator }))
    yield rows.map(({ cells }) => csvLine(cells.map(disarmed), separator)).join("");
}

/** A longer cell is quoted without looking at it: no regular expression reads so long a text in one go. */
const LONG = 64 * 1024;
const NEEDS_QUOTES = /[",;\t|\r\n]|^(?:\s|\ufeff|sep=)|\s$/i;

const cellText = (cell: string, separator: string): string =>
  cell.length > LONG || NEEDS_QUOTES.test(cell) || cell.includes(separator)
    ? `"${cell.replaceAll('"', '""')}"`
    : cell;

/** Characters that begin a formula in some spreadsheet, including full-width ones. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** Escapes a cell that spreadsheets would treat as a formula; this changes its text. */
export const disarmed = (cell: string): string => (FORMULA.test(cell) ? `'${cell}` : cell);

/** Takes back what `disarmed` did. */
export const rearmed = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell.slice(1, 2)) ? cell.slice(1) : cell;

/** With its line break. */
export const csvLine = (cells: readonly string[], separator: string): string =>
  `${cells.map((cell) => cellText(cell, separator)).join(separator)}\r\n`;

/** The characters between the columns, by the words that people choose them by. */
export const separators = { comma: ",", semicolon: ";", tab: "\t", pipe: "|" } as const;
export type SeparatorWord = keyof typeof separators;
export const separatorWords = Object.keys(separators) as readonly SeparatorWord[];

/** null: another character, which the file itself declares. */
export const separatorWord = (character: string): SeparatorWord | null =>
  separatorWords.find((word) => separators[word] === character) ?? null;
