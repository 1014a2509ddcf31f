/** Reads the attributes of a start tag, from behind its name to its end, wherever its text was cut. */
import {
  AMPERSAND,
  DOUBLE_QUOTE,
  EQUALS,
  GREATER,
  isSpace,
  LESS,
  SINGLE_QUOTE,
  SLASH,
  stopsAt,
} from "./characters.ts";
import { type Cursor, NOT_YET } from "./cursor.ts";
import { cut, XmlRefused } from "./errors.ts";
import { LongText } from "./long-text.ts";
import type { TagReader } from "./start-tag.ts";

/** Real messages have far fewer. */
const MAX_ATTRIBUTES = 64;

const IN_DOUBLE_QUOTES = stopsAt('"<&\t\n\r');
const IN_SINGLE_QUOTES = stopsAt("'<&\t\n\r");

/** The states; each has a method that continues from there. */
type Place = "seam" | "attribute" | "equals sign" | "quote" | "value" | "end";

export class AttributeParser {
  readonly #cursor: Cursor;
  readonly #tag: TagReader;
  #place: Place = "seam";
  /** Of the tag that was read to its end. */
  isSelfClosing = false;
  /** Of the attribute that is being read. */
  #name = "";
  #quote = 0;
  readonly #value = new LongText();

  constructor(cursor: Cursor, tag: TagReader) {
    this.#cursor = cursor;
    this.#tag = tag;
  }

  begin(): void {
    this.#place = "seam";
    this.#value.clear();
  }

  /** Returns whether the end of the tag was reached. */
  read(): boolean {
    const cursor = this.#cursor;
    while (cursor.at < cursor.end) {
      if (!this.#goOn()) return false;
      if (this.#place === "end") return true;
    }
    return false;
  }

  /** False: the next token is not complete yet. */
  #goOn(): boolean {
    switch (this.#place) {
      case "seam":
        return this.#seam();
      case "attribute":
        return this.#attribute();
      case "equals sign":
        return this.#equalsSign();
      case "quote":
        return this.#openingQuote();
      default:
        return this.#inValue();
    }
  }

  /** After a name or a value: another attribute needs white space before it. */
  #seam(): boolean {
    const code = this.#cursor.text.charCodeAt(this.#cursor.at);
    if (!isSpace(code) && code !== GREATER && code !== SLASH)
      this.#cursor.fail("white space, > or /> must come here");
    return this.#go("attribute", 0);
  }

  #attribute(): boolean {
    const cursor = this.#cursor;
    switch (cursor.spaces()) {
      case NOT_YET:
        return false;
      case GREATER:
        this.isSelfClosing = false;
        return this.#go("end", 1);
      case SLASH:
        if (cursor.at + 1 >= cursor.end) return false;
        if (!cursor.begins("/>")) cursor.fail("> must come behind /");
        this.isSelfClosing = true;
        return this.#go("end", 2);
      default:
        return this.#attributeName();
    }
  }

  #attributeName(): boolean {
    const cursor = this.#cursor;
    const end = cursor.nameEnd(cursor.at, "An attribute's");
    if (end === NOT_YET) return false;
    if (this.#tag.count === MAX_ATTRIBUTES)
      throw new XmlRefused(`An element has more than ${MAX_ATTRIBUTES} attributes.`);
    this.#name = cursor.text.slice(cursor.at, end);
    return this.#go("equals sign", end - cursor.at);
  }

  #equalsSign(): boolean {
    const code = this.#cursor.spaces();
    if (code === NOT_YET) return false;
    if (code !== EQUALS) this.#cursor.fail(`= must come behind the attribute's name ${cut(this.#name)}`);
    return this.#go("quote", 1);
  }

  #openingQuote(): boolean {
    const code = this.#cursor.spaces();
    if (code === NOT_YET) return false;
    if (code !== DOUBLE_QUOTE && code !== SINGLE_QUOTE)
      this.#cursor.fail(`the value of ${cut(this.#name)} must be in quotes`);
    this.#quote = code;
    return this.#go("value", 1);
  }

  #inValue(): boolean {
    const cursor = this.#cursor;
    const stops = this.#quote === DOUBLE_QUOTE ? IN_DOUBLE_QUOTES : IN_SINGLE_QUOTES;
    let from = cursor.at;
    let code = cursor.scan(stops);
    // Each white-space character, and each line end, becomes a space.
    while (isSpace(code)) {
      if (cursor.at > from) this.#value.add(cursor.text.slice(from, cursor.at));
      this.#value.add(" ");
      cursor.step();
      from = cursor.at;
      code = cursor.scan(stops);
    }
    if (cursor.at > from) this.#value.add(cursor.text.slice(from, cursor.at));
    switch (code) {
      case this.#quote:
        return this.#valueEnds();
      case AMPERSAND: {
        const meant = cursor.reference();
        if (meant !== null) this.#value.add(meant);
        return meant !== null;
      }
      case LESS:
        return cursor.fail(`< in the value of ${cut(this.#name)} must be written as &lt;`);
      default:
        return false;
    }
  }

  #valueEnds(): boolean {
    const wrong = this.#tag.add(this.#name, this.#value.take());
    if (wrong !== null) this.#cursor.fail(wrong);
    return this.#go("seam", 1);
  }

  #go(place: Place, over: number): true {
    this.#place = place;
    this.#cursor.at += over;
    return true;
  }
}
