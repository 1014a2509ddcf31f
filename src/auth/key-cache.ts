/**
 * Caches API keys for half a second after they were read from the database, so that most calls need no
 * look-up. A revoked key keeps working for at most that long. Only valid keys are cached, in normalised form,
 * so that one key takes one entry however callers spell it. Unknown keys are never cached: a new key works at
 * once.
 *
 * Bounded in entries; an entry holds at most 128 characters of key and the key's record.
 */
import { type ApiKey, KEY_CACHE_MS, MAX_KEY_LENGTH } from "#domain/access/key.ts";

export const MAX_CACHED_KEYS = 10_000;

export interface CachedKey {
  readonly key: ApiKey;
  /** The hash of the key, as text. */
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

  /** By the key as sent: found if that is the normalised form already, as it usually is. */
  get(given: string, now: number): CachedKey | null {
    // A longer text cannot be cached, and is not worth hashing.
    if (given.length > MAX_KEY_LENGTH) return null;
    const entry = this.#entries.get(given);
    return entry !== undefined && entry.until > now ? entry : null;
  }

  /**
   * `normalised` must not be a slice of a request, whose memory it would retain. The entry expires relative
   * to `readAt`.
   */
  put(normalised: string, found: Omit<CachedKey, "until">, readAt: number): CachedKey {
    this.#entries.delete(normalised);
    if (this.#entries.size >= MAX_CACHED_KEYS) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    const entry = { ...found, until: readAt + KEY_CACHE_MS };
    this.#entries.set(normalised, entry);
    return entry;
  }

  /** Drops expired entries; to be called periodically, because their keys may never be used again. */
  sweep(now: number): void {
    for (const [normalised, { until }] of this.#entries) {
      if (until > now) break;
      this.#entries.delete(normalised);
    }
  }
}
