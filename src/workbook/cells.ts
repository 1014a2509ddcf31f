/**
 * What the cells of a sheet say, as text, and the names of sheets: dates as ISO 8601 writes them, numbers
 * with all their digits.
 */

/** What a number stands for. `padded`: it is shown with leading zeros, like a postal code. */
export type NumberKind = { readonly kind: "number" | "date" | "time" } | { readonly padded: number };

const NUMBER: NumberKind = { kind: "number" };
const DATE: NumberKind = { kind: "date" };
const TIME: NumberKind = { kind: "time" };

/** The formats without a code of their own. Those of East Asia are dates, too. */
const builtIn: readonly (readonly [from: number, to: number, kind: NumberKind])[] = [
  [14, 17, DATE],
  [18, 21, TIME],
  [22, 22, DATE],
  [27, 36, DATE],
  [45, 47, TIME],
  [50, 58, DATE],
];

/** A workbook has none that is longer. */
const MAX_CODE = 255;

/** Hours that do not end at 24. */
const ELAPSED = /\[(?:h|hh|m|mm|s|ss)\]/i;
/**
 * What is shown as it stands: quoted, escaped, or the width of a character. In brackets: colours, locales.
 */
const LITERAL = /"[^"]*"|\\.|_.|\*.|\[[^[\]]*\]/g;

/** `code`: such as dd/mm/yyyy; null: the format is built in. */
export function numberKind(id: number, code: string | null): NumberKind {
  if (code === null) return builtIn.find(([from, to]) => id >= from && id <= to)?.[2] ?? NUMBER;
  if (ELAPSED.test(code)) return TIME;
  const [positive = ""] = code.slice(0, MAX_CODE).replace(LITERAL, "").toLowerCase().split(";", 1);
  if (/^0{2,}$/.test(positive)) return { padded: positive.length };
  if (/[yd]/.test(positive)) return DATE;
  // An m is a month, unless it is beside hours or seconds.
  return /[hs]/.test(positive) ? TIME : positive.includes("m") ? DATE : NUMBER;
}

const DAY_SECONDS = 86_400;
/** Days before 1970. Workbooks of old Macs count from 1904. */
const [EPOCH_1900, EPOCH_1904] = [25_569, 24_107];
/** 9999-12-31, as days since 1970. */
const LAST_DAY = 2_932_896;
/** Counting from 1900, this day is 29 February 1900, which did not exist: the days before it are one off. */
const NO_SUCH_DAY = 60;

/** null: it is no moment of the calendar. */
function momentText(serial: number, is1904: boolean, kind: "date" | "time"): string | null {
  const seconds = Math.round(serial * DAY_SECONDS);
  const [day, rest] = [Math.floor(seconds / DAY_SECONDS), seconds % DAY_SECONDS];
  if (!(serial >= 0) || (!is1904 && day === NO_SUCH_DAY)) return null;
  const missing = !is1904 && day < NO_SUCH_DAY ? 1 : 0;
  const since1970 = day + missing - (is1904 ? EPOCH_1904 : EPOCH_1900);
  if (since1970 > LAST_DAY) return null;
  const time = new Date(rest * 1000).toISOString().slice(11, 19);
  if (kind === "time") return day === 0 ? time : null;
  const date = new Date(since1970 * DAY_SECONDS * 1000).toISOString().slice(0, 10);
  return rest === 0 ? date : `${date} ${time}`;
}

/** Spreadsheets calculate with 15 digits; the rest of a fraction is the error of its binary form. */
const DIGITS = 15;

/** A telephone number must not become 4.91761234567E+12. */
function plainNumber(text: string): string {
  if (/^-?\d+$/.test(text)) return text;
  const number = Number(text);
  if (!Number.isFinite(number)) return text;
  return Number.isInteger(number) && Math.abs(number) < 1e21
    ? BigInt(number).toString()
    : String(Number(number.toPrecision(DIGITS)));
}

export function numberText(text: string, format: NumberKind, is1904: boolean): string {
  if ("padded" in format) return plainNumber(text).padStart(format.padded, "0");
  if (format.kind === "number" || text.trim() === "") return plainNumber(text);
  return momentText(Number(text), is1904, format.kind) ?? plainNumber(text);
}

const ESCAPED = /_x([0-9A-Fa-f]{4})_/g;
/** Characters that XML does not have, such as a carriage return, are written as _x000D_. */
export const unescaped = (text: string): string =>
  text.includes("_x")
    ? text.replace(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;

const LETTERS = 26;
/** The column of a reference such as AB12, from 0; null: it names none. */
export function columnIn(reference: string): number | null {
  let column = 0;
  for (let at = 0; at < reference.length; at += 1) {
    const letter = reference.charCodeAt(at) - 64;
    if (letter < 1 || letter > LETTERS) break;
    column = column * LETTERS + letter;
  }
  return column === 0 ? null : column - 1;
}

const MAX_NAMED = 5;
/** Excel has no longer names. */
const MAX_NAME = 31;
/** For messages, which people read and jobs keep: what has an address is data of a person. */
export const namesOfSheets = (names: readonly string[]): string =>
  names
    .slice(0, MAX_NAMED)
    .map((name) => `'${name.includes("@") ? "…" : name.slice(0, MAX_NAME)}'`)
    .join(", ") + (names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "");
