/**
 * Counts authentication failures per client. A few in a minute are anybody's mistake and are answered as ever; more are
 * answered slowly; after that the client is refused for a minute. While it is refused, keys that did not work for
 * it lately are not even looked up (`recent-keys.ts` knows which did), so a search tries no more keys than are allowed
 * here. A look-up that has not ended counts as a failure: otherwise thousands could be sent before the first one fails.
 *
 * What is kept is bounded, whatever the number of clients. It is counted in this process alone.
 */
import { setTimeout as pause } from "node:timers/promises";
import { Fault } from "../contract/faults.ts";
import type { MonotonicClock } from "../domain/clocks.ts";
import { ownText } from "../domain/own-text.ts";

export const FREE_FAILURES = 20;
export const SLOW_FAILURES = 20;
const ALLOWED_FAILURES = FREE_FAILURES + SLOW_FAILURES;
const MINUTE_MS = 60_000;
const SLOW_MS = 1000;
/** A slow answer takes memory while it waits. */
const MOST_SLOWED = 200;
export const MOST_CLIENTS = 10_000;

interface Attempts {
  failures: number;
  /** That have not ended. */
  lookUps: number;
  until: number;
}

export interface BruteForceGuardOptions {
  readonly clock: MonotonicClock;
  /** A client is refused from now on: for the log. */
  readonly onRefused: (client: string) => void;
  readonly pause?: ((ms: number) => Promise<unknown>) | undefined;
}

export class BruteForceGuard {
  readonly #options: BruteForceGuardOptions;
  /** In the order in which their minute began, so that the first is the one to forget. */
  readonly #clients = new Map<string, Attempts>();
  #slowed = 0;
  /** How many attempts failed or were refused ever, and how many of those were refused. */
  failures = 0;
  refusals = 0;

  constructor(options: BruteForceGuardOptions) {
    this.#options = options;
  }

  /** How many clients are being counted. */
  get size(): number {
    return this.#clients.size;
  }

  /** Throws Throttled where the client is refused, or has as many look-ups under way as may fail. */
  check(client: string): void {
    const attempts = this.#clients.get(client);
    if (attempts === undefined) return;
    const now = this.#options.clock();
    const failures = attempts.until > now ? attempts.failures : 0;
    if (failures + attempts.lookUps < ALLOWED_FAILURES) return;
    this.failures += 1;
    throw this.#throttled(failures < ALLOWED_FAILURES ? SLOW_MS : attempts.until - now);
  }

  /**
   * To be called before a key is looked up that did not work for the client lately; gives back what to call when the
   * look-up has ended, before its failure is counted. Throws as `check`.
   */
  beginLookUp(client: string): () => void {
    this.check(client);
    const attempts = this.#attemptsOf(client, this.#options.clock());
    attempts.lookUps += 1;
    return () => {
      attempts.lookUps -= 1;
    };
  }

  /** Counts a failure, and resolves when it may be answered. Throws Throttled where it may not. */
  async failed(client: string): Promise<void> {
    const now = this.#options.clock();
    const attempts = this.#attemptsOf(client, now);
    attempts.failures += 1;
    this.failures += 1;
    if (attempts.failures <= FREE_FAILURES) return;
    if (attempts.failures > ALLOWED_FAILURES) throw this.#throttled(attempts.until - now);
    if (attempts.failures === ALLOWED_FAILURES) {
      this.#startMinute(client, attempts, now);
      this.#options.onRefused(client);
    }
    if (this.#slowed >= MOST_SLOWED) throw this.#throttled(SLOW_MS);
    this.#slowed += 1;
    try {
      await (this.#options.pause ?? pause)(SLOW_MS);
    } finally {
      this.#slowed -= 1;
    }
  }

  #throttled(ms: number): Fault {
    this.refusals += 1;
    return throttled(ms);
  }

  #attemptsOf(client: string, now: number): Attempts {
    const attempts = this.#clients.get(client) ?? { failures: 0, lookUps: 0, until: now };
    if (attempts.until > now) return attempts;
    attempts.failures = 0;
    this.#startMinute(client, attempts, now);
    return attempts;
  }

  /** A client that is refused is so for a whole minute from now on. */
  #startMinute(client: string, attempts: Attempts, now: number): void {
    attempts.until = now + MINUTE_MS;
    this.#clients.delete(client);
    if (this.#clients.size >= MOST_CLIENTS) {
      const [oldest] = this.#clients.keys();
      if (oldest !== undefined) this.#clients.delete(oldest);
    }
    this.#clients.set(ownText(client), attempts);
  }
}

const throttled = (ms: number): Fault =>
  new Fault(
    "Throttled",
    "Too many calls with keys that do not work came from your address. Check the API key, and try again later.",
    { retryAfterSeconds: Math.ceil(ms / 1000) },
  );
