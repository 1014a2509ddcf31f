/**
 * Which API keys worked within the last 24 hours, by hash, and from which clients: the only ones that are still looked
 * up for a client whose keys failed too often. That a key is in use elsewhere does not count, or a search could go on
 * at full speed for all keys in use.
 *
 * The database says which keys were used or created lately, also through other processes, but not by whom. Such a key
 * counts for every client until it is used in this process. A key that has been revoked since does no harm here: it is
 * looked up, fails, and is dropped.
 *
 * Bounded in keys and in clients of a key: the least recently used leave first. Time is monotonic; dates from the
 * database become ages.
 */
const RECENT_MS = 24 * 3_600_000;
export const MAX_RECENT_KEYS = 10_000;
export const MAX_CLIENTS_OF_KEY = 16;

export interface KeyUse {
  readonly hash: Uint8Array;
  /** When the key was last used, or else created; by the wall clock. */
  readonly at: number;
}

interface Recent {
  usedAt: number;
  /** When each used it last, in that order; null where only the database says that it was used. */
  readonly clients: Map<string, number> | null;
}

export const hashText = (hash: Uint8Array): string =>
  Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString("hex");

export class RecentKeys {
  /** In the order of their last use. */
  #keys = new Map<string, Recent>();

  get size(): number {
    return this.#keys.size;
  }

  has(hash: string, client: string, now: number): boolean {
    const recent = this.#keys.get(hash);
    const usedAt = recent?.clients === null ? recent.usedAt : recent?.clients.get(client);
    return usedAt !== undefined && now - usedAt < RECENT_MS;
  }

  used(hash: string, client: string, now: number): void {
    const clients = this.#keys.get(hash)?.clients ?? new Map<string, number>();
    putLast(clients, client, now, MAX_CLIENTS_OF_KEY);
    putLast(this.#keys, hash, { usedAt: now, clients }, MAX_RECENT_KEYS);
  }

  forget(hash: string): void {
    this.#keys.delete(hash);
  }

  /** Adds what the database says, read at `wallNow` by the wall clock, which is `now` by the monotonic one. */
  merge(uses: readonly KeyUse[], wallNow: number, now: number): void {
    for (const { hash, at } of uses) {
      const text = hashText(hash);
      // A date in the future was written by a clock that is ahead of ours.
      const usedAt = now - Math.max(wallNow - at, 0);
      const known = this.#keys.get(text);
      if (known === undefined) this.#keys.set(text, { usedAt, clients: null });
      else known.usedAt = Math.max(usedAt, known.usedAt);
    }
    this.#keys = new Map(
      [...this.#keys]
        .filter(([, { usedAt }]) => now - usedAt < RECENT_MS)
        .sort(([, a], [, b]) => a.usedAt - b.usedAt)
        .slice(-MAX_RECENT_KEYS),
    );
  }

  /** What to ask the database for. */
  static since(wallNow: number): { readonly since: number; readonly limit: number } {
    return { since: wallNow - RECENT_MS, limit: MAX_RECENT_KEYS };
  }
}

/** Puts an entry last, and drops the first one where there would be too many. */
function putLast<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  if (map.size >= most) {
    const [first] = map.keys();
    if (first !== undefined) map.delete(first);
  }
  map.set(key, value);
}
