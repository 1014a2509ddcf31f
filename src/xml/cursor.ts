/**
 * The position of the parser in a text that arrives in slices, with line and column. Reads characters, white
 * space, names and references. It never reads beyond a slice: a token that is not complete returns NOT_YET,
 * and is read again from its start with the next slice.
 */
import {
  CARRIAGE_RETURN,
  CR,
  FORBIDDEN,
  HASH,
  isCharacter,
  isHighHalf,
  isLowHalf,
  isNamePart,
  isNameStart,
  isSpace,
  LF,
  LINE_FEED,
  PAIR,
  PLAIN,
  SEMICOLON,
  STOP,
  type Stops,
} from "./characters.ts";
import { XmlError, XmlRefused } from "./errors.ts";

/** Resolves references: "&amp;", "&#38;", "&#x26;". There are no others without a document type. */
const DECIMAL = /^#\d+$/;
const SMALL_X = 0x78;

/** The code unit or code point, surrogates included; NaN if it is not a number. */
function codeOf(body: string): number {
  if (body.startsWith("#") && body.charCodeAt(1) === SMALL_X) return Number(`0x${body.slice(2)}`);
  return DECIMAL.test(body) ? Number(body.slice(1)) : Number.NaN;
}

/** Takes what is between "&" and ";". null: not a reference that XML defines. */
function referenced(body: string): string | null {
  switch (body) {
    case "amp":
      return "&";
    case "lt":
      return "<";
    case "gt":
      return ">";
    case "quot":
      return '"';
    case "apos":
      return "'";
    default: {
      const code = codeOf(body);
      return isCharacter(code) ? String.fromCodePoint(code) : null;
    }
  }
}

const isHalfReferenced = (body: string): boolean => isHighHalf(codeOf(body));

/**
 * Old Java clients (Axis 1.x) write a character beyond U+FFFF as references to its two surrogates, which XML
 * forbids: "&#xD83D;&#xDE00;" for 😀. The meaning is unambiguous, and these clients will not change.
 */
function referencedInHalves(high: string, low: string): string | null {
  const [first, second] = [codeOf(high), codeOf(low)];
  return isHighHalf(first) && isLowHalf(second) ? String.fromCharCode(first, second) : null;
}

export const NOT_YET = -1;

/** Real names are far shorter. */
const MAX_NAME = 1024;

export class Cursor {
  /** The slice, after what was not consumed of the one before. */
  text = "";
  at = 0;
  /** The rest is left for the next slice: half a line end, half a surrogate pair. */
  end = 0;
  /** Characters consumed before this text. */
  #before = 0;
  #line = 1;
  #lineStart = 0;

  begin(): void {
    this.text = "";
    this.at = 0;
    this.end = 0;
    this.#before = 0;
    this.#line = 1;
    this.#lineStart = 0;
  }
  /** Adds a slice to what is left. */
  take(slice: string): void {
    this.#before += this.at;
    this.text = this.at === this.text.length ? slice : this.text.slice(this.at) + slice;
    this.at = 0;
    const last = this.text.charCodeAt(this.text.length - 1);
    this.end = last === CR || isHighHalf(last) ? this.text.length - 1 : this.text.length;
  }
  /** To be called after the last slice. */
  finish(): void {
    this.end = this.text.length;
  }

  get position(): number {
    return this.#before + this.at;
  }
  get line(): number {
    return this.#line;
  }

