/**
 * The tags, filters and operators that templates may use, each with what bounds its cost. The time of a
 * rendering is checked between two steps, so a single step must be short whatever it is given: texts, lists
 * and ranges have a largest size, and so has a text that is searched for. What Liquid itself does without a
 * bound is replaced here: `date`, `sort`, `contains` and ranges.
 */
import {
  type Context,
  defaultOperators,
  evalTokenValue,
  type FilterImplOptions,
  type Liquid,
  type Operators,
  type RangeToken,
  type Template,
  TokenKind,
  TypeGuards,
  toValue,
  toValueSync,
  Value,
} from "liquidjs";

/** Of a text that is given to a filter or made by one, in characters. */
export const MAX_TEXT = 100_000;
/** Of a list or a range. */
export const MAX_ITEMS = 10_000;
/** A text that is searched for: searching takes the product of both lengths. */
export const MAX_SEARCHED = 1000;
export const MAX_DATE_FORMAT = 100;
export const MAX_DATE_CODES = 20;

/**
 * - `constant`: it looks at no text as a whole.
 * - `size`: it reads its texts and lists once, and their size is limited.
 * - `search`: the same; what it searches for, its first argument, has a limit of its own.
 * - `sort`: it compares the items of a list, whose number is limited.
 * - `format`: the length of the format and the number of its codes are limited.
 */
export const filterBounds = {
  default: "constant",
  upcase: "size",
  downcase: "size",
  capitalize: "size",
  strip: "size",
  lstrip: "size",
  rstrip: "size",
  truncate: "size",
  truncatewords: "size",
  append: "size",
  prepend: "size",
  replace: "search",
  replace_first: "search",
  remove: "search",
  remove_first: "search",
  slice: "size",
  split: "search",
  join: "size",
  first: "constant",
  last: "constant",
  size: "constant",
  reverse: "size",
  sort: "sort",
  uniq: "size",
  plus: "size",
  minus: "size",
  times: "size",
  divided_by: "size",
  modulo: "size",
  round: "size",
  ceil: "size",
  floor: "size",
  abs: "size",
  at_least: "size",
  at_most: "size",
  date: "format",
  url_encode: "size",
  escape: "constant",
  escape_once: "constant",
} as const;
/**
 * - `steps`: it reads values, and the time is checked before each.
 * - `items`: the time is checked for each item of a list, whose number is limited.
 * - `none`: it does nothing when a message is made.
 *
 * Without `raw`: what it contains would be neither checked nor escaped.
 */
export const tagBounds = {
  assign: "steps",
  if: "steps",
  elsif: "steps",
  else: "none",
  endif: "none",
  unless: "steps",
  endunless: "none",
  case: "steps",
  when: "steps",
  endcase: "none",
  for: "items",
  endfor: "none",
  break: "none",
  continue: "none",
  comment: "none",
  endcomment: "none",
  "#": "none",
} as const;
export const filterNames: readonly string[] = Object.keys(filterBounds);
export const tagNames: readonly string[] = Object.keys(tagBounds);

function checkSize(what: string, value: unknown): void {
  if (typeof value === "string" && value.length > MAX_TEXT)
    throw new Error(
      `${what} has a text of ${value.length} characters; at most ${MAX_TEXT} are allowed. Shorten it.`,
    );
  if (Array.isArray(value) && value.length > MAX_ITEMS)
    throw new Error(
      `${what} has a list of ${value.length} items; at most ${MAX_ITEMS} are allowed. Shorten it.`,
    );
}
function checkSearched(what: string, searched: unknown): void {
  if (typeof searched === "string" && searched.length > MAX_SEARCHED)
    throw new Error(
      `${what} searches for a text of ${searched.length} characters; at most ${MAX_SEARCHED} are allowed. Shorten it.`,
    );
}

interface Call {
  readonly context: Context;
}
type Run = (this: Call, value: unknown, ...args: unknown[]) => unknown;

