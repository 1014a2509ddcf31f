/**
 * Keys that failed, counted per client. A few in a minute are anybody's slip and are answered as ever; more are answered
 * slowly; after that the client is told to come back later. Only answers to failed keys are ever held back: a proxy
 * that one bad caller sits behind has good ones behind it too.
 *
 * What is kept is bounded, whatever the number of clients. It is counted in this process alone.
 */
import { setTimeout as pause } from "node:timers/promises";
import { Fault } from "../contract/faults.ts";
import type { Clock } from "../domain/ports.ts";

export const FREE_FAILURES = 20;
export const SLOW_FAILURES = 20;
const MINUTE_MS = 60_000;
const SLOW_MS = 1000;
/** A slow answer takes memory while it waits. */
const MOST_SLOWED = 200;
export const MOST_CLIENTS = 10_000;

interface Failures {
  count: number;
  until: number;
}

export interface FailedKeysOptions {
  readonly clock: Clock;
  /** A client is being turned away from now on: for the log. */
  readonly onRefused: (client: string) => void;
  readonly pause?: (ms: number) => Promise<unknown>;
}

export class FailedKeys {
  readonly #options: FailedKeysOptions;
  /** In the order in which their time began, so that the first is the one to forget. */
  readonly #clients = new Map<string, Failures>();
  #slowed = 0;
  /** How many keys failed ever, and how many of those were not even answered. */
  failures = 0;
  refusals = 0;

  constructor(options: FailedKeysOptions) {
    this.#options = options;
  }

  /** How many clients are being counted. */
  get size(): number {
    return this.#clients.size;
  }

  /** Counts a failure, and resolves when it may be answered. Throws Throttled where it may not. */
  async failed(client: string): Promise<void> {
    const now = this.#options.clock();
    const failures = this.#failuresOf(client, now);
    failures.count += 1;
    this.failures += 1;
    if (failures.count <= FREE_FAILURES) return;
    if (failures.count > FREE_FAILURES + SLOW_FAILURES) throw this.#throttled(failures.until - now);
    if (failures.count === FREE_FAILURES + SLOW_FAILURES) {
      this.#startAgain(client, failures, now);
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

  #failuresOf(client: string, now: number): Failures {
    const known = this.#clients.get(client);
    if (known !== undefined && known.until > now) return known;
    const failures = { count: 0, until: 0 };
    this.#startAgain(client, failures, now);
    return failures;
  }

  /** From now on for a minute: a client that is turned away is so for a whole one. */
  #startAgain(client: string, failures: Failures, now: number): void {
    failures.until = now + MINUTE_MS;
    this.#clients.delete(client);
    if (this.#clients.size >= MOST_CLIENTS) {
      const [oldest] = this.#clients.keys();
      if (oldest !== undefined) this.#clients.delete(oldest);
    }
    this.#clients.set(client, failures);
  }
}

const throttled = (ms: number): Fault =>
  new Fault(
    "Throttled",
    "Too many calls with keys that do not work came from your address. Check the API key, and try again later.",
    { retryAfterSeconds: Math.ceil(ms / 1000) },
  );
