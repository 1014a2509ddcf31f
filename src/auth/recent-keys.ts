/**
 * The API keys that worked within the last 24 hours, by hash, each with the clients for which it worked. For
 * a rate-limited client, only the keys that worked for this client are looked up. If use by other clients
 * counted too, an attacker could guess all keys in use at full speed.
 *
 * The database records which keys were used or created recently, also through other processes, and the
 * network of the last use. Until such a key is used in this process, it counts for the clients of that
 * network; others may try a few keys a minute (`brute-force-guard.ts`). A key that has been revoked since
 * does no harm: it is looked up, fails, and is dropped.
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
  /** From where it was last used (`network24Or48Of`); null: unknown. Without it, every client counts. */
  readonly network?: string | null;
}

interface Recent {
  usedAt: number;
  network: string | null | undefined;
  /** When each client used it last, in that order; null if only the database knows of its use. */
  readonly clients: Map<string, number> | null;
}

export const hashText = (hash: Uint8Array): string =>
  Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString("hex");

/** The /24 network of an IPv4 address, or the /48 network of an IPv6 network, as clients are counted. */
export function network24Or48Of(client: string): string {
  const [, v4] = /^(\d+\.\d+\.\d+)\.\d+$/.exec(client) ?? [];
  if (v4 !== undefined) return `${v4}.0/24`;
  return client.includes(":") ? `${client.split(":", 3).join(":")}::/48` : client;
}

export class RecentKeys {
  /** In the order of their last use. */
  #keys = new Map<string, Recent>();

  get size(): number {
    return this.#keys.size;
  }

  has(hash: string, client: string, now: number): boolean {
    const recent = this.#keys.get(hash);
    if (recent === undefined) return false;
    if (recent.clients !== null) return isRecent(recent.clients.get(client), now);
    const counts = recent.network === undefined || recent.network === network24Or48Of(client);
    return counts && isRecent(recent.usedAt, now);
  }

  /** Whether a key is in use, and not in this process: any client could be the one that uses it. */
  isUnseen(hash: string, now: number): boolean {
    const recent = this.#keys.get(hash);
    return recent?.clients === null && isRecent(recent.usedAt, now);
  }

  used(hash: string, client: string, now: number): void {
    const clients = this.#keys.get(hash)?.clients ?? new Map<string, number>();
    putLast(clients, client, now, MAX_CLIENTS_OF_KEY);
    putLast(this.#keys, hash, { usedAt: now, network: null, clients }, MAX_RECENT_KEYS);
  }

  forget(hash: string): void {
    this.#keys.delete(hash);
  }

  /**
   * Adds uses from the database, read at `wallNow` by the wall clock, which is `now` by the monotonic clock.
   */
  merge(uses: readonly KeyUse[], wallNow: number, now: number): void {
    for (const { hash, at, network } of uses) {
      const text = hashText(hash);
      // A date in the future was written by a machine whose clock is ahead.
      const usedAt = now - Math.max(wallNow - at, 0);
      const known = this.#keys.get(text);
      if (known === undefined) this.#keys.set(text, { usedAt, network, clients: null });
      else {
        known.usedAt = Math.max(usedAt, known.usedAt);
        known.network = network;
      }
    }
    this.#keys = new Map(
      [...this.#keys]
        .filter(([, { usedAt }]) => isRecent(usedAt, now))
        .sort(([, a], [, b]) => a.usedAt - b.usedAt)
        .slice(-MAX_RECENT_KEYS),
    );
  }

  /** The arguments of the database query. */
  static since(wallNow: number): { readonly since: number; readonly limit: number } {
    return { since: wallNow - RECENT_MS, limit: MAX_RECENT_KEYS };
  }
}

const isRecent = (usedAt: number | undefined, now: number): boolean =>
  usedAt !== undefined && now - usedAt < RECENT_MS;

/** Moves or adds an entry to the end, and evicts the first one beyond the limit. */
function putLast<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  if (map.size >= most) {
    const [first] = map.keys();
    if (first !== undefined) map.delete(first);
  }
  map.set(key, value);
}
