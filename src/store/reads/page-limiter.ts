/**
 * Limits how many pages are read at a time. The others wait in rotation of their accounts, no longer than a
 * limit. After a page there can be a pause, in which the database works for others.
 */
import { StoreUnavailable } from "#domain/ports/errors.ts";
import type { Owner } from "../writes/fair-queue.ts";
import { ReadQueue } from "./read-queue.ts";

interface Waiting {
  readonly until: number;
  readonly start: () => void;
  readonly refuse: (error: Error) => void;
}

/** Gets how long a page took, and returns how long to pause. */
type PauseAfter = (ms: number) => number;

/** How long a page of an operator may wait for others. */
const OPERATOR_WAIT_MS = 30_000;
/** While calls are written, operators get at most a thirteenth of the time of a connection. */
const OPERATOR_PAUSE = 12;
const LONGEST_PAUSE_MS = 1000;

export class PageLimiter {
  readonly #most: number;
  readonly #longestMs: number;
  readonly #pauseAfter: PauseAfter;
  readonly #waiting = new ReadQueue<Waiting>();
  #running = 0;

  constructor(most: number, longestMs: number, pauseAfter: PauseAfter = () => 0) {
    this.#most = most;
    this.#longestMs = longestMs;
    this.#pauseAfter = pauseAfter;
  }

  /**
   * For operators: one page at a time, with a pause after it while calls are written. Pages that may walk
   * have a limiter of their own, so that no other one waits for them.
   */
  static forOperators(areCallsWritten: () => boolean): (mayWalk: boolean) => PageLimiter {
    const limiter = (): PageLimiter =>
      new PageLimiter(1, OPERATOR_WAIT_MS, (ms) =>
        areCallsWritten() ? Math.min(OPERATOR_PAUSE * ms, LONGEST_PAUSE_MS) : 0,
      );
    const [walks, others] = [limiter(), limiter()];
    return (mayWalk) => (mayWalk ? walks : others);
  }

  async run<T>(owner: Owner, isContinued: boolean, read: () => Promise<T>): Promise<T> {
    if (this.#running === this.#most) await this.#wait(owner, isContinued);
    else this.#running += 1;
    const began = performance.now();
    try {
      return await read();
    } finally {
      const pauseMs = this.#pauseAfter(performance.now() - began);
      if (pauseMs <= 0) this.#next();
      else setTimeout(() => this.#next(), pauseMs);
    }
  }

  #wait(owner: Owner, isContinued: boolean): Promise<void> {
    return new Promise((start, refuse) => {
      const until = performance.now() + this.#longestMs;
      this.#waiting.add({ until, start, refuse }, owner, isContinued);
    });
  }

  /** Hands a released slot to the next waiter. */
  #next(): void {
    const now = performance.now();
    for (let next = this.#waiting.take(); next !== undefined; next = this.#waiting.take()) {
      if (next.until > now) return next.start();
      next.refuse(
        new StoreUnavailable(
          "the query waited too long for other queries and was not executed; try again later",
        ),
      );
    }
    this.#running -= 1;
  }
}
