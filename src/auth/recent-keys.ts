/**
 * The API keys that worked within the last 24 hours, by hash, each with the clients for which it worked. For
 * a rate-limited client, only the keys that worked for this client are looked up. If use by other clients
 * counted too, an attacker could guess all keys in use at full speed.
 *
 * The database records which keys were used or created recently, also through other processes, but not by
 * which clients. Such a key counts for every client until it is used in this process. A key that has been
 * revoked since does no harm: it is looked up, fails, and is dropped.
 *
 * Bounded in keys and in clients per key; the least recently used are evicted first. Time is monotonic; dates
 * from the database are converted into ages.
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
  /** When each client used it last, in that order; null if only the database knows of its use. */
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

  /**
   * Adds uses from the database, read at `wallNow` by the wall clock, which is `now` by the monotonic clock.
   */
  merge(uses: readonly KeyUse[], wallNow: number, now: number): void {
    for (const { hash, at } of uses) {
      const text = hashText(hash);
      // A date in the future was written by a machine whose clock is ahead.
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

  /** The arguments of the database query. */
  static since(wallNow: number): { readonly since: number; readonly limit: number } {
    return { since: wallNow - RECENT_MS, limit: MAX_RECENT_KEYS };
  }
}

/** Moves or adds an entry to the end, and evicts the first one beyond the limit. */
function putLast<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  if (map.size >= most) {
    const [first] = map.keys();
    if (first !== undefined) map.delete(first);
  }
  map.set(key, value);
}
