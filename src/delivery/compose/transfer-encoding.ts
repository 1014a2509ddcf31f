/**
 * Encodes the text of a part for transfer: quoted-printable, or base64 where that is much shorter. Written
 * for speed: one pass over the bytes, into a buffer that is used again. Lines have at most 76 characters and
 * end with CRLF, whatever line breaks the text has.
 */

const LITERAL = 0;
const ESCAPED = 1;
const BLANK = 2;
/** The F of "From ", which some programs change at the start of a line. */
const START = 3;
const CR = 13;
const LF = 10;
const EQUALS = 61;
const LETTER_F = 70;
/** Without the = of a soft line break. */
const LINE_LENGTH = 75;
const ESCAPE_LENGTH = 3;
const BASE64_LINE = 76;

const kinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === 32 || byte === 9) return BLANK;
  if (byte === LETTER_F) return START;
  return byte > 32 && byte < 127 && byte !== EQUALS ? LITERAL : ESCAPED;
});
const hexDigits = Buffer.from("0123456789ABCDEF");
const high = Uint8Array.from({ length: 256 }, (_, byte) => hexDigits[byte >> 4] ?? 0);
const low = Uint8Array.from({ length: 256 }, (_, byte) => hexDigits[byte & 15] ?? 0);
/** How many more bytes the character has that starts with this byte in UTF-8. */
const following = (byte: number): number => (byte < 0xc0 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3);

export interface EncodedPart {
  readonly encoding: "quoted-printable" | "base64";
  /** Ends with CRLF. Valid until the next part is encoded. */
  readonly bytes: Uint8Array;
}

let scratch = Buffer.allocUnsafe(256 * 1024);

/** Whether the bytes at `from` are "From ". */
const isFromLine = (source: Uint8Array, from: number): boolean =>
  source[from + 1] === 114 && source[from + 2] === 111 && source[from + 3] === 109 && source[from + 4] === 32;

function quotedPrintable(source: Uint8Array): Uint8Array {
  const end = source.length;
  const longest = end * ESCAPE_LENGTH + Math.ceil(end / 8) * ESCAPE_LENGTH + 2;
  if (scratch.length < longest) scratch = Buffer.allocUnsafe(longest);
  const target = scratch;
  let length = 0;
  let column = 0;
  let index = 0;
  while (index < end) {
    const byte = source[index] as number;
    const kind = kinds[byte] as number;
    if (kind === LITERAL && column < LINE_LENGTH) {
      target[length] = byte;
      length += 1;
      column += 1;
      index += 1;
      continue;
    }
    if (byte === LF || (byte === CR && source[index + 1] === LF)) {
      index += byte === CR ? 2 : 1;
      target[length] = CR;
      target[length + 1] = LF;
      length += 2;
      column = 0;
      continue;
    }
    const next = source[index + 1];
    const isLiteral =
      kind === LITERAL ||
      (kind === BLANK && next !== undefined && next !== LF && next !== CR) ||
      (kind === START && !((column === 0 || column === LINE_LENGTH) && isFromLine(source, index)));
    if (column + (isLiteral ? 1 : ESCAPE_LENGTH * (1 + following(byte))) > LINE_LENGTH) {
      target[length] = EQUALS;
      target[length + 1] = CR;
      target[length + 2] = LF;
      length += ESCAPE_LENGTH;
      column = 0;
    }
    index += 1;
    if (isLiteral) {
      target[length] = byte;
      length += 1;
      column += 1;
    } else {
      target[length] = EQUALS;
      target[length + 1] = high[byte] as number;
      target[length + 2] = low[byte] as number;
      length += ESCAPE_LENGTH;
      column += ESCAPE_LENGTH;
    }
  }
  if (column > 0 || length === 0) {
    target[length] = CR;
    target[length + 1] = LF;
    length += 2;
  }
  return target.subarray(0, length);
}

function base64(text: string): Uint8Array {
  const digits = Buffer.from(text.replaceAll(/\r\n|\r|\n/g, "\r\n")).toString("base64");
  const lines: string[] = [];
  for (let from = 0; from < digits.length; from += BASE64_LINE)
    lines.push(digits.slice(from, from + BASE64_LINE));
  return Buffer.from(`${lines.join("\r\n")}\r\n`, "latin1");
}

/** Above this share of bytes outside of ASCII, base64 is much shorter. */
const MOSTLY_FOREIGN = 1 / 3;

export function encodePart(text: string): EncodedPart {
  const source = Buffer.from(text);
  // A character outside of ASCII has more bytes in UTF-8 than units in UTF-16.
  if ((source.length - text.length) * 2 > source.length * MOSTLY_FOREIGN)
    return { encoding: "base64", bytes: base64(text) };
  return { encoding: "quoted-printable", bytes: quotedPrintable(source) };
}
