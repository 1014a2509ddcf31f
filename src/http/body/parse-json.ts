/**
 * The JSON of a request as a value. JSON.parse runs in one go, while all other requests wait: 4 MiB of nested
 * brackets take it two seconds, and 4 MiB of names one (measured). Such text is refused before it is parsed.
 */
import { Fault } from "../../contract/faults.ts";

export const MOST_LEVELS = 32;
export const MOST_VALUES = 100_000;

const invalid = (text: string): Fault => new Fault("InvalidMessage", text);

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Refuses text with too many levels or values. Whether it is JSON at all, the parser decides. */
function requireSimple(text: string): void {
  let [levels, values] = [0, 1];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) levels += 1;
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

/** As a name, however it is escaped. Code that copies an object with this name would set its prototype. */
const PROTOTYPE =
  /"(?:_|\\u005f){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006f)(?:t|\\u0074)(?:o|\\u006f)(?:_|\\u005f){2}"\s*:/i;

/** Throws InvalidMessage. */
export function parseJson(text: string): unknown {
  requireSimple(text);
  if (PROTOTYPE.test(text)) throw invalid('The name "__proto__" is not allowed in the body.');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(`The body is not valid JSON: ${(error as Error).message}.`);
  }
  if (SUSPICIOUS.test(text) && !isStorable(value))
    throw invalid("A text in the body contains the character U+0000, or half of a surrogate pair.");
  return value;
}

/** Escapes of characters that a database cannot store. */
const SUSPICIOUS = /\\u(?:0000|d[89a-f])/i;

function isStorable(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member));
}
