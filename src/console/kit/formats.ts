/**
 * Numbers, dates and times for one reader: by the languages that the browser accepts, and in the time zone of
 * the user. The texts of the console are English whatever the language.
 */
import { isTimeZone } from "#domain/calendar.ts";
import { type Html, html } from "#html/html.ts";

const FALLBACK = "en-GB";
export const DEFAULT_TIME_ZONE = "UTC";
/** Of combinations of language and time zone; clients can send any. */
const MAX_CACHED = 64;
/** A browser sends a few. */
const MAX_LANGUAGES = 10;

export type Formats = ReturnType<typeof make>;

/** The first language that is supported, in order of preference. */
export function localeOf(acceptLanguage: string | undefined): string {
  const asked = (acceptLanguage ?? "")
    .split(",", MAX_LANGUAGES)
    .map((part) => {
      const [tag = "", ...parameters] = part.trim().split(";");
      const quality = parameters.map((one) => /^\s*q=([\d.]+)$/.exec(one)?.[1]).find(Boolean);
      return { tag: tag.trim(), quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ tag, quality }) => tag !== "" && tag.length <= 35 && quality > 0)
    .sort((one, other) => other.quality - one.quality);
  return asked.map(({ tag }) => supported(tag)).find((tag) => tag !== null) ?? FALLBACK;
}

function supported(tag: string): string | null {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag)[0] ?? null;
  } catch {
    return null;
  }
}

const cache = new Map<string, Formats>();

export function formatsFor(acceptLanguage: string | undefined, timeZone: string | null): Formats {
  const locale = localeOf(acceptLanguage);
  const zone = timeZone !== null && isTimeZone(timeZone) ? timeZone : DEFAULT_TIME_ZONE;
  const key = `${locale} ${zone}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  if (cache.size >= MAX_CACHED) cache.clear();
  const made = make(locale, zone);
  cache.set(key, made);
  return made;
}

const SECOND_MS = 1000;
const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 365 * 86_400 * SECOND_MS],
  ["month", 30 * 86_400 * SECOND_MS],
  ["day", 86_400 * SECOND_MS],
  ["hour", 3600 * SECOND_MS],
  ["minute", 60 * SECOND_MS],
];
const byteUnits = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

function make(locale: string, timeZone: string) {
  const number = new Intl.NumberFormat(locale);
  const change = new Intl.NumberFormat(locale, { signDisplay: "exceptZero" });
  const percent = new Intl.NumberFormat(locale, {
    ...{ style: "percent", maximumFractionDigits: 1 },
    // A small share is not shown as none.
    ...{ maximumSignificantDigits: 1, roundingPriority: "morePrecision" },
  });
  const date = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone });
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone });
  // A style cannot be combined with a zone name, so this one is only used for its name.
  const zone = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: "short" });
  const zoneName = (at: number): string =>
    zone.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? timeZone;
  const day = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
  const shortDay = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });
  // The words are English, as the sentences around them.
  const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  return {
    locale,
    timeZone,
    number: (value: number | bigint): string => number.format(value),
    /** Such as "1 list" and "1,200 lists". */
    count: (value: number, one: string, many = `${one}s`): string =>
      `${number.format(value)} ${value === 1 ? one : many}`,
    /** With its sign, such as +12. */
    change: (value: number): string => change.format(value),
    /** 0.25 is 25 %. */
    percent: (ratio: number): string => percent.format(ratio),
    /** Such as 12.3 MB. */
    bytes: (count: number): string => {
      const unit = count < 1 ? 0 : Math.min(Math.floor(Math.log10(count) / 3), byteUnits.length - 1);
      return new Intl.NumberFormat(locale, {
        style: "unit",
        unit: byteUnits[unit] ?? "byte",
        // The short form of a byte has no plural.
        unitDisplay: unit === 0 ? "long" : "short",
        maximumFractionDigits: 1,
      }).format(count / 1000 ** unit);
    },
    /** Of a time in milliseconds: its day. */
    date: (at: number): string => date.format(at),
    /** Of a time in milliseconds: its day and time. */
    dateTime: (at: number): string => dateTime.format(at),
    /** With the name of the time zone, such as CET: for a time at which something will happen. */
    zonedDateTime: (at: number): string => `${dateTime.format(at)} ${zoneName(at)}`,
    /** A calendar day, which has no time zone: such as 2026-11-01. */
    day: (isoDate: string): string => day.format(Date.parse(`${isoDate}T00:00:00Z`)),
    /** A calendar day of this year or the last, for the axis of a chart: such as 1 Nov. */
    shortDay: (isoDate: string): string => shortDay.format(Date.parse(`${isoDate}T00:00:00Z`)),
    /** Such as "3 minutes ago". */
    ago: (at: number, now: number): string => {
      const [unit, length] = steps.find(([, ms]) => Math.abs(now - at) >= ms) ?? ["second", SECOND_MS];
      return unit === "second" ? "just now" : relative.format(-Math.round((now - at) / length), unit);
    },
    /** `date` and `dateTime` as elements that programs can read, too. */
    dateElement: (at: number): Html => timeElement(at, date),
    time: (at: number): Html => timeElement(at, dateTime),
  };
}

const timeElement = (at: number, format: Intl.DateTimeFormat): Html =>
  html`<time datetime="${new Date(at).toISOString()}">${format.format(at)}</time>`;
