/**
 * Hashes of the API keys that worked within the last 24 hours: the only ones that are still looked up for a client
 * whose keys failed too often. They come from the database (keys used or created lately, also through other processes)
 * and from the calls of this process. A key that has been revoked since does no harm here: it is looked up, fails, and
 * is dropped.
 *
 * Bounded: the least recently used leave first. Time is monotonic; dates from the database become ages.
 */
const RECENT_MS = 24 * 3_600_000;
export const MAX_RECENT_KEYS = 10_000;

export interface KeyUse {
  readonly hash: Uint8Array;
  /** When the key was last used, or else created; by the wall clock. */
  readonly at: number;
}

export const hashText = (hash: Uint8Array): string =>
  Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString("hex");

export class RecentKeys {
  /** When each was last used, in that order. */
  #usedAt = new Map<string, number>();

  get size(): number {
    return this.#usedAt.size;
  }

  has(hash: string, now: number): boolean {
    const usedAt = this.#usedAt.get(hash);
    return usedAt !== undefined && now - usedAt < RECENT_MS;
  }

  used(hash: string, now: number): void {
    this.#usedAt.delete(hash);
    if (this.#usedAt.size >= MAX_RECENT_KEYS) {
      const [oldest] = this.#usedAt.keys();
      if (oldest !== undefined) this.#usedAt.delete(oldest);
    }
    this.#usedAt.set(hash, now);
  }

  forget(hash: string): void {
    this.#usedAt.delete(hash);
  }

  /** Adds what the database says, read at `wallNow` by the wall clock, which is `now` by the monotonic one. */
  merge(uses: readonly KeyUse[], wallNow: number, now: number): void {
    for (const { hash, at } of uses) {
      const text = hashText(hash);
      // A date in the future was written by a clock that is ahead of ours.
      const usedAt = now - Math.max(wallNow - at, 0);
      this.#usedAt.set(text, Math.max(usedAt, this.#usedAt.get(text) ?? usedAt));
    }
    this.#usedAt = new Map(
      [...this.#usedAt]
        .filter(([, usedAt]) => now - usedAt < RECENT_MS)
        .sort(([, a], [, b]) => a - b)
        .slice(-MAX_RECENT_KEYS),
    );
  }

  /** What to ask the database for. */
  static since(wallNow: number): { readonly since: number; readonly limit: number } {
    return { since: wallNow - RECENT_MS, limit: MAX_RECENT_KEYS };
  }
}
