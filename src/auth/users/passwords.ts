/**
 * Hashes and checks passwords, few at a time: each run takes much memory and one of Node's few threads, and
 * anybody can cause one. What does not fit into the queue is refused at once with Throttled.
 */
import { Fault, RETRY_AFTER_SECONDS } from "../../contract/faults.ts";
import { hasAtMost } from "../../domain/text/text-length.ts";
import { COST, hasCost, hashPassword, isPassword, noPassword, type ScryptCost } from "./scrypt-hash.ts";

const MOST_RUNNING = 2;
/** At two per 0.1 s, the last one waits for a second. */
export const MOST_WAITING = 20;
export const MAX_PASSWORD_LENGTH = 256;

export class Passwords {
  readonly #cost: ScryptCost;
  /** What an unknown user's password is compared with, so that it takes as long as a wrong one. */
  readonly #none: string;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(cost: ScryptCost = COST) {
    this.#cost = cost;
    this.#none = noPassword(cost);
  }

  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#waiting.length };
  }

  /** Throws Throttled. */
  hash(password: string): Promise<string> {
    return this.#run(() => hashPassword(password, this.#cost));
  }

  /** `stored` is null if there is no such user, or if the user has no password. Throws Throttled. */
  async check(password: string, stored: string | null): Promise<boolean> {
    // A longer one is nobody's, and not worth hashing.
    const isPossible = hasAtMost(MAX_PASSWORD_LENGTH, password) && stored !== null;
    return await this.#run(() =>
      isPossible ? isPassword(password, stored) : isPassword("", this.#none).then(() => false),
    );
  }

  /** Whether the hash was made with other parameters than new ones are. */
  isOutdated(stored: string): boolean {
    return !hasCost(stored, this.#cost);
  }

  async #run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= MOST_RUNNING) {
      if (this.#waiting.length >= MOST_WAITING) throw tooMany();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running += 1;
    try {
      return await work();
    } finally {
      // The next one takes the place.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

/** Of this process: how many run at a time depends on its memory and threads, not on who asks. */
export const passwords = new Passwords();

const tooMany = (): Fault =>
  new Fault("Throttled", "Too many passwords are being checked. Try again in a few seconds.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
