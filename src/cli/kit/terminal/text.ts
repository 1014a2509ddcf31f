/** Text for a terminal: numbers, widths, unsafe characters, and progress in one line. */
import { readTime } from "#transfer/values/time.ts";
import { UsageError } from "../command.ts";

// Formats numbers with digit grouping. Ids are names and are not grouped.

export const formatNumber = (n: number | bigint): string => n.toLocaleString("en");

/** "1 row", "1,504 rows". */
export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${formatNumber(n)} ${n === 1 ? one : many}`;

// Text for terminals: removes control characters from stored data, and measures the display width.

/** Control characters, line separators, and marks that change the text direction. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** For one value: removes line breaks too, so that data cannot imitate a line of output. */
export const oneLine = (text: string): string => text.replace(UNSAFE, " ");
/** For a whole text: keeps line breaks and tabs. */
export const printable = (text: string): string =>
  text
    .replaceAll("\r\n", "\n")
    .replace(UNSAFE, (character) => (character === "\n" || character === "\t" ? character : " "));
/** For JSON, where an escape keeps the value; keeps line breaks between members. */
export const escapeUnsafe = (json: string): string =>
  json.replace(UNSAFE, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const ASCII = /^[ -~]*$/;
const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]|.\ufe0f)/u;
/** Made on first use: most commands print ASCII only, and it costs a tenth of their start. */
let segmenter: Intl.Segmenter | null = null;
function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

const gap = (text: string, width: number): string => " ".repeat(Math.max(0, width - displayWidth(text)));
export const padLeft = (text: string, width: number): string => gap(text, width) + text;
export const padRight = (text: string, width: number): string => text + gap(text, width);

export function shorten(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join("")}…`;
}

/** Quotes one word for a shell: addresses may contain ` and $, and users copy the printed commands. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * Times as command-line arguments: a date, in UTC, or a dateTime with its time zone. A time of day without a
 * zone is refused, as by the API: who writes 10:00 seldom means UTC.
 */
const END_OF_DAY_MS = 86_400_000 - 1;
/** A dateTime may leave out its time, but not here: a day has no zone. */
const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d(?:Z|[+-]\d\d:\d\d)?$/.test(text);
const hasZone = (text: string): boolean => /\d(?:Z|[+-]\d\d:\d\d)$/.test(text);

const WITH_ZONE = "2026-11-01T10:00:00Z or 2026-11-01T10:00:00+01:00";

function read(given: string, what: string, mayBeDate: boolean): number {
  const text = given.trim();
  const time = readTime(text);
  if (time === null)
    throw new UsageError(
      mayBeDate
        ? `${what} must be a date or a time such as 2026-11-01 or 2026-11-01T10:00:00Z; '${given}' is neither`
        : `${what} must be a time such as ${WITH_ZONE}; '${given}' is not`,
    );
  if (isDate(text) && !mayBeDate)
    throw new UsageError(`${what} needs a time and its zone, such as ${WITH_ZONE}; '${given}' is a date`);
  if (!isDate(text) && !hasZone(text))
    throw new UsageError(`${what} needs a time zone, such as ${WITH_ZONE}; '${given}' has none`);
  return time;
}

export const parseTime = (text: string, what: string): number => read(text, what, true);
/** As parseTime, but not a date: something happens at this moment. */
export const parseMoment = (text: string, what: string): number => read(text, what, false);

/** As parseTime, but a date alone is the end of that day. */
export const parseEnd = (text: string, what: string): number =>
  parseTime(text, what) + (isDate(text.trim()) ? END_OF_DAY_MS : 0);

/** Wraps text at a display width. */
const DEFAULT_WIDTH = 80;
/** Readable limits. */
const [MIN_WIDTH, MAX_WIDTH] = [40, 100];

/** COLUMNS if it is set, otherwise the terminal's width, otherwise 80; within the limits. */
export function helpWidth(variable: string | undefined, terminal: number | null): number {
  const chosen = /^[1-9]\d{0,4}$/.test(variable ?? "") ? Number(variable) : (terminal ?? DEFAULT_WIDTH);
  return Math.min(Math.max(chosen, MIN_WIDTH), MAX_WIDTH);
}

/** Breaks between words only, so that a long word such as a path can be copied. */
export function wrap(text: string, width: number, indent = ""): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || displayWidth(longer) <= width - displayWidth(indent)) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].join(`\n${indent}`);
}

/** Paragraphs are separated by empty lines; a line that begins with a space is not wrapped. */
export function wrapParagraphs(text: string, width: number): string {
  const parts: string[][] = [];
  let isOpen = false;
  for (const line of text.split("\n")) {
    const isFixed = line === "" || line.startsWith(" ");
    if (isFixed || !isOpen) parts.push([line]);
    else parts.at(-1)?.push(line);
    isOpen = !isFixed;
  }
  return parts
    .map((lines) => (lines[0]?.startsWith(" ") === true ? lines[0] : wrap(lines.join(" "), width)))
    .join("\n");
}

const MAX_LEFT = 28;
const MIN_RIGHT = 36;
const MARGIN = "  ";

/** Two columns; if the left one is too long, or there is no room, the right one is below it. */
export function wrapColumns(
  rows: readonly (readonly [left: string, right: string])[],
  width: number,
): string {
  const fitting = rows.map(([left]) => displayWidth(left)).filter((length) => length <= MAX_LEFT);
  const wanted = Math.max(MARGIN.length, ...fitting);
  const left = width - wanted < MIN_RIGHT ? MARGIN.length : wanted;
  const indent = " ".repeat(left + 2 * MARGIN.length);
  return rows
    .map(([name, text]) => {
      const head = displayWidth(name) <= left ? `${padRight(name, left)}${MARGIN}` : `${name}\n${indent}`;
      return `${MARGIN}${head}${wrap(text, width, indent)}`;
    })
    .join("\n");
}

export const duration = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;

interface Stand {
  /** The current step, and how much of it is done. */
  readonly what: string;
  /** Fraction that is done, from 0 to 1; null if the total is not known. */
  readonly part: number | null;
  readonly rows: number;
  readonly elapsedMs: number;
}

const BAR = 10;

export function progressText({ what, part, rows, elapsedMs }: Stand): string {
  const seconds = Math.max(elapsedMs / 1000, 0.001);
  const words = [what, `${formatNumber(Math.round(rows / seconds))}/s`];
  if (part === null) return words.join(" ");
  const done = Math.min(part, 1);
  const bar = "#".repeat(Math.floor(done * BAR)).padEnd(BAR, "-");
  const left = rows === 0 || done === 0 ? [] : [`${duration((seconds * (1 - done)) / done)} left`];
  return [`[${bar}] ${Math.floor(done * 100)}%`, ...words, ...left].join(" ");
}
