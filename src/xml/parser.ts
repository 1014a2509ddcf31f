/**
 * A streaming (SAX) parser for XML 1.0 (fifth edition) with namespaces. It gets its text in slices, without a
 * byte order mark, and calls a listener. It throws an XmlError at the first error. Document types are not
 * accepted, so there are no entity declarations, and nothing is ever fetched.
 *
 * The cost is linear in the text, wherever it is cut. What may be long (text, values, comments, white space)
 * is consumed as it arrives; what is limited in length (names, references, the first characters of markup)
 * waits until it is complete, and is then read again from its start.
 */
import { AttributeParser } from "./attribute-parser.ts";
import { EXCLAMATION, GREATER, isSpace, LESS, QUESTION, SLASH } from "./characters.ts";
import { Cursor, NOT_YET } from "./cursor.ts";
import { cut, XmlRefused } from "./errors.ts";
import { NamespaceScope } from "./namespace-scope.ts";
import { Runs } from "./runs.ts";
import { type StartTag, TagReader } from "./start-tag.ts";

export interface XmlListener {
  open(tag: StartTag): void;
  close(): void;
  /** A part of the text of the last opened element; the parts of one text are consecutive. */
  text(part: string): void;
}

/** Real messages are far less deep. */
const MAX_DEPTH = 64;
const MAX_DECLARATION = 1024;

/** The states of the parser; each has a method that continues from there. */
type Place = "start" | "content" | "start tag" | "end tag" | "comment" | "cdata" | "instruction";

const quoted = (value: string): string => `[ \t\r\n]*=[ \t\r\n]*(?:"${value}"|'${value}')`;
const DECLARATION = new RegExp(
  `^<\\?xml[ \t\r\n]+version${quoted(String.raw`1\.[0-9]+`)}(?:[ \t\r\n]+encoding${quoted("[A-Za-z][A-Za-z0-9._-]*")})?(?:[ \t\r\n]+standalone${quoted("(?:yes|no)")})?[ \t\r\n]*\\?>$`,
);

export class XmlParser {
  readonly #listener: XmlListener;
  readonly #cursor = new Cursor();
  readonly #runs: Runs;
  readonly #scope = new NamespaceScope();
  readonly #tag = new TagReader(this.#scope);
  readonly #attributes = new AttributeParser(this.#cursor, this.#tag);
  /** The names of the open elements. */
  readonly #open: string[] = [];
  #hasRoot = false;
  #place: Place = "start";

  constructor(listener: XmlListener) {
    this.#listener = listener;
    this.#runs = new Runs(this.#cursor, listener);
  }

  /** Discards the state of the previous document. */
  begin(): void {
    this.#cursor.begin();
    this.#scope.clear();
    this.#open.length = 0;
    this.#hasRoot = false;
    this.#place = "start";
  }

  write(slice: string): void {
    this.#cursor.take(slice);
    this.#read();
  }

  end(): void {
    const cursor = this.#cursor;
    cursor.finish();
    this.#read();
    if (cursor.at < cursor.end || (this.#place !== "content" && this.#place !== "start"))
      cursor.fail("the document breaks off");
    if (this.#open.length > 0) cursor.fail(`<${cut(this.#open.at(-1) ?? "")}> is not closed`);
    if (!this.#hasRoot) cursor.fail("there is no root element");
  }

  #read(): void {
    const cursor = this.#cursor;
    while (cursor.at < cursor.end) if (!this.#goOn()) return;
  }

  /** False: the next token is not complete yet. */
  #goOn(): boolean {
    switch (this.#place) {
      case "content":
        return this.#open.length === 0 ? this.#outside() : this.#runs.text() && this.#markup();
      case "start tag":
        return this.#inStartTag();
      case "end tag":
        return this.#inEndTag();
      case "comment":
        return this.#runs.comment() && this.#go("content", 0);
      case "cdata":
        return this.#runs.cdata() && this.#go("content", 0);
      case "instruction":
        return this.#runs.instruction() && this.#go("content", 0);
      default:
        return this.#start();
    }
  }

  // Outside and between elements

  #start(): boolean {
    const cursor = this.#cursor;
    const start = cursor.text.slice(cursor.at, cursor.at + 6);
    if (start.length < 6 && "<?xml ".startsWith(start)) return false;
    if (!start.startsWith("<?xml") || !isSpace(start.charCodeAt(5))) return this.#go("content", 0);
    const end = cursor.text.indexOf("?>", cursor.at) + 2;
    const declaration = end === 1 ? cursor.text : cursor.text.slice(cursor.at, end);
    if (end === 1 && declaration.length <= MAX_DECLARATION) return false;
    if (!DECLARATION.test(declaration))
      cursor.fail('the XML declaration must be like <?xml version="1.0" encoding="utf-8"?>');
    cursor.over(end);
    return this.#go("content", 0);
  }

  #outside(): boolean {
    const code = this.#cursor.spaces();
    if (code === LESS) return this.#markup();
    if (code === NOT_YET) return false;
    return this.#cursor.fail(`there is text ${this.#hasRoot ? "behind" : "before"} the root element`);
  }

  // What begins with "<"

  #markup(): boolean {
    const { text, at, end } = this.#cursor;
    if (at + 1 >= end) return false;
    switch (text.charCodeAt(at + 1)) {
      case SLASH:
        return this.#endTag();
      case EXCLAMATION:
        return this.#section();
      case QUESTION:
        return this.#instruction();
      default:
        return this.#startTag();
    }
  }

