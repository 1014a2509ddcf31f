/**
 * The JSON of a request as a value. JSON.parse runs in one go, while all other requests wait: 4 MiB of nested
 * brackets take it two seconds, and 4 MiB of names one (measured). Such text is refused before it is parsed.
 */
import { Fault } from "#contract/faults.ts";

export const MAX_LEVELS = 32;
export const MAX_VALUES = 100_000;
/** Of one object. An object with many more is slow to build, and nothing that we read has so many. */
const MAX_NAMES = 1000;
/** Of a body whose names are not looked at: many different ones are slow to parse. */
const MAX_MEMBERS = 50_000;

const invalid = (text: string): Fault => new Fault("InvalidMessage", text);

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Refuses text with too many levels or values, with a name that must not be used, and with two members of one
 * name: the parser would take the last one, and another program the first. Whether it is JSON at all, the
 * parser decides. Not a regular expression: the text may be long, and nothing else runs meanwhile.
 */
function requireSimple(text: string, isTolerant: boolean): void {
  let values = 1;
  /** The names in each object or array that is open; null before the first one. */
  const open: (Set<string> | null)[] = [];
  let members = 0;
  let last = { start: 0, end: 0 };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      last = { start: at, end: endOfText(text, at) };
      at = last.end;
    } else if (code === OPEN_ARRAY || code === OPEN_OBJECT) open.push(null);
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) open.pop();
    else if (code === COMMA) values += 1;
    else if (code === COLON && isTolerant) {
      members += 1;
      if (members > MAX_MEMBERS) throw invalid(`The body contains more than ${MAX_MEMBERS} members.`);
    } else if (code === COLON && open.length > 0) {
      const name = nameIn(text.slice(last.start, last.end + 1));
      // Code that copies an object with this name would set its prototype.
      if (name === "__proto__") throw invalid('The name "__proto__" is not allowed in the body.');
      const names = open.at(-1) ?? new Set();
      open[open.length - 1] = names;
      if (names.has(name))
        throw invalid(
          `The body has a member twice in the same object, at character ${last.start + 1}: ${JSON.stringify(name.slice(0, MAX_SHOWN))}. Remove one of them.`,
        );
      names.add(name);
      if (names.size > MAX_NAMES)
        throw invalid(`An object in the body has more than ${MAX_NAMES} members, at character ${at + 1}.`);
    }
    if (open.length > MAX_LEVELS)
      throw invalid(`The body is nested deeper than ${MAX_LEVELS} levels, at character ${at + 1}.`);
    if (values > MAX_VALUES)
      throw invalid(`The body contains more than ${MAX_VALUES} values. Send it in several requests.`);
  }
}

const MAX_SHOWN = 100;
/** A name may be written with escapes. */
function nameIn(quoted: string): string {
  if (!quoted.includes("\\")) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}

/** Where the text that begins with the quotation mark at `start` has its other one. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    // Whatever follows is a part of the text.
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}

interface JsonOptions {
  /**
   * For a writer that nobody can correct, and that passes on texts of others: names and texts may be
   * anything. The caller copies no object, and cleans what it stores. The limits stay.
   */
  readonly isTolerant?: boolean;
}

/** Throws InvalidMessage. */
export function parseJson(text: string, { isTolerant = false }: JsonOptions = {}): unknown {
  requireSimple(text, isTolerant);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(`The body is not valid JSON: ${(error as Error).message}.`);
  }
  // Only an escape can be a character that a database cannot store.
  if (!isTolerant && text.includes(String.raw`\u`) && !isStorable(value))
    throw invalid("A text in the body contains the character U+0000, or half of a surrogate pair.");
  return value;
}

function isStorable(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0");
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member));
}
