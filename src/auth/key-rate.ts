/**
 * How many calls a key may make in a minute. The minute is the same for all keys, so that counting is one number per key
 * and forgetting is one step; over its limit, a key is told when the next minute begins.
 */
import { Fault } from "../contract/faults.ts";
import type { MonotonicClock } from "../domain/clocks.ts";
import type { KeyId } from "../domain/key.ts";

const MINUTE_MS = 60_000;

export class KeyRate {
  readonly #mostPerMinute: number;
  readonly #clock: MonotonicClock;
  readonly #counts = new Map<KeyId, number>();
  #until = Number.NEGATIVE_INFINITY;
  /** How many calls were refused ever. */
  refusals = 0;

  constructor(mostPerMinute: number, clock: MonotonicClock) {
    this.#mostPerMinute = mostPerMinute;
    this.#clock = clock;
  }

  /** Throws Throttled where the key has had its calls. */
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