  #section(): boolean {
    const cursor = this.#cursor;
    if (cursor.begins("<!--")) return this.#go("comment", 4);
    if (cursor.begins("<![CDATA[")) {
      if (this.#open.length === 0) cursor.fail("CDATA must be within the root element");
      return this.#go("cdata", 9);
    }
    if (cursor.begins("<!DOCTYPE")) {
      if (this.#hasRoot) cursor.fail("a document type must be before the root element");
      throw new XmlRefused("A document type declaration (DTD) is not accepted; leave it out.");
    }
    const start = cursor.text.slice(cursor.at, cursor.end);
    if (["<!--", "<![CDATA[", "<!DOCTYPE"].some((whole) => whole.startsWith(start))) return false;
    return cursor.fail("<! must begin a comment, <!-- -->, or CDATA, <![CDATA[ ]]>");
  }

  #instruction(): boolean {
    const cursor = this.#cursor;
    const { text, at } = cursor;
    const end = cursor.nameEnd(at + 2, "An instruction's");
    if (end === NOT_YET) return false;
    const target = text.slice(at + 2, end);
    if (target.toLowerCase() === "xml") cursor.fail("<?xml must be the very first characters");
    if (target.includes(":")) cursor.fail("an instruction's name must not have a colon");
    if (!isSpace(text.charCodeAt(end)) && !text.startsWith("?>", end)) {
      if (text.charCodeAt(end) === QUESTION && end + 1 >= cursor.end) return false;
      cursor.fail("white space is missing behind an instruction's name");
    }
    return this.#go("instruction", end - at);
  }

  // Elements

  #startTag(): boolean {
    const cursor = this.#cursor;
    const from = cursor.at + 1;
    const end = cursor.nameEnd(from, "An element's");
    if (end === NOT_YET) return false;
    if (this.#open.length === 0 && this.#hasRoot) cursor.fail("there is a second root element");
    this.#tag.begin(cursor.text.slice(from, end));
    // Most elements have no attributes.
    const code = cursor.text.charCodeAt(end);
    if (code === GREATER) return this.#opened(end + 1, false);
    if (code === SLASH && cursor.text.charCodeAt(end + 1) === GREATER) return this.#opened(end + 2, true);
    this.#attributes.begin();
    return this.#go("start tag", end - cursor.at);
  }

  #inStartTag(): boolean {
    return this.#attributes.read() && this.#opened(this.#cursor.at, this.#attributes.isSelfClosing);
  }

  /** The tag ends before `end`. */
  #opened(end: number, isSelfClosing: boolean): boolean {
    const tag = this.#tag;
    this.#cursor.at = end;
    const wrong = tag.resolve();
    if (wrong !== null) this.#cursor.fail(wrong);
    if (this.#open.length === MAX_DEPTH)
      throw new XmlRefused(`Elements are nested more than ${MAX_DEPTH} deep.`);
    tag.isSelfClosing = isSelfClosing;
    tag.line = this.#cursor.line;
    tag.end = this.#cursor.position;
    this.#open.push(tag.name);
    this.#scope.open();
    this.#hasRoot = true;
    this.#place = "content";
    this.#listener.open(tag);
    return isSelfClosing ? this.#closed() : true;
  }

  #endTag(): boolean {
    const cursor = this.#cursor;
    const { text, at, end } = cursor;
    const name = this.#open.at(-1);
    if (name === undefined) return cursor.fail("there is an end tag, and no element is open");
    const behind = at + 2 + name.length;
    if (text.startsWith(name, at + 2)) {
      if (behind >= end) return false;
      const code = text.charCodeAt(behind);
      if (code === GREATER) {
        cursor.at = behind + 1;
        return this.#closed();
      }
      if (isSpace(code)) return this.#go("end tag", behind - at);
    } else if (behind > end && name.startsWith(text.slice(at + 2, end))) return false;
    return cursor.fail(`</${cut(name)}> must come here`);
  }

  #inEndTag(): boolean {
    const code = this.#cursor.spaces();
    if (code === NOT_YET) return false;
    if (code !== GREATER) this.#cursor.fail("an end tag must end with >");
    this.#cursor.at += 1;
    return this.#closed();
  }

  #closed(): boolean {
    this.#open.pop();
    this.#scope.close();
    this.#place = "content";
    this.#listener.close();
    return true;
  }

  #go(place: Place, over: number): true {
    this.#place = place;
    this.#cursor.at += over;
    return true;
  }
}
