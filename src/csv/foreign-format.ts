/** Detects files that are not CSV by their first bytes. */

const startsWith = (start: Buffer, bytes: string): boolean =>
  start.toString("latin1", 0, bytes.length) === bytes;

const SPREADSHEET = "open it in a spreadsheet program and save it as CSV";
const formats: readonly (readonly [bytes: string, name: string, advice: string])[] = [
  ["\xd0\xcf\x11\xe0", "an Excel workbook (.xls)", SPREADSHEET],
  ["%PDF", "a PDF document", "export the table as CSV from the program that made it"],
  ["{\\rtf", "an RTF document", SPREADSHEET],
  ["\x1f\x8b", "compressed (gzip)", "decompress it first"],
  ["BZh", "compressed (bzip2)", "decompress it first"],
  ["\xfd7zXZ", "compressed (xz)", "decompress it first"],
  ["(\xb5/\xfd", "compressed (zstd)", "decompress it first"],
  ["7z\xbc\xaf", "a 7z archive", "extract the CSV file first"],
  ["SQLite format 3\0", "a SQLite database", "export the table as CSV"],
];

/** A zip archive names its first file in its first bytes. */
function zipAdvice(start: Buffer): string {
  const text = start.toString("latin1", 0, 65_536);
  if (text.includes("opendocument.spreadsheet"))
    return `it is an OpenDocument spreadsheet (.ods); ${SPREADSHEET}`;
  return /\[Content_Types\]|xl\/|_rels\//.test(text)
    ? `it is an Excel workbook (.xlsx); ${SPREADSHEET}`
    : `it is a zip archive; extract the CSV file, or if it is a spreadsheet (.xlsx, .ods), ${SPREADSHEET}`;
}

/** The format and what to do; null if it may be CSV. `mayHaveZeros`: UTF-16 has zero bytes. */
export function foreignFormat(start: Buffer, mayHaveZeros: boolean): string | null {
  if (startsWith(start, "PK\x03\x04")) return zipAdvice(start);
  const found = formats.find(([bytes]) => startsWith(start, bytes));
  if (found !== undefined) return `it is ${found[1]}; ${found[2]}`;
  if (/^(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|\?xml|table)/i.test(start.toString("latin1", 0, 100)))
    return `it is HTML or XML; ${SPREADSHEET}`;
  return !mayHaveZeros && start.includes(0) ? `it is a binary file, not text; ${SPREADSHEET}` : null;
}