  fail(what: string): never {
    throw new XmlError(what, this.#line, this.position - this.#lineStart + 1);
  }

  begins(text: string): boolean {
    return this.text.startsWith(text, this.at);
  }

  /** Advances to the next stop character, and returns it. */
  scan(stops: Stops): number {
    const { text, end } = this;
    for (let at = this.at; at < end; at += 1) {
      const code = text.charCodeAt(at);
      const kind = code < 128 ? stops[code] : code < 0xd800 ? PLAIN : this.#kindBeyond(code, at);
      if (kind === PLAIN) continue;
      if (kind === PAIR) at += 1;
      else if (kind === LINE_FEED || kind === CARRIAGE_RETURN) this.#lineEnds(code, at);
      else {
        this.at = at;
        if (kind === STOP) return code;
        this.fail(`${shown(code)} is not a character that XML can carry`);
      }
    }
    this.at = end;
    return NOT_YET;
  }
  /** Of a code from U+D800. */
  #kindBeyond(code: number, at: number): number {
    if (code >= 0xe000) return code <= 0xfffd ? PLAIN : FORBIDDEN;
    return isHighHalf(code) && isLowHalf(this.text.charCodeAt(at + 1)) ? PAIR : FORBIDDEN;
  }
  /** A carriage return before a line feed does not end a line. */
  #lineEnds(code: number, at: number): void {
    if (code === CR && this.text.charCodeAt(at + 1) === LF) return;
    this.#line += 1;
    this.#lineStart = this.#before + at + 1;
  }

  /** Advances over one character; "\r\n" counts as one. */
  step(): void {
    const code = this.text.charCodeAt(this.at);
    if (code === CR && this.text.charCodeAt(this.at + 1) === LF) this.at += 1;
    if (code === CR || code === LF) this.#lineEnds(LF, this.at);
    this.at += 1;
  }
  /** Advances over white space, and returns the code of the next character. */
  spaces(): number {
    while (this.at < this.end) {
      const code = this.text.charCodeAt(this.at);
      if (!isSpace(code)) return code;
      this.step();
    }
    return NOT_YET;
  }

  /** Advances to a position. */
  over(to: number): void {
    while (this.at < to) this.step();
  }

  /** Where the name ends that begins there. */
  nameEnd(from: number, whose: string): number {
    const { text, end } = this;
    let at = from;
    while (at < end) {
      const code = text.charCodeAt(at);
      const point = isHighHalf(code) ? (text.codePointAt(at) ?? 0) : code;
      if (!(at === from ? isNameStart(point) : isNamePart(point))) break;
      at += point > 0xffff ? 2 : 1;
    }
    if (at - from > MAX_NAME) throw new XmlRefused(`${whose} name is longer than ${MAX_NAME} characters.`);
    if (at === end) return NOT_YET;
    if (at === from) {
      this.at = from;
      this.fail(`${whose} name must come here, and ${shown(text.codePointAt(at) ?? 0)} cannot begin one`);
    }
    return at;
  }

  /** Reads a reference, and returns what it stands for; null: it is not complete yet. */
  reference(): string | null {
    const first = this.#referenceEnd(this.at);
    if (first === NOT_YET) return null;
    const body = this.text.slice(this.at + 1, first);
    let meant = referenced(body);
    let last = first;
    if (meant === null && isHalfReferenced(body)) {
      const next = this.text.slice(first + 1, first + 3);
      if (next.length < 2 && "&#".startsWith(next)) return null;
      if (next === "&#") {
        last = this.#referenceEnd(first + 1);
        if (last === NOT_YET) return null;
        meant = referencedInHalves(body, this.text.slice(first + 2, last));
      }
    }
    if (meant === null) this.fail(this.#unknown(body));
    this.at = last + 1;
    return meant;
  }
  #unknown(body: string): string {
    return body.startsWith("#")
      ? `&${body.slice(0, 20)}; is not a character that XML can carry`
      : `&${body.slice(0, 20)}; is not defined: without a document type there are &lt; &gt; &amp; &apos; &quot; only`;
  }
  #referenceEnd(from: number): number {
    const start = this.text.charCodeAt(from + 1) === HASH ? from + 2 : from + 1;
    let at = start;
    while (at < this.end && isNamePart(this.text.charCodeAt(at))) at += 1;
    if (at - from > MAX_NAME) throw new XmlRefused(`A reference is longer than ${MAX_NAME} characters.`);
    if (at >= this.end) return NOT_YET;
    if (at === start || this.text.charCodeAt(at) !== SEMICOLON)
      this.fail("& must be written as &amp;, or begin a reference such as &lt;");
    return at;
  }
}

/** The character itself if a response can contain it. */
const shown = (code: number): string =>
  isCharacter(code) && !isSpace(code)
    ? String.fromCodePoint(code)
    : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
