/**
 * The JSON of a request as a value. JSON.parse runs in one go, while all other requests wait: 4 MiB of nested
 * brackets take it two seconds, and 4 MiB of names one (measured). Such text is refused before it is parsed.
 */
import { Fault } from "../../contract/faults.ts";

export const MOST_LEVELS = 32;
export const MOST_VALUES = 100_000;

const invalid = (text: string): Fault => new Fault("InvalidMessage", text);

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Refuses text with too many levels or values, or with a name that must not be used. Whether it is JSON at
 * all, the parser decides. Not a regular expression: the text may be long, and nothing else runs meanwhile.
 */
function requireSimple(text: string): void {
  let [levels, values] = [0, 1];
  let last = { from: 0, to: 0 };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      last = { from: at + 1, to: endOfText(text, at) };
      at = last.to;
    } else if (code === COLON) {
      if (isPrototype(text, last)) throw invalid('The name "__proto__" is not allowed in the body.');
    } else if (code === OPEN_ARRAY || code === OPEN_OBJECT) levels += 1;
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) levels -= 1;
    else if (code === COMMA) values += 1;
    if (levels > MOST_LEVELS)
      throw invalid(`The body is nested deeper than ${MOST_LEVELS} levels, at character ${at + 1}.`);
    if (values > MOST_VALUES)
      throw invalid(`The body contains more than ${MOST_VALUES} values. Send it in several requests.`);
  }
}

/** Where the text that begins with the quotation mark at `start` has its other one. */
function endOfText(text: string, start: number): number {
  for (let at = start; ; ) {
    at = text.indexOf('"', at + 1);
    if (at === -1) return text.length;
    let first = at;
    while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((at - first) % 2 === 0) return at;
  }
}

/** However it is escaped. Code that copies an object with this name would set its prototype. */
const PROTOTYPE =
  /^(?:_|\\u005f){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006f)(?:t|\\u0074)(?:o|\\u006f)(?:_|\\u005f){2}$/i;
const LONGEST_PROTOTYPE = String.raw`\u005f`.length * "__proto__".length;
const isPrototype = (text: string, { from, to }: { readonly from: number; readonly to: number }): boolean =>
  (text[from] === "_" || text[from] === "\\") &&
  to - from <= LONGEST_PROTOTYPE &&
  PROTOTYPE.test(text.slice(from, to));

/** Throws InvalidMessage. */
export function parseJson(text: string): unknown {
  requireSimple(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(`The body is not valid JSON: ${(error as Error).message}.`);
  }
  // Only an escape can be a character that a database cannot store.
  if (text.includes(String.raw`\u`) && !isStorable(value))
    throw invalid("A text in the body contains the character U+0000, or half of a surrogate pair.");
  return value;
}

function isStorable(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member));
}
