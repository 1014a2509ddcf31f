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

export interface CachedKey {
  readonly key: ApiKey;
  /** Of the key, as text. */
  readonly hash: string;
  /** Who used it last. */
  client: string;
  readonly until: number;
}

export class KeyCache {
  /** In the order in which entries expire. */
  readonly #entries = new Map<string, CachedKey>();

  get size(): number {
    return this.#entries.size;
  }

  /** By what a caller sent: found where that is the normalised form already, as it mostly is. */
  get(given: string, now: number): CachedKey | null {
    // A longer text cannot be in it, and is not worth hashing.
    if (given.length > MAX_KEY_LENGTH) return null;
    const entry = this.#entries.get(given);
    return entry !== undefined && entry.until > now ? entry : null;
  }

  /** Under a normalised key that is a string of its own, as it was at `readAt`. */
  put(normalised: string, found: Omit<CachedKey, "until">, readAt: number): CachedKey {
    this.#entries.delete(normalised);
    if (this.#entries.size >= MAX_CACHED_KEYS) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    const entry = { ...found, until: readAt + FRESH_MS };
    this.#entries.set(normalised, entry);
    return entry;
  }

  /** Drops what has expired; to be called now and then, because nobody may ask for those keys again. */
  sweep(now: number): void {
    for (const [normalised, { until }] of this.#entries) {
      if (until > now) break;
      this.#entries.delete(normalised);
    }
  }
}
