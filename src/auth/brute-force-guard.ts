/**
 * Rate-limits guessing: of API keys, tokens, passwords and unsubscribe links per client, of passwords and
 * codes per user. A few authentication failures in a minute are answered at once, more are delayed, and after
 * that the client is refused for a minute. While it is refused, only keys that worked for it recently are
 * looked up (`recent-keys.ts`), and of the others that it tries, the first few if they are in use elsewhere:
 * they may have worked for it in another process. So guessing is limited to the allowed failures and these. A
 * look-up in progress counts as a failure: otherwise thousands could be started before the first one fails.
 *
 * Memory is bounded, whatever the number of clients. Each process counts for itself.
 */
import { setTimeout as pause } from "node:timers/promises";
import { Fault } from "#contract/faults.ts";
import type { MonotonicClock } from "#domain/clocks.ts";
import { ownText } from "#domain/text.ts";

export const FREE_FAILURES = 20;
export const SLOW_FAILURES = 20;
/** Keys that a refused client may try in its minute, whether they turn out to be in use elsewhere or not. */
export const REFUSED_TRIES = 10;
const MINUTE_MS = 60_000;
const SLOW_MS = 1000;
/** A delayed answer takes memory while it waits. */
const MAX_SLOWED = 200;
export const MAX_CLIENTS = 10_000;

interface Attempts {
  failures: number;
  /** Keys tried while refused. */
  tries: number;
  /** In progress. */
  lookUps: number;
  until: number;
}

export interface FailureLimits {
  /** Answered at once. */
  readonly free: number;
  /** Delayed, after the free ones. */
  readonly slow: number;
  readonly periodMs: number;
}
const perClient: FailureLimits = { free: FREE_FAILURES, slow: SLOW_FAILURES, periodMs: MINUTE_MS };

/** What was wrong: it decides the text for refused clients. */
const texts = {
  key: "Too many calls with invalid API keys came from your address. Check the API key, and try again later.",
  token:
    "Too many requests with invalid tokens came from your address. Check the token, and try again later.",
  password: "Too many failed log-ins came from your address. Try again later.",
  user: "Too many log-ins of this user failed. Try again later.",
  link: "Too many unsubscribe links that are not valid came from your address. Try again later.",
  code: "Too many wrong codes were given for this user. Try again later.",
} as const;
export type Guessed = keyof typeof texts;

export interface BruteForceGuardOptions {
  readonly clock: MonotonicClock;
  /** A client is refused from now on: for the log. */
  readonly onRefused: (client: string) => void;
  readonly pause?: ((ms: number) => Promise<unknown>) | undefined;
  readonly limits?: FailureLimits;
}

export class BruteForceGuard {
  readonly #options: BruteForceGuardOptions;
  readonly #limits: FailureLimits;
  readonly #allowed: number;
  /** In the order in which their minute began: the first one is evicted first. */
  readonly #clients = new Map<string, Attempts>();
  #slowed = 0;
  /** Attempts that failed or were refused in total, and how many of those were refused. */
  failures = 0;
  refusals = 0;

  constructor(options: BruteForceGuardOptions) {
    this.#options = options;
    this.#limits = options.limits ?? perClient;
    this.#allowed = this.#limits.free + this.#limits.slow;
  }

  /** The number of clients with recent failures. */
  get size(): number {
    return this.#clients.size;
  }

  /** Throws Throttled if the client is refused, or has as many look-ups in progress as may fail. */
  check(client: string, guessed: Guessed = "key"): void {
    const attempts = this.#clients.get(client);
    if (attempts === undefined) return;
    const now = this.#options.clock();
    const failures = attempts.until > now ? attempts.failures : 0;
    if (failures + attempts.lookUps < this.#allowed) return;
    this.failures += 1;
    throw this.#throttled(guessed, failures < this.#allowed ? SLOW_MS : attempts.until - now);
  }

  /**
   * To be called before the look-up of a key that did not work for the client recently. Returns a function to
   * call when the look-up has ended, before its failure is counted. Throws as `check` does, except for the
   * first few keys that a refused client tries, if they are in use elsewhere.
   */
  beginLookUp(client: string, guessed: Guessed = "key", isInUse: () => boolean = () => false): () => void {
    const attempts = this.#attemptsOf(client, this.#options.clock());
    if (!this.#mayTry(attempts, isInUse)) this.check(client, guessed);
    attempts.lookUps += 1;
    return () => {
      attempts.lookUps -= 1;
    };
  }

  /** Counts a failure, and resolves when it may be answered. Throws Throttled if it may not. */
  async failed(client: string, guessed: Guessed = "key"): Promise<void> {
    const now = this.#options.clock();
    const attempts = this.#attemptsOf(client, now);
    attempts.failures += 1;
    this.failures += 1;
    if (attempts.failures <= this.#limits.free) return;
    if (attempts.failures > this.#allowed) throw this.#throttled(guessed, attempts.until - now);
    if (attempts.failures === this.#allowed) {
      this.#startMinute(client, attempts, now);
      this.#options.onRefused(client);
    }
    if (this.#slowed >= MAX_SLOWED) throw this.#throttled(guessed, SLOW_MS);
    this.#slowed += 1;
    try {
      await (this.#options.pause ?? pause)(SLOW_MS);
    } finally {
      this.#slowed -= 1;
    }
  }

  /**
   * Every key that a refused client tries counts, also a key that is not in use: else it could guess them.
   */
  #mayTry(attempts: Attempts, isInUse: () => boolean): boolean {
    const isRefused = attempts.failures + attempts.lookUps >= this.#allowed;
    if (!isRefused || attempts.tries >= REFUSED_TRIES) return false;
    attempts.tries += 1;
    return isInUse();
  }

  #throttled(guessed: Guessed, ms: number): Fault {
    this.refusals += 1;
    return new Fault("Throttled", texts[guessed], { retryAfterSeconds: Math.ceil(ms / 1000) });
  }

  #attemptsOf(client: string, now: number): Attempts {
    const attempts = this.#clients.get(client) ?? { failures: 0, tries: 0, lookUps: 0, until: now };
    if (attempts.until > now) return attempts;
    attempts.failures = 0;
    attempts.tries = 0;
    this.#startMinute(client, attempts, now);
    return attempts;
  }

  /** A refused client is refused for a whole minute from now on. */
  #startMinute(client: string, attempts: Attempts, now: number): void {
    attempts.until = now + this.#limits.periodMs;
    this.#clients.delete(client);
    if (this.#clients.size >= MAX_CLIENTS) {
      const [oldest] = this.#clients.keys();
      if (oldest !== undefined) this.#clients.delete(oldest);
    }
    this.#clients.set(ownText(client), attempts);
  }
}
