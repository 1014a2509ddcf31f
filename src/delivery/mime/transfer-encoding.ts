/**
 * Encodes the text of a part for transfer: quoted-printable, or base64 where that is much shorter. Written
 * for speed: one pass over the bytes, into memory that is used again. Lines have at most 76 characters and
 * end with CRLF, whatever line breaks the text has.
 */

const LITERAL = 0;
/** An F or a dot: escaped at the start of a line, see `isRiskyStart`. */
const START = 1;
const ESCAPED = 2;
const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const DOT = 46;
const EQUALS = 61;
const LETTER_F = 70;
/** Without the = of a soft line break. */
const LINE_LENGTH = 75;
const ESCAPE_LENGTH = 3;
const BASE64_LINE = 76;

const kinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === LETTER_F || byte === DOT) return START;
  return byte === TAB || (byte >= SPACE && byte < 127 && byte !== EQUALS) ? LITERAL : ESCAPED;
});
const hexDigits = Buffer.from("0123456789ABCDEF");
const high = Uint8Array.from({ length: 256 }, (_, byte) => hexDigits[byte >> 4] ?? 0);
const low = Uint8Array.from({ length: 256 }, (_, byte) => hexDigits[byte & 15] ?? 0);
/** How many more bytes the character has that starts with this byte in UTF-8. */
const following = (byte: number): number => (byte < 0xc0 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3);

interface EncodedPart {
  readonly encoding: "quoted-printable" | "base64";
  /** Ends with CRLF. Valid until the encoder is used again. */
  readonly bytes: Uint8Array;
}

/**
 * Whether what begins at `from`, with a byte of the kind START, must not be at the start of a line: some
 * programs change a "From " there, and SMTP would have to double a dot.
 */
const isRiskyStart = (source: Uint8Array, from: number): boolean =>
  source[from] === DOT ||
  (source[from + 1] === 114 &&
    source[from + 2] === 111 &&
    source[from + 3] === 109 &&
    source[from + 4] === 32);

const isBlank = (byte: number | undefined): boolean => byte === SPACE || byte === TAB;

/** Most bytes are copied here. Returns how many. */
function copyLiterals(source: Uint8Array, from: number, to: number, target: Uint8Array, at: number): number {
  let index = from;
  const distance = at - from;
  for (; index < to; index += 1) {
    const byte = source[index] as number;
    if (kinds[byte] !== LITERAL) break;
    target[index + distance] = byte;
  }
  return index - from;
}

/**
 * Writes the text to the target, as whole lines, and returns their length. `isContinued`: the last one is
 * joined with the next that follows.
 */
function quotedPrintable(source: Uint8Array, target: Uint8Array, isContinued: boolean): number {
  const end = source.length;
  let length = 0;
  let column = 0;
  let index = 0;
  const breakLine = (): void => {
    target[length] = EQUALS;
    target[length + 1] = CR;
    target[length + 2] = LF;
    length += 3;
    column = 0;
  };
  const writeEscaped = (byte: number): void => {
    target[length] = EQUALS;
    target[length + 1] = high[byte] as number;
    target[length + 2] = low[byte] as number;
    length += ESCAPE_LENGTH;
    column += ESCAPE_LENGTH;
  };
  /** A blank at the end of a line would get lost. */
  const endLine = (): void => {
    const last = target[length - 1] as number;
    if (column > 0 && isBlank(last)) {
      length -= 1;
      column -= 1;
      if (column + ESCAPE_LENGTH > LINE_LENGTH) breakLine();
      writeEscaped(last);
    }
    target[length] = CR;
    target[length + 1] = LF;
    length += 2;
    column = 0;
  };
  while (index < end) {
    const copied = copyLiterals(source, index, Math.min(end, index + LINE_LENGTH - column), target, length);
    index += copied;
    length += copied;
    column += copied;
    if (index === end) break;
    const byte = source[index] as number;
    if (byte === LF || (byte === CR && source[index + 1] === LF)) {
      index += byte === CR ? 2 : 1;
      endLine();
      continue;
    }
    const kind = kinds[byte] as number;
    const isEscaped =
      kind === ESCAPED ||
      (kind === START && (column === 0 || column === LINE_LENGTH) && isRiskyStart(source, index));
    const width = isEscaped ? ESCAPE_LENGTH * (1 + following(byte)) : 1;
    if (column + width > LINE_LENGTH) breakLine();
    if (isEscaped) writeEscaped(byte);
    else {
      target[length] = byte;
      length += 1;
      column += 1;
    }
    index += 1;
  }
  if (!isContinued && (column > 0 || length === 0)) endLine();
  else if (column > 0) breakLine();
  return length;
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

/** A shorter text is as quickly encoded as found. */
const LEAST_SHARED = 200;
const NEWLINE = Buffer.from("\r\n");

interface SharedText {
  readonly text: string;
  /** Whole lines. */
  readonly encoded: Uint8Array;
  /** Whether its last line is joined with the next. */
  readonly isContinued: boolean;
}

/**
 * Encodes one part after the other, in the same memory: new memory for each would cost more time. Long texts
 * that the parts share, in this order, are encoded once: a soft line break before and after makes their lines
 * independent of the rest. A part may lack some of them.
 */
export class PartEncoder {
  readonly #shared: readonly SharedText[];
  #source = Buffer.allocUnsafe(0);
  #target = Buffer.allocUnsafe(0);

  constructor(shared: readonly string[] = []) {
    this.#shared = shared
      // A line break must not be divided.
      .filter((text) => text.length >= LEAST_SHARED && !text.endsWith("\r"))
      .map((text) => {
        this.#reserve(Buffer.byteLength(text), 1);
        const encoded = Buffer.from(this.#target.subarray(0, this.#append(text, 0, true)));
        return { text, encoded, isContinued: encoded.at(-3) === EQUALS };
      });
  }

  encode(text: string): EncodedPart {
    const size = Buffer.byteLength(text);
    // A character outside of ASCII has more bytes in UTF-8 than units in UTF-16.
    if ((size - text.length) * 2 > size * MOSTLY_FOREIGN) return { encoding: "base64", bytes: base64(text) };
    this.#reserve(size, 2 * this.#shared.length + 1);
    let length = 0;
    let from = 0;
    let isContinued = true;
    for (const shared of this.#shared) {
      const at = text.indexOf(shared.text, from);
      if (at < 0 || text[at - 1] === "\r") continue;
      length = this.#append(text.slice(from, at), length, true);
      this.#target.set(shared.encoded, length);
      length += shared.encoded.length;
      from = at + shared.text.length;
      ({ isContinued } = shared);
    }
    if (from < text.length) length = this.#append(text.slice(from), length, false);
    else if (isContinued) length += NEWLINE.copy(this.#target, length);
    return { encoding: "quoted-printable", bytes: this.#target.subarray(0, length) };
  }

  #reserve(size: number, pieces: number): void {
    const longest = (size + Math.ceil(size / 8) + pieces) * ESCAPE_LENGTH;
    if (this.#target.length >= longest) return;
    this.#source = Buffer.allocUnsafe(size);
    this.#target = Buffer.allocUnsafe(longest);
  }
  /** Returns the length after it. */
  #append(text: string, length: number, isContinued: boolean): number {
    const size = this.#source.write(text);
    const target = length === 0 ? this.#target : this.#target.subarray(length);
    return length + quotedPrintable(this.#source.subarray(0, size), target, isContinued);
  }
}
