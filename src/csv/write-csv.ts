/** Rows as text of a table: cells are quoted where a reader, whatever separator it guesses, would take them apart. */

const NEEDS_QUOTES = /[",;\t|\r\n]|^(?:\s|\ufeff|sep=)|\s$/i;

const cellText = (cell: string, separator: string): string =>
  NEEDS_QUOTES.test(cell) || cell.includes(separator) ? `"${cell.replaceAll('"', '""')}"` : cell;

/** What makes a formula of a cell in some spreadsheet, full-width signs among it. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** A cell that no spreadsheet takes for a formula; it is another text then. */
export const disarmed = (cell: string): string => (FORMULA.test(cell) ? `'${cell}` : cell);

/** With its line break. */
export const csvLine = (cells: readonly string[], separator: string): string =>
  `${cells.map((cell) => cellText(cell, separator)).join(separator)}\r\n`;
