/** Calendar dates without a time: `yyyy-mm-dd`, compared as text; and days, as numbers. */

const TIME = "T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?";
const OFFSET = "Z|[+-](?:(?:0\\d|1[0-3]):[0-5]\\d|14:00)";
const DATE = new RegExp(`^(\\d{4})-(\\d\\d)-(\\d\\d)(?:${TIME})?(?:${OFFSET})?$`);

/** `yyyy-mm-dd`, or a dateTime of which the date as written counts; null if there is no such day. */
export function parseDate(text: string): string | null {
  const match = text.length <= 100 ? DATE.exec(text.trim()) : null;
  if (match === null) return null;
  const [, year, month, day] = match;
  const date = `${year}-${month}-${day}`;
  const moment = new Date(`${date}T00:00:00Z`);
  return Number(year) > 0 && !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(date)
    ? date
    : null;
}

/** What databases, .NET, Delphi and spreadsheets, and "never" write where a date is not set. */
const notSet: ReadonlySet<string> = new Set(["0000-00-00", "0001-01-01", "1899-12-30", "9999-12-31"]);
export const isSetDate = (date: string): boolean => !notSet.has(date);

export const dateOf = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 10);

export const DAY_MS = 86_400_000;
/** The day of a time in UTC, counted from 1970-01-01. */
export const dayOf = (epochMs: number): number => Math.floor(epochMs / DAY_MS);
export const dateOfDay = (day: number): string => dateOf(day * DAY_MS);

/** Time zones by the names of the IANA database, such as Europe/Berlin. */
export function isTimeZone(name: string): boolean {
  // Node also takes offsets, which do not know summer time.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** Browsers have newer names than the list to choose from, such as Asia/Kolkata: the one in the list. */
export const listedTimeZone = (name: string): string =>
  new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;

/** To choose from. */
export const timeZones = (): readonly string[] => ["UTC", ...Intl.supportedValuesOf("timeZone")];
