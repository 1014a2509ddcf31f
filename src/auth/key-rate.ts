/**
 * Limits the calls of each API key per minute. The minute begins at the same time for all keys, so that there
 * is one number per key and resetting is one operation. A key over its limit gets Throttled with the time
 * until the next minute.
 */
import { Fault } from "#contract/faults.ts";
import type { KeyId } from "#domain/access/key.ts";
import type { MonotonicClock } from "#domain/clocks.ts";

const MINUTE_MS = 60_000;

export class KeyRate {
  readonly #mostPerMinute: number;
  readonly #clock: MonotonicClock;
  readonly #counts = new Map<KeyId, number>();
  #until = Number.NEGATIVE_INFINITY;
  /** Refused calls in total. */
  refusals = 0;

  constructor(mostPerMinute: number, clock: MonotonicClock) {
    this.#mostPerMinute = mostPerMinute;
    this.#clock = clock;
  }

  /** Throws Throttled if the key is over its limit. */
  count(key: KeyId): void {
    const now = this.#clock();
    if (now >= this.#until) {
      this.#counts.clear();
      this.#until = now + MINUTE_MS;
    }
    const calls = (this.#counts.get(key) ?? 0) + 1;
    if (calls > this.#mostPerMinute) {
      this.refusals += 1;
      throw new Fault(
        "Throttled",
        `This API key may make ${this.#mostPerMinute} calls a minute. Try again when the minute is over.`,
        { retryAfterSeconds: Math.ceil((this.#until - now) / 1000) },
      );
    }
    this.#counts.set(key, calls);
  }
}
