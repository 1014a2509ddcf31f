/** A table that cannot be read on: the text says what is wrong, and in which line. */
export class CsvError extends Error {
  override readonly name = "CsvError";
}
