/**
 * The log: one JSON object a line, on standard error.
 *
 * A line for every call must cost much less than the call, so lines are written in batches a moment later;
 * warnings and errors at once (line-writer.ts).
 */
import { type Format, LineWriter, type LostLines } from "./line-writer.ts";

export const levels = ["silent", "error", "warn", "info", "debug"] as const;
export type Level = (typeof levels)[number];
type EnabledLevel = Exclude<Level, "silent">;
type Fields = Readonly<Record<string, string | number | boolean | null | undefined>>;

const STANDARD_ERROR = 2;

export class Log {
  readonly #threshold: number;
  readonly #lines: LineWriter<Line>;

  constructor(level: Level, descriptor: number = STANDARD_ERROR) {
    this.#threshold = levels.indexOf(level);
    this.#lines = new LineWriter(descriptor, format);
  }

  /** Lines that could not be written. */
  get lost(): LostLines {
    return this.#lines.lost;
  }

  error(message: string, fields: Fields = {}, cause?: unknown): void {
    this.#log("error", message, fields, cause);
  }
  warn(message: string, fields: Fields = {}, cause?: unknown): void {
    this.#log("warn", message, fields, cause);
  }
  info(message: string, fields: Fields = {}): void {
    this.#log("info", message, fields);
  }
  debug(message: string, fields: Fields = {}): void {
    this.#log("debug", message, fields);
  }
  /** Resolves when everything logged so far is written, or when its reader takes too long. */
  flush(withinMs?: number): Promise<void> {
    return this.#lines.flush(withinMs);
  }

  #log(level: EnabledLevel, message: string, fields: Fields, cause?: unknown): void {
    if (levels.indexOf(level) > this.#threshold) return;
    this.#lines.add({ level, time: Date.now(), message, fields, cause });
    if (level === "error" || level === "warn") this.#lines.writeNow();
  }
}

interface Line {
  readonly level: EnabledLevel;
  readonly time: number;
  readonly message: string;
  readonly fields: Fields;
  readonly cause: unknown;
}

function textOf({ level, time, message, fields, cause }: Line): string {
  const line = { level, time: isoTime(time), msg: message, ...fields };
  return `${JSON.stringify(cause === undefined ? line : { ...line, err: serializeError(cause) })}\n`;
}

const warning = (message: string, fields: Fields): Line => ({
  level: "warn",
  time: Date.now(),
  message,
  fields,
  cause: undefined,
});

const format: Format<Line> = {
  line: textOf,
  lost: ({ unread, failed }, code) => [
    ...(unread === 0 ? [] : [warning("log lines dropped: they were not read in time", { lines: unread })]),
    ...(failed === 0 ? [] : [warning("log lines lost: they could not be written", { lines: failed, code })]),
  ],
};

let lastTime = 0;
let lastText = "";
/**
 * Under load many lines have the same millisecond, and formatting the time is a third of formatting a line.
 */
function isoTime(time: number): string {
  if (time !== lastTime) {
    lastTime = time;
    lastText = new Date(time).toISOString();
  }
  return lastText;
}

interface SerializedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly cause?: SerializedError;
}
/** Causes beyond this depth are left out: they may lead back to the error itself. */
const MAX_CAUSES = 8;

function serializeError(error: unknown, depth = 0): SerializedError {
  if (!(error instanceof Error)) return { name: "thrown", message: String(error), stack: undefined };
  const { name, message, stack, cause } = error;
  return cause === undefined || depth === MAX_CAUSES
    ? { name, message, stack }
    : { name, message, stack, cause: serializeError(cause, depth + 1) };
}
