/**
 * API keys that were read from the database within the last half second, so that a call does not wait for a look-up.
 * Half a second is how long a revoked key can go on. Only keys that work are kept, under their normalised form, so
 * that one key takes one entry however callers spell it. Unknown keys are never kept: a new key works at once.
 *
 * Bounded in entries; an entry holds at most 128 characters of key and the record of the key from the database.
 */
import { type ApiKey, MAX_KEY_LENGTH } from "../domain/key.ts";

const FRESH_MS = 500;
export const MAX_CACHED_KEYS = 10_000;

interface Entry {
  readonly key: ApiKey;
  readonly until: number;
}

export class KeyCache {
  /** In the order in which entries expire. */
  readonly #entries = new Map<string, Entry>();

  get size(): number {
    return this.#entries.size;
  }

  /** By what a caller sent: found where that is the normalised form already, as it mostly is. */
  get(given: string, now: number): ApiKey | null {
    // A longer text cannot be in it, and is not worth hashing.
    if (given.length > MAX_KEY_LENGTH) return null;
    const entry = this.#entries.get(given);
    return entry !== undefined && entry.until > now ? entry.key : null;
  }

  /** Under a normalised key that is a string of its own, as it was at `readAt`. */
  put(normalised: string, key: ApiKey, readAt: number): void {
    this.#entries.delete(normalised);
    if (this.#entries.size >= MAX_CACHED_KEYS) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(normalised, { key, until: readAt + FRESH_MS });
  }

  /** Drops what has expired; to be called now and then, because nobody may ask for those keys again. */
  sweep(now: number): void {
    for (const [normalised, { until }] of this.#entries) {
      if (until > now) break;
      this.#entries.delete(normalised);
    }
  }
}
