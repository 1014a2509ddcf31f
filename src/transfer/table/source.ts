/** The bytes of a table that is read twice: once to detect its formats, once to import its rows. */
export interface TableSource {
  /** In bytes; null while it is not known. */
  readonly size: number | null;
  /** From the first byte; the reader may stop before the end. */
  first(): AsyncIterable<Buffer>;
  /** Again from the first byte, to the end. */
  second(): AsyncIterable<Buffer>;
}
