/** Reads CSV from a stream of any length; detects the encoding and the separator if they are not given. */
import { isAscii, isUtf8 } from "node:buffer";
import { setImmediate } from "node:timers/promises";
import { TextDecoder } from "node:util";
import { CsvError, type CsvRow, MAX_ROW_LENGTH, RowReader } from "./rows.ts";

// Detects files that are not CSV by their first bytes.

const startsWith = (start: Buffer, bytes: string): boolean =>
  start.toString("latin1", 0, bytes.length) === bytes;

const SPREADSHEET = "open it in a spreadsheet program and save it as CSV or .xlsx";
const formats: readonly (readonly [bytes: string, name: string, advice: string])[] = [
  [
    "\xd0\xcf\x11\xe0",
    "an old Excel workbook (.xls), or one with a password",
    `${SPREADSHEET}, without a password`,
  ],
  ["%PDF", "a PDF document", "export the table as CSV from the program that made it"],
  ["{\\rtf", "an RTF document", SPREADSHEET],
  ["\x1f\x8b", "compressed (gzip)", "decompress it first"],
  ["BZh", "compressed (bzip2)", "decompress it first"],
  ["\xfd7zXZ", "compressed (xz)", "decompress it first"],
  ["(\xb5/\xfd", "compressed (zstd)", "decompress it first"],
  ["7z\xbc\xaf", "a 7z archive", "extract the CSV file first"],
  ["SQLite format 3\0", "a SQLite database", "export the table as CSV"],
];

/** The format and what to do; null if it may be CSV. `mayHaveZeros`: UTF-16 has zero bytes. */
function foreignFormat(start: Buffer, mayHaveZeros: boolean): string | null {
  const found = formats.find(([bytes]) => startsWith(start, bytes));
  if (found !== undefined) return `it is ${found[1]}; ${found[2]}`;
  if (/^(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|\?xml|table)/i.test(start.toString("latin1", 0, 100)))
    return `it is HTML or XML; ${SPREADSHEET}`;
  return !mayHaveZeros && start.includes(0) ? `it is a binary file, not text; ${SPREADSHEET}` : null;
}

// Decodes the bytes of a table: by its byte order mark, as UTF-16 without one by its zero bytes, otherwise as
// UTF-8. A line that is not UTF-8 is read as windows-1252, in which every byte is valid, so that no name is
// lost: files are often concatenated from others.

/** No row is longer, so a longer line is rejected; its bytes need not be kept together. */
const MAX_LINE_BYTES = 4 * 1024 ** 2;
const [LF, CR] = [0x0a, 0x0d];
const windows1252 = new TextDecoder("windows-1252");

interface Decoding {
  /** The encoding, as TextDecoder names it; null: detected. */
  readonly encoding: string | null;
  /** Lines that were read as windows-1252. */
  readonly onMislabelled?: (lines: number) => void;
}

async function* decode(
  bytes: AsyncIterable<Buffer>,
  { encoding, onMislabelled = () => {} }: Decoding,
): AsyncGenerator<string> {
  let decoder: TextDecoder | null = encoding === null ? null : decoderOf(encoding);
  let isFirst = true;
  let rest: Buffer = Buffer.alloc(0);
  const begin = (start: Buffer): Buffer => {
    decoder ??= markedDecoder(start);
    const foreign = foreignFormat(start, decoder !== null);
    if (foreign !== null) throw new CsvError(foreign);
    return decoder === null && hasUtf8Mark(start) ? start.subarray(3) : start;
  };
  for await (const chunk of bytes) {
    let piece = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    rest = piece.subarray(piece.length);
    if (isFirst) {
      // Too few bytes to detect the encoding.
      if (piece.length < 4) {
        rest = piece;
        continue;
      }
      piece = begin(piece);
      isFirst = false;
    }
    if (decoder !== null) {
      yield decoded(decoder, piece);
      continue;
    }
    const end = Math.max(piece.lastIndexOf(LF), piece.lastIndexOf(CR)) + 1;
    const cut = end === 0 && piece.length > MAX_LINE_BYTES ? piece.length : end;
    rest = piece.subarray(cut);
    if (cut > 0) yield textOf(piece.subarray(0, cut), onMislabelled);
  }
  if (isFirst) rest = begin(rest);
  if (decoder !== null) yield decoded(decoder, rest) + decoded(decoder, null);
  else if (rest.length > 0) yield textOf(rest, onMislabelled);
}

function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new CsvError(
      `there is no encoding '${encoding}'; use utf-8, utf-16le, windows-1252 or another encoding of the WHATWG standard`,
    );
  }
}

function decoded(decoder: TextDecoder, piece: Buffer | null): string {
  try {
    return piece === null ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch {
    throw new CsvError(`it is not encoded in ${decoder.encoding}; give another encoding`);
  }
}

const hasUtf8Mark = (start: Buffer): boolean => start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf;

/** The first cells of a table are short words, so in UTF-16 every second byte is zero. */
function markedDecoder(start: Buffer): TextDecoder | null {
  if (start[0] === 0xff && start[1] === 0xfe) return decoderOf("utf-16le");
  if (start[0] === 0xfe && start[1] === 0xff) return decoderOf("utf-16be");
  const [a, b, c, d] = [start[0] !== 0, start[1] !== 0, start[2] !== 0, start[3] !== 0];
  if (a && !b && c && !d) return decoderOf("utf-16le");
  return !a && b && !c && d ? decoderOf("utf-16be") : null;
}

/** Whole lines. */
function textOf(piece: Buffer, onMislabelled: (lines: number) => void): string {
  if (isAscii(piece)) return piece.toString("latin1");
  if (isUtf8(piece)) return piece.toString("utf8");
  let text = "";
  let mislabelled = 0;
  for (let from = 0; from < piece.length; ) {
    const [lf, cr] = [piece.indexOf(LF, from), piece.indexOf(CR, from)];
    const end = lf === -1 ? (cr === -1 ? piece.length - 1 : cr) : cr === -1 ? lf : Math.min(lf, cr);
    const line = piece.subarray(from, end + 1);
    if (isUtf8(line)) text += line.toString("utf8");
    else {
      text += windows1252.decode(line);
      mislabelled += 1;
    }
    from = end + 1;
  }
  onMislabelled(mislabelled);
  return text;
}

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
