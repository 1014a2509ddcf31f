/**
 * The log: one JSON object a line, on standard error.
 *
 * A line for every call must not cost what a call costs, so lines are written together, a moment later; warnings and
 * errors at once. Writing never holds up the service: where nobody takes the lines, they are dropped beyond a bound,
 * and their number is said when there is room again.
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
  /** Resolves when everything said so far is written. */
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
/** Under load many lines are of the same millisecond, and writing a date is a third of writing a line. */
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

/** How long a line waits for others, how many are enough to write at once, and how many may wait. */
const WAIT_MS = 50;
const BATCH_LINES = 400;
const MAX_WAITING = 25_000;

/**
 * Lines on their way to a descriptor, which may be a file, a terminal or a pipe that somebody reads or not. They are
 * turned into text together too: one by one, between other work, that takes several times as long (measured).
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
        message: "log lines were dropped, because nobody took them",
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

  /** A process that ends without a word of goodbye still says why: better a line twice than never. */
  #addExitHook(): void {
    this.#hasExitHook = true;
    process.once("exit", () => {
      const left = Buffer.concat([this.#writing ?? Buffer.alloc(0), this.#take()]);
      try {
        for (let at = 0; at < left.length; ) at += writeSync(this.#descriptor, left, at);
      } catch {
        // Nobody takes it, and nobody is left to be told.
      }
    });
  }
}