/** Every output is escaped anyway; twice would show entities. */
const same: Run = (value) => value;
const own: Readonly<Record<string, Run>> = {
  escape: same,
  escape_once: same,
  date: (value, format, minutes) => formattedDate(toValue(value), toValue(format), toValue(minutes)),
  // Without a property to sort by: items are texts and numbers, which have none.
  sort: (value) => listOf(toValue(value)).toSorted(order),
};
const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];
const order = (one: unknown, other: unknown): number => {
  const [a, b] = [one as string, other as string];
  return a < b ? -1 : a > b ? 1 : 0;
};

/** Leaves an engine with these tags and filters only, and bounds them. */
export function allowOnly({ tags, filters }: Liquid): void {
  for (const name of Object.keys(tags)) if (!tagNames.includes(name)) delete tags[name];
  const given = { ...filters };
  for (const name of Object.keys(filters)) delete filters[name];
  for (const [name, bound] of Object.entries(filterBounds))
    filters[name] = bounded(name, bound, own[name] ?? (given[name] as Run)) as FilterImplOptions;
}

function bounded(name: string, bound: (typeof filterBounds)[keyof typeof filterBounds], run: Run): Run {
  const what = `The filter "${name}"`;
  // Liquid's own filters count what they make.
  const isOwn = run === own[name];
  return function (value, ...args) {
    const { renderLimit, memoryLimit } = this.context;
    renderLimit.check(performance.now());
    for (const given of [value, ...args]) checkSize(what, given);
    if (bound === "search") checkSearched(what, toText(args[0]));
    const result = run.call(this, value, ...args);
    checkSize(what, result);
    if (isOwn && (typeof result === "string" || Array.isArray(result))) memoryLimit.use(result.length);
    return result;
  };
}
/** As Liquid makes a text of a list that is searched for. */
const toText = (value: unknown): unknown => (Array.isArray(value) ? value.join("") : value);

export const operators: Operators = {
  ...defaultOperators,
  contains: (given: unknown, searched: unknown, context: Context) => {
    const what = 'The operator "contains"';
    const text = toValue(given);
    checkSize(what, text);
    if (typeof text === "string") checkSearched(what, toText(toValue(searched)));
    return (defaultOperators.contains as NonNullable<Operators[string]>)(text, searched, context);
  },
};

/**
 * Bounds the ranges of parsed templates. Liquid counts from one end to the other in steps of 1, which beyond
 * 2^53 change nothing: it would never end.
 */
export function boundRanges(templates: readonly Template[]): void {
  for (const template of templates) {
    for (const argument of template.arguments?.() ?? []) boundIn(argument);
    boundRanges((toValueSync(template.children?.(false, true) ?? []) as Template[] | undefined) ?? []);
  }
}
function boundIn(given: unknown): void {
  if (given instanceof Value) {
    for (const token of given.initial.postfix) boundIn(token);
    for (const { args } of given.filters) for (const arg of args) boundIn(Array.isArray(arg) ? arg[1] : arg);
  } else if (TypeGuards.isRangeToken(given)) boundRange(given);
  else if (TypeGuards.isPropertyAccessToken(given)) for (const part of given.props) boundIn(part);
}
function boundRange(range: RangeToken): void {
  const { lhs, rhs } = range;
  boundIn(lhs);
  boundIn(rhs);
  // A value of several steps, as Liquid reads those in parentheses.
  const checked = {
    kind: TokenKind.FilteredValue,
    filters: [],
    initial: {
      *evaluate(context: Context): Generator<unknown, unknown> {
        const from = Number(yield evalTokenValue(lhs, context));
        const to = Number(yield evalTokenValue(rhs, context));
        if (!(to - from < MAX_ITEMS && Math.abs(from) < 2 ** 31 && Math.abs(to) < 2 ** 31))
          throw new Error(
            `A range from ${from} to ${to} is not possible: at most ${MAX_ITEMS} numbers are allowed. Shorten it.`,
          );
        return to;
      },
    },
  };
  range.rhs = checked as unknown as RangeToken["rhs"];
}

// Dates: as strftime formats them, in English.

const DEFAULT_FORMAT = "%A, %B %-e, %Y at %-l:%M %P %z";
const MINUTE = 60_000;
const months = "January February March April May June July August September October November December".split(
  " ",
);
const days = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

