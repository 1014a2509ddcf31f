/**
 * The log: one JSON object a line, on standard error.
 *
 * A line for every call must cost much less than the call, so lines are written in batches a moment later;
 * warnings and errors at once (line-writer.ts).
 */
import { write, writeSync } from "node:fs";

/**
 * Text of a caller for the log – a path, a namespace, a User-Agent – as far as it consists of short plain
 * words. Anything else in it, such as an e-mail address or a key, is logged as "?".
 */
const MAX_LOGGED = 100;
const PLAIN_WORD = /^[\w~-]{1,24}$/;
/** What stands between two parts; an e-mail address has none of these. */
const PART = /[^\s/:;,()]+/g;
const LAST_PART = /[^\s/:;,()]+$/;
const HAS_AT = /@|%40/;

export function plainWords(text: string): string {
  // A part that is cut off may be the beginning of anything.
  const shown = text.length > MAX_LOGGED ? text.slice(0, MAX_LOGGED).replace(LAST_PART, "?") : text;
  return shown
    .replaceAll(PART, (part) =>
      HAS_AT.test(part) ? "?" : part.replaceAll(/[^.]+/g, (word) => (PLAIN_WORD.test(word) ? word : "?")),
    )
    .replaceAll(/[^ -~]/g, "?");
}

// Writes lines to a file descriptor in batches: a file, a terminal, or a pipe whose reader may be slow. They
// are formatted in batches too: formatting them one by one between other work takes several times as long
// (measured).
//
// Writing never blocks the service. While the reader does not take the lines, lines beyond a limit are
// dropped; if a write fails, as on a full disk, the lines of that batch are lost. Both are counted, and a
// line says how many there were as soon as one can be written again.

/** How long a line waits for others, how many are written without waiting, and how many may wait. */
const WAIT_MS = 50;
const BATCH_LINES = 400;
const MAX_WAITING = 25_000;
/** How long a process that stops waits for a reader that does not take the lines. */
const FLUSH_MS = 2000;
const LF = 10;

/** In total, by cause: the reader did not take them in time, or a write failed. */
interface LostLines {
  readonly unread: number;
  readonly failed: number;
}

/** How a line is written, and one about lines that were lost since the last such line. */
interface Format<Line> {
  line(line: Line): string;
  lost(since: LostLines, failure: string | null): readonly Line[];
}

interface Batch {
  readonly bytes: Buffer;
  /** Lines at the end of it about others that were lost, and the totals that they bring up to date. */
  readonly notices: number;
  readonly reported: LostLines;
}

class LineWriter<Line> {
  readonly #descriptor: number;
  readonly #format: Format<Line>;
  #waiting: Line[] = [];
  readonly #lost = { unread: 0, failed: 0 };
  /** As far as lines about them are written. */
  #reported: LostLines = { unread: 0, failed: 0 };
  /** The code of the last write error. */
  #failure: string | null = null;
  /** Whether a failed write has left the beginning of a line. */
  #isTorn = false;
  #timer: NodeJS.Timeout | null = null;
  #writing: Batch | null = null;
  #hasExitHook = false;
  #flushed: (() => void)[] = [];

  constructor(descriptor: number, format: Format<Line>) {
    this.#descriptor = descriptor;
    this.#format = format;
  }

  get lost(): LostLines {
    return this.#lost;
  }

  add(line: Line): void {
    if (!this.#hasExitHook) this.#addExitHook();
    if (this.#waiting.length >= MAX_WAITING) {
      this.#lost.unread += 1;
      return;
    }
    this.#waiting.push(line);
    if (this.#waiting.length >= BATCH_LINES) this.writeNow();
    else if (this.#timer === null) this.#timer = setTimeout(() => this.writeNow(), WAIT_MS).unref();
  }

  writeNow(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#writing !== null || this.#waiting.length === 0) return;
    this.#writing = this.#take();
    this.#write(this.#writing, 0);
  }

  /** Resolves when everything added so far is written or lost, or when that takes too long. */
  flush(withinMs: number = FLUSH_MS): Promise<void> {
    this.writeNow();
    if (this.#writing === null) return Promise.resolve();
    return new Promise((resolve) => {
      const late = setTimeout(resolve, withinMs);
      this.#flushed.push(() => {
        clearTimeout(late);
        resolve();
      });
    });
  }

  #take(): Batch {
    const reported = { ...this.#lost };
    const { unread, failed } = this.#reported;
    const since = { unread: reported.unread - unread, failed: reported.failed - failed };
    const notices = this.#format.lost(since, this.#failure);
    const lines = [...this.#waiting, ...notices].map((line) => this.#format.line(line));
    this.#waiting = [];
    const bytes = Buffer.from(`${this.#isTorn ? "\n" : ""}${lines.join("")}`);
    return { bytes, notices: notices.length, reported };
  }

  #write(batch: Batch, from: number): void {
    write(this.#descriptor, batch.bytes, from, (error, written) => {
      const at = from + written;
      // A reader that has stopped reading must not keep the process alive.
      if (error?.code === "EAGAIN") setTimeout(() => this.#write(batch, from), WAIT_MS).unref();
      else if (error !== null) this.#failed(batch, from, error);
      else if (at < batch.bytes.length) this.#write(batch, at);
      else this.#written(batch);
    });
  }

  #written({ reported }: Batch): void {
    this.#isTorn = false;
    this.#reported = reported;
    this.#next();
  }

  #failed({ bytes, notices }: Batch, from: number, { code, message }: NodeJS.ErrnoException): void {
    const endsTorn = this.#isTorn && from === 0 ? 1 : 0;
    this.#lost.failed += Math.max(linesIn(bytes.subarray(from)) - endsTorn - notices, 0);
    this.#failure = code ?? message;
    if (from > 0) this.#isTorn = bytes[from - 1] !== LF;
    this.#next();
  }

  #next(): void {
    this.#writing = null;
    const isDue = this.#timer === null || this.#waiting.length >= BATCH_LINES || this.#flushed.length > 0;
    if (isDue && this.#waiting.length > 0) return this.writeNow();
    for (const resolve of this.#flushed) resolve();
    this.#flushed = [];
  }

  /** Writes what is waiting when the process exits: better a line twice than never. */
  #addExitHook(): void {
    this.#hasExitHook = true;
    process.once("exit", () => {
      const left = Buffer.concat([this.#writing?.bytes ?? Buffer.alloc(0), this.#take().bytes]);
      try {
        for (let at = 0; at < left.length; ) at += writeSync(this.#descriptor, left, at);
      } catch {
        // The process is exiting, so there is nowhere left to report it.
      }
    });
  }
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) lines += 1;
  return lines;
}

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
