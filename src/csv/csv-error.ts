/** The file cannot be read further; the message has the problem and the line. */
export class CsvError extends Error {
  override readonly name = "CsvError";
}