interface ShownDate {
  /** Its parts in UTC are those to show. */
  readonly shown: Date;
  readonly time: number;
  /** How far UTC is ahead, in minutes. */
  readonly behind: number;
  /** Whether the value names its time zone. */
  readonly hasZone: boolean;
}

/** Longer texts are no dates. */
const MAX_DATE = 100;
/** An offset follows a time of day, and has at most 14 hours: other digits at the end are a year. */
const ZONE = /(?:Z|:\d{2}(?:\.\d+)?\s*(?:[ap]m\s*)?(?:GMT|UTC)?([+-])(0\d|1[0-4]):?([0-5]\d))$/i;
const ISO_DATE = /^\d{4}(?:-\d{2}(?:-\d{2})?)?$/;

/** A date without a time zone is shown as it is written, in whatever zone the machine is. */
function readDate(value: unknown, minutes: unknown): ShownDate | null {
  const at = (time: number, behind: number, hasZone = true): ShownDate | null => {
    const shown = new Date(time - behind * MINUTE);
    return Number.isNaN(shown.getTime()) ? null : { shown, time, behind, hasZone };
  };
  if (minutes !== undefined && (typeof minutes !== "number" || !(Math.abs(minutes) <= 24 * 60)))
    throw new Error(
      'The second value of the filter "date" is a time zone in minutes, such as -60 for UTC+1 and 300 for UTC−5 (minutes to add to reach UTC). Correct or remove it.',
    );
  if (value === "now" || value === "today") return at(Date.now(), minutes ?? 0);
  if (typeof value === "number") return at(value * 1000, minutes ?? 0);
  if (typeof value !== "string" || value.length > MAX_DATE) return null;
  if (/^\d+$/.test(value)) return at(Number(value) * 1000, minutes ?? 0);
  const date = new Date(value);
  if (minutes !== undefined) return at(date.getTime(), minutes);
  const [zone, sign, hours, rest] = ZONE.exec(value) ?? [];
  if (zone === undefined)
    return at(date.getTime(), ISO_DATE.test(value) ? 0 : date.getTimezoneOffset(), false);
  return at(date.getTime(), (sign === "+" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(rest ?? 0)));
}

const localFormats = new Map<string, Intl.DateTimeFormat>();
/** Making one takes long and much memory, so each is made once. There are three. */
function localFormat(kind: "date" | "time" | "both"): Intl.DateTimeFormat {
  const known = localFormats.get(kind);
  if (known !== undefined) return known;
  const date = { year: "numeric", month: "numeric", day: "numeric" } as const;
  const time = { hour: "numeric", minute: "numeric", second: "numeric" } as const;
  const made = new Intl.DateTimeFormat("en-US", {
    ...(kind === "time" ? {} : date),
    ...(kind === "date" ? {} : time),
    timeZone: "UTC",
  });
  localFormats.set(kind, made);
  return made;
}

const dayOfYear = (date: Date): number =>
  Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / (24 * 60 * MINUTE)) + 1;
const weekOfYear = (date: Date, firstDay: number): number =>
  Math.floor((dayOfYear(date) + 6 - ((date.getUTCDay() - firstDay + 7) % 7)) / 7);
const hour12 = (date: Date): number => date.getUTCHours() % 12 || 12;
const ordinal = (day: number): string =>
  (Math.floor(day / 10) === 1 ? undefined : ["th", "st", "nd", "rd"][day % 10]) ?? "th";
