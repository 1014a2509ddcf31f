/**
 * Names within sentences. Users type them, in any script: a name that is written from right to left, or that
 * contains a mark which turns the direction, must not turn the words after it. Elements do this by the
 * stylesheet; this is for plain text, which is also in titles, labels and options.
 */

/** Scripts from right to left, and the marks that turn the direction of the text. */
const TURNS = /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/;
const ISOLATE_MARKS = /[\u2066-\u2069]/g;
const FIRST_STRONG_ISOLATE = "\u2068";
const POP_ISOLATE = "\u2069";

/** The text itself if it turns nothing. */
export const isolated = (name: string): string =>
  TURNS.test(name) ? `${FIRST_STRONG_ISOLATE}${name.replaceAll(ISOLATE_MARKS, "")}${POP_ISOLATE}` : name;

export const quoted = (name: string): string => `“${isolated(name)}”`;
