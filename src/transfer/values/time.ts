/** Times as users and spreadsheets write them: a date or a dateTime, in UTC if it has no offset. */
import { dateTime, LexicalError } from "#contract/xsd.ts";
import { isSetDate, parseDate } from "#domain/calendar.ts";

/** An offset may lead to a year that a dateTime cannot represent. */
const [FIRST_MS, LAST_MS] = [Date.parse("0001-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")];
/** Without seconds. */
const MINUTES = /^\d\d:\d\d(?:$|Z|[+-])/;

/** Milliseconds since 1970, or null. A space may replace the T, and the seconds are optional. */
export function readTime(given: string): number | null {
  const text = given.trim();
  const [date, time] = [text.slice(0, 10), text.slice(11)];
  const full = MINUTES.test(time) ? `${time.slice(0, 5)}:00${time.slice(5)}` : time;
  try {
    const { epochMs } = dateTime.read(text.charAt(10) === " " || full !== time ? `${date}T${full}` : text);
    return epochMs >= FIRST_MS && epochMs <= LAST_MS ? epochMs : null;
  } catch (error) {
    if (error instanceof LexicalError) return null;
    throw error;
  }
}

/** Day before month, or month before day: 3/4/2026 is ambiguous. */
export const dateOrders = ["dmy", "mdy"] as const;
export type DateOrder = (typeof dateOrders)[number];

/** 3.4.2026: no country writes it with the month first. */
export const isDotted = (text: string): boolean => /^\s*\d{1,2}\./.test(text);

const SLASHED =
  /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})(?:,? +(\d{1,2}):(\d\d)(?::(\d\d))?(?: ?([AP])\.?M\.?)?)?$/i;
const YEAR_FIRST = /^\d{4}-/;
/** Whether a date is written in an order that needs no explanation. */
export const isYearFirst = (text: string): boolean => /^\s*\d{4}[-/]\d/.test(text) && isSet(text);
export const isSet = (text: string): boolean =>
  isSetDate(/^(\d{4}-\d\d-\d\d)(?:[ T]|$)/.exec(text.trim())?.[1] ?? "");

/** A day of the year, as in Mailchimp's birthdays. */
const WITHOUT_YEAR = /^\d{1,2}[./-]\d{1,2}\.?$/;
/** As programs in Go print a time: 2022-02-03 09:14:22.118204 +0000 UTC. */
const OF_GO = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d{1,9})? ([+-]\d\d)(\d\d) [A-Z0-9+-]{1,5}$/;
const LEAST_OF_GO = "2022-02-03 09:14:22 +0000 Z".length;
/** As Sendy does: 2026/04/19, 03:05PM. */
const YEAR_FIRST_TIME = /^(\d{4})\/(\d\d)\/(\d\d), (\d\d):(\d\d)([AP])M$/;

/** Converts a spreadsheet date to ISO 8601; any other text is returned unchanged. */
export function toIsoDate(text: string, order: DateOrder | null): string {
  if (YEAR_FIRST.test(text)) return text.length < LEAST_OF_GO ? text : text.replace(OF_GO, "$1T$2$3:$4");
  const match = order === null ? null : SLASHED.exec(text.trim());
  if (match === null)
    return text
      .trim()
      .replace(YEAR_FIRST_TIME, (_, year, month, day, hour, minute, half) => {
        const hours = (Number(hour) % 12) + (half === "P" ? 12 : 0);
        return `${year}-${month}-${day}T${String(hours).padStart(2, "0")}:${minute}:00`;
      })
      .replace(/^(\d{4})\/(\d\d)\/(\d\d)(?!\d)/, "$1-$2-$3");
  const [, first = "", second = "", year, hour, minute = "00", seconds = "00", half] = match;
  const [day, month] = order === "dmy" ? [first, second] : [second, first];
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  if (hour === undefined) return date;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  return `${date}T${String(hours).padStart(2, "0")}:${minute}:${seconds}`;
}

const LIKELY = /^\s*(\d{1,2})[/.-](\d{1,2})[/.-]\d{4}/;
const MONTHS = 12;

/** The result of `orderOf` for a valid date at a tenth of the cost, because millions of cells are checked. */
export function likelyOrder(text: string): DateOrder | "either" | null {
  const match = LIKELY.exec(text);
  if (match === null) return null;
  const [first, second] = [Number(match[1]), Number(match[2])];
  if (first <= MONTHS && second <= MONTHS) return first === second ? null : "either";
  return second <= MONTHS ? "dmy" : first <= MONTHS ? "mdy" : null;
}

/** The date order that a cell implies: one of them, either, or null if it is not such a date. */
export function orderOf(text: string): DateOrder | "either" | null {
  if (!SLASHED.test(text.trim())) return null;
  const [dmy, mdy] = dateOrders.map((order) => parseDate(toIsoDate(text, order)));
  if (dmy === mdy) return null;
  return mdy === null ? "dmy" : dmy === null ? "mdy" : "either";
}

const SHORT_YEAR = /^\d{1,2}[/.-]\d{1,2}[/.-]\d\d(?!\d)/;

/** Why a text is not a date, to follow the text; `example` is a valid one. */
export function dateProblem(text: string, order: DateOrder | null, example: string): string {
  if (SHORT_YEAR.test(text.trim())) return "has a two-digit year; use four digits";
  if (WITHOUT_YEAR.test(text.trim())) return "has no year";
  if (!SLASHED.test(text.trim())) return `is not a date such as ${example}`;
  return order === null
    ? "is ambiguous; give the order of its day and month, dmy or mdy"
    : `is not a date with the ${order === "dmy" ? "day" : "month"} first`;
}