function zoneText({ behind }: ShownDate, colon: string): string {
  const minutes = Math.abs(behind);
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${behind > 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}${colon}${two(minutes % 60)}`;
}

type Code = (date: Date, of: ShownDate, colon: string, width: number) => string | number;
const codes: Readonly<Record<string, Code>> = {
  a: (date) => days[date.getUTCDay()]?.slice(0, 3) ?? "",
  A: (date) => days[date.getUTCDay()] ?? "",
  b: (date) => months[date.getUTCMonth()]?.slice(0, 3) ?? "",
  B: (date) => months[date.getUTCMonth()] ?? "",
  c: (date) => localFormat("both").format(date),
  C: (date) => Math.floor(date.getUTCFullYear() / 100),
  d: (date) => date.getUTCDate(),
  e: (date) => date.getUTCDate(),
  h: (date) => months[date.getUTCMonth()]?.slice(0, 3) ?? "",
  H: (date) => date.getUTCHours(),
  I: hour12,
  j: dayOfYear,
  k: (date) => date.getUTCHours(),
  l: hour12,
  L: (date) => date.getUTCMilliseconds(),
  m: (date) => date.getUTCMonth() + 1,
  M: (date) => date.getUTCMinutes(),
  n: () => "\n",
  N: (date, _, __, width) => {
    const digits = width || 9;
    return String(date.getUTCMilliseconds()).padStart(3, "0").slice(0, digits).padEnd(digits, "0");
  },
  p: (date) => (date.getUTCHours() < 12 ? "AM" : "PM"),
  P: (date) => (date.getUTCHours() < 12 ? "am" : "pm"),
  q: (date) => ordinal(date.getUTCDate()),
  s: (_, { time }) => Math.floor(time / 1000),
  S: (date) => date.getUTCSeconds(),
  t: () => "\t",
  u: (date) => date.getUTCDay() || 7,
  U: (date) => weekOfYear(date, 0),
  w: (date) => date.getUTCDay(),
  W: (date) => weekOfYear(date, 1),
  x: (date) => localFormat("date").format(date),
  X: (date) => localFormat("time").format(date),
  y: (date) => ((date.getUTCFullYear() % 100) + 100) % 100,
  Y: (date) => date.getUTCFullYear(),
  z: (_, of, colon) => zoneText(of, colon),
  Z: (_, of, colon) => (of.hasZone ? zoneText(of, colon) : "UTC"),
  "%": () => "%",
};
const widths: Readonly<Record<string, number>> = {
  ...{ C: 2, d: 2, e: 2, H: 2, I: 2, j: 3, k: 2, l: 2, L: 3, m: 2, M: 2, S: 2, U: 2, W: 2, y: 2, Y: 4 },
};
const PADDED_WITH_SPACES = "aAbBceklpP";
const CODE = /%([-_0^#:]+)?(\d+)?[EO]?(.)/g;

/** What is not a date is returned as it is. */
function formattedDate(value: unknown, given: unknown, minutes: unknown): unknown {
  const text = toText(given);
  const format = typeof text === "string" ? text : typeof text === "number" ? String(text) : DEFAULT_FORMAT;
  if (format.length > MAX_DATE_FORMAT)
    throw new Error(
      `The format of a date has ${format.length} characters; at most ${MAX_DATE_FORMAT} are allowed. Shorten it.`,
    );
  const date = readDate(value, minutes);
  if (date === null) return value;
  let used = 0;
  return format.replaceAll(CODE, (source, flags: string = "", digits: string = "", code: string) => {
    used += 1;
    const width = Number(digits);
    if (used > MAX_DATE_CODES || width > MAX_DATE_FORMAT)
      throw new Error(
        `The format of a date has at most ${MAX_DATE_CODES} codes such as %d, each at most ${MAX_DATE_FORMAT} wide. Shorten it.`,
      );
    const convert = Object.hasOwn(codes, code) ? codes[code] : undefined;
    if (convert === undefined) return source;
    const plain = String(convert(date.shown, date, flags.includes(":") ? ":" : "", width));
    const shown = flags.includes("^") ? plain.toUpperCase() : flags.includes("#") ? otherCase(plain) : plain;
    if (flags.includes("-")) return shown;
    const isSpace = flags.includes("_") || (!flags.includes("0") && PADDED_WITH_SPACES.includes(code));
    const padded = width || (widths[code] ?? 0);
    return !isSpace && shown.startsWith("-")
      ? `-${shown.slice(1).padStart(padded - 1, "0")}`
      : shown.padStart(padded, isSpace ? " " : "0");
  });
}
const otherCase = (text: string): string => (/[a-z]/.test(text) ? text.toUpperCase() : text.toLowerCase());
