/**
 * Decodes the bytes of a table: by its byte order mark, as UTF-16 without one by its zero bytes, otherwise as
 * UTF-8. A line that is not UTF-8 is read as windows-1252, in which every byte is valid, so that no name is
 * lost: files are often concatenated from others.
 */
import { isAscii, isUtf8 } from "node:buffer";
import { TextDecoder } from "node:util";
import { CsvError } from "./csv-error.ts";
import { foreignFormat } from "./foreign-format.ts";

/** No row is longer, so a longer line is rejected; its bytes need not be kept together. */
const MAX_LINE_BYTES = 4 * 1024 ** 2;
const [LF, CR] = [0x0a, 0x0d];
const windows1252 = new TextDecoder("windows-1252");

export interface Decoding {
  /** The encoding, as TextDecoder names it; null: detected. */
  readonly encoding: string | null;
  /** Lines that were read as windows-1252. */
  readonly onMislabelled?: (lines: number) => void;
}

export async function* decode(
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
    throw new CsvError(`it is not encoded in ${decoder.encoding}; give another --encoding`);
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
