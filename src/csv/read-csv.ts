/** Reads CSV from a stream of any length; detects the encoding and the separator if they are not given. */
import { setImmediate } from "node:timers/promises";
import { CsvError } from "./csv-error.ts";
import { type Decoding, decode } from "./decode.ts";
import { type CsvRow, MAX_ROW_LENGTH, RowReader } from "./rows.ts";

/** In order of preference if a header has the same number of each. */
export const separators = [",", ";", "\t", "|"] as const;

export interface CsvOptions extends Decoding {
  /** null: the most frequent one in the first line. */
  readonly separator: string | null;
  /** Called with what was detected, before the first rows. */
  readonly onSeparator?: (separator: string) => void;
}

/** Excel's declaration of the separator. */
const DECLARED = /^sep=([^\r\n])(?:\r\n|\r|\n)/i;

/** The next character decides whether a CR is half of a line break. */
const HAS_FIRST_LINE = /\n|\r(?=[\s\S])/;

/** How much is read in one go: then other work is done in between. Also all that decides the separator. */
const SLICE = 64 * 1024;

/** Outside of quotes. */
export function likelySeparator(firstLine: string): string {
  const bare = firstLine.replace(/"[^"]*"?/g, "");
  const counts = separators.map((one) => bare.split(one).length);
  return separators[counts.indexOf(Math.max(...counts))] ?? ",";
}

/** Yields groups of rows. Throws CsvError if the file cannot be read further. */
export async function* readCsv(
  bytes: AsyncIterable<Buffer>,
  options: CsvOptions,
): AsyncGenerator<readonly CsvRow[]> {
  let reader: RowReader | null = null;
  let start = "";
  const begin = (): { readonly begun: RowReader; readonly text: string } => {
    const declared = DECLARED.exec(start);
    const text = declared === null ? start : start.slice(declared[0].length);
    const [firstLine = ""] = text.slice(0, SLICE).split(/\r\n|\r|\n/, 1);
    const separator = options.separator ?? declared?.[1] ?? likelySeparator(firstLine);
    options.onSeparator?.(separator);
    const begun = new RowReader(separator, declared === null ? 1 : 2);
    return { begun, text };
  };
  for await (const piece of decode(bytes, options))
    for await (const text of slicesOf(piece)) {
      if (reader !== null) {
        yield reader.read(text);
        continue;
      }
      // A CR at the end of what was read before is decided by this text.
      const hasFirstLine = HAS_FIRST_LINE.test(start.slice(-1) + text);
      start += text;
      if (!hasFirstLine && start.length > MAX_ROW_LENGTH)
        throw new CsvError(
          `the first line is longer than ${MAX_ROW_LENGTH} characters; check that it is a CSV file`,
        );
      if (!hasFirstLine) continue;
      const { begun, text: all } = begin();
      reader = begun;
      for await (const some of slicesOf(all)) yield reader.read(some);
    }
  if (reader === null) {
    const { begun, text } = begin();
    reader = begun;
    for await (const some of slicesOf(text)) yield reader.read(some);
  }
  yield reader.end();
}

/** A text without line breaks may arrive as a whole, however long it is. */
async function* slicesOf(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += SLICE) {
    if (at > 0) await setImmediate();
    yield text.slice(at, at + SLICE);
  }
}
