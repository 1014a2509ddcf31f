/**
 * What may be long between tags: text, CDATA, comments and processing instructions. Each is consumed to its
 * end or to the end of the slice, except for the last characters that may belong to a token that follows.
 * Text is reported in parts.
 */
import { AMPERSAND, BRACKET, CR, GREATER, HYPHEN, LESS, LF, QUESTION, stopsAt } from "./characters.ts";
import type { Cursor } from "./cursor.ts";

const IN_TEXT = stopsAt("<&>\r");
const IN_CDATA = stopsAt(">\r");
const IN_COMMENT = stopsAt("-");
const IN_INSTRUCTION = stopsAt(">");

export interface TextListener {
  text(part: string): void;
}

/** Each method returns whether the end was reached. */
export class Runs {
  readonly #cursor: Cursor;
  readonly #listener: TextListener;

  constructor(cursor: Cursor, listener: TextListener) {
    this.#cursor = cursor;
    this.#listener = listener;
  }

  /** Up to the next markup. */
  text(): boolean {
    const cursor = this.#cursor;
    let from = cursor.at;
    while (true)
      switch (cursor.scan(IN_TEXT)) {
        case LESS:
          this.#tell(from, cursor.at);
          return true;
        case AMPERSAND: {
          this.#tell(from, cursor.at);
          const meant = cursor.reference();
          if (meant === null) return false;
          this.#listener.text(meant);
          from = cursor.at;
          break;
        }
        case CR:
          from = this.#tellLine(from);
          break;
        case GREATER:
          if (this.#areBracketsBefore(cursor.at, from)) cursor.fail("]]> in text must be written as ]]&gt;");
          cursor.at += 1;
          break;
        default:
          return this.#tellAllButBrackets(from);
      }
  }

  cdata(): boolean {
    const cursor = this.#cursor;
    let from = cursor.at;
    while (true)
      switch (cursor.scan(IN_CDATA)) {
        case CR:
          from = this.#tellLine(from);
          break;
        case GREATER:
          cursor.at += 1;
          if (!this.#areBracketsBefore(cursor.at - 1, from)) break;
          this.#tell(from, cursor.at - 3);
          return true;
        default:
          return this.#tellAllButBrackets(from);
      }
  }

  comment(): boolean {
    const cursor = this.#cursor;
    while (cursor.scan(IN_COMMENT) === HYPHEN) {
      const { text, at, end } = cursor;
      if (cursor.begins("-->")) {
        cursor.at = at + 3;
        return true;
      }
      if (at + 1 >= end || (text.charCodeAt(at + 1) === HYPHEN && at + 2 >= end)) return false;
      if (text.charCodeAt(at + 1) === HYPHEN) cursor.fail("-- must not be in a comment");
      cursor.at = at + 1;
    }
    return false;
  }

  instruction(): boolean {
    const cursor = this.#cursor;
    const from = cursor.at;
    while (cursor.scan(IN_INSTRUCTION) === GREATER) {
      cursor.at += 1;
      if (cursor.at - 2 >= from && cursor.text.charCodeAt(cursor.at - 2) === QUESTION) return true;
    }
    if (cursor.at > from && cursor.text.charCodeAt(cursor.at - 1) === QUESTION) cursor.at -= 1;
    return false;
  }

  #tell(from: number, to: number): void {
    if (to > from) this.#listener.text(this.#cursor.text.slice(from, to));
  }
  /**
   * At a carriage return, which alone or with a line feed becomes one line feed. Returns where the next part
   * begins.
   */
  #tellLine(from: number): number {
    const cursor = this.#cursor;
    const { at, text } = cursor;
    if (text.charCodeAt(at + 1) === LF) {
      this.#tell(from, at);
      cursor.at = at + 1;
    } else {
      this.#listener.text(`${text.slice(from, at)}\n`);
      cursor.step();
    }
    return cursor.at;
  }
  /** At the end of a slice: "]]>" may be cut in it. */
  #tellAllButBrackets(from: number): false {
    const cursor = this.#cursor;
    let { at } = cursor;
    while (at > from && cursor.at - at < 2 && cursor.text.charCodeAt(at - 1) === BRACKET) at -= 1;
    cursor.at = at;
    this.#tell(from, at);
    return false;
  }
  #areBracketsBefore(at: number, from: number): boolean {
    const { text } = this.#cursor;
    return at - 2 >= from && text.charCodeAt(at - 1) === BRACKET && text.charCodeAt(at - 2) === BRACKET;
  }
}
