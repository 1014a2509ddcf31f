/** Writes CSV; cells are quoted if they contain any character that a reader may take for a separator. */

const NEEDS_QUOTES = /[",;\t|\r\n]|^(?:\s|\ufeff|sep=)|\s$/i;

const cellText = (cell: string, separator: string): string =>
  NEEDS_QUOTES.test(cell) || cell.includes(separator) ? `"${cell.replaceAll('"', '""')}"` : cell;

/** Characters that begin a formula in some spreadsheet, including full-width ones. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** Escapes a cell that spreadsheets would treat as a formula; this changes its text. */
export const disarmed = (cell: string): string => (FORMULA.test(cell) ? `'${cell}` : cell);

/** With its line break. */
export const csvLine = (cells: readonly string[], separator: string): string =>
  `${cells.map((cell) => cellText(cell, separator)).join(separator)}\r\n`;
