/**
 * The log: one JSON object a line, on standard error.
 *
 * A line for every call must cost much less than the call, so lines are written in batches a moment later;
 * warnings and errors at once. Writing never blocks the service: while the reader does not take the lines,
 * those beyond a limit are dropped, and their number is logged as soon as lines can be written again.
 */
import { write, writeSync } from "node:fs";

export const levels = ["silent", "error", "warn", "info", "debug"] as const;
export type Level = (typeof levels)[number];
type EnabledLevel = Exclude<Level, "silent">;
type Fields = Readonly<Record<string, string | number | boolean | null | undefined>>;

const STANDARD_ERROR = 2;

export class Log {
  readonly #threshold: number;
  readonly #lines: LineWriter;

  constructor(level: Level, descriptor: number = STANDARD_ERROR) {
    this.#threshold = levels.indexOf(level);
    this.#lines = new LineWriter(descriptor);
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
  /** Resolves when everything logged so far is written. */
  flush(): Promise<void> {
    return this.#lines.flush();
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
function serializeError(error: unknown): SerializedError {
  if (!(error instanceof Error)) return { name: "thrown", message: String(error), stack: undefined };
  const { name, message, stack, cause } = error;
  return cause === undefined
    ? { name, message, stack }
    : { name, message, stack, cause: serializeError(cause) };
}

/** How long a line waits for others, how many are written without waiting, and how many may wait. */
const WAIT_MS = 50;
const BATCH_LINES = 400;
const MAX_WAITING = 25_000;

/**
 * Lines on their way to a file descriptor: a file, a terminal, or a pipe whose reader may be slow. They are
 * formatted in batches too: formatting them one by one between other work takes several times as long
 * (measured).
 */
class LineWriter {
  readonly #descriptor: number;
  #waiting: Line[] = [];
  #dropped = 0;
  #timer: NodeJS.Timeout | null = null;
  #writing: Buffer | null = null;
  #hasExitHook = false;
  #flushed: (() => void)[] = [];

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  add(line: Line): void {
    if (!this.#hasExitHook) this.#addExitHook();
    if (this.#waiting.length >= MAX_WAITING) {
      this.#dropped += 1;
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

  flush(): Promise<void> {
    this.writeNow();
    if (this.#writing === null) return Promise.resolve();
    return new Promise((resolve) => {
      this.#flushed.push(resolve);
    });
  }

  #take(): Buffer {
    const lines = this.#waiting;
    if (this.#dropped > 0)
      lines.push({
        level: "warn",
        time: Date.now(),
        message: "log lines dropped: they were not read in time",
        fields: { lines: this.#dropped },
        cause: undefined,
      });
    this.#waiting = [];
    this.#dropped = 0;
    return Buffer.from(lines.map(textOf).join(""));
  }

  #write(bytes: Buffer, from: number): void {
    write(this.#descriptor, bytes, from, (error, written) => {
      const at = from + written;
      if (error === null && at < bytes.length) this.#write(bytes, at);
      else if (error?.code === "EAGAIN") setTimeout(() => this.#write(bytes, from), WAIT_MS);
      else this.#written();
    });
  }

  #written(): void {
    this.#writing = null;
    if (this.#waiting.length >= BATCH_LINES || this.#flushed.length > 0) this.writeNow();
    if (this.#writing !== null) return;
    for (const resolve of this.#flushed) resolve();
    this.#flushed = [];
  }

  /** Writes what is waiting when the process exits: better a line twice than never. */
  #addExitHook(): void {
    this.#hasExitHook = true;
    process.once("exit", () => {
      const left = Buffer.concat([this.#writing ?? Buffer.alloc(0), this.#take()]);
      try {
        for (let at = 0; at < left.length; ) at += writeSync(this.#descriptor, left, at);
      } catch {
        // The process is exiting, so there is nowhere left to report it.
      }
    });
  }
}
