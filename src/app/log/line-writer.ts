/**
 * Writes lines to a file descriptor in batches: a file, a terminal, or a pipe whose reader may be slow. They
 * are formatted in batches too: formatting them one by one between other work takes several times as long
 * (measured).
 *
 * Writing never blocks the service. While the reader does not take the lines, those beyond a limit are
 * dropped; if a write fails, as on a full disk, the lines of that batch are lost. Both are counted, and a
 * line says how many there were as soon as one can be written again.
 */
import { write, writeSync } from "node:fs";

/** How long a line waits for others, how many are written without waiting, and how many may wait. */
const WAIT_MS = 50;
const BATCH_LINES = 400;
const MAX_WAITING = 25_000;
/** How long a process that stops waits for a reader that does not take the lines. */
const FLUSH_MS = 2000;
const LF = 10;

/** In total, by cause: the reader did not take them in time, or a write failed. */
export interface LostLines {
  readonly unread: number;
  readonly failed: number;
}

/** How a line is written, and one about lines that were lost since the last such line. */
export interface Format<Line> {
  line(line: Line): string;
  lost(since: LostLines, failure: string | null): readonly Line[];
}

interface Batch {
  readonly bytes: Buffer;
  /** Lines at the end of it about others that were lost, and the totals that they bring up to date. */
  readonly notices: number;
  readonly reported: LostLines;
}

export class LineWriter<Line> {
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
