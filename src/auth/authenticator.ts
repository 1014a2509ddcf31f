/**
 * Authenticates SOAP and JSON requests. A key is taken from the key cache or looked up in the database. The
 * brute-force guard is checked before a look-up and counts each failure. A valid key is then counted against
 * its rate limit. What a key may do (its scope) is not decided here.
 *
 * A client with too many authentication failures is refused without a look-up, except for keys that worked
 * for it within the last 24 hours: behind one proxy there may be an attacker and legitimate callers. Of keys
 * that were used elsewhere since, as the database says, it may try a few.
 *
 * Caches and limits use monotonic time. The wall clock, which may be set back, counts only for what is
 * stored: when a key expires and when it was used.
 */

import { Fault } from "#contract/faults.ts";
import {
  type ApiKey,
  hashKey,
  isUsable,
  KEY_CACHE_MS,
  type KeyId,
  MAX_KEY_LENGTH,
  parseKey,
} from "#domain/access/key.ts";
import type { AccountId } from "#domain/account.ts";
import type { Clocks, MonotonicClock } from "#domain/clocks.ts";
import type { Store } from "#domain/ports/store.ts";
import { ownText } from "#domain/text.ts";
import { BruteForceGuard } from "./brute-force-guard.ts";
import { KeyCalls } from "./key-calls.ts";
import { LastUse } from "./last-use.ts";
import { hashText, RecentKeys } from "./recent-keys.ts";

/** The API key of a JSON request: `Authorization: Bearer <key>` (RFC 6750). */
export const bearerOf = (authorization: string | undefined): string | null =>
  /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? "")?.[1] ?? null;

/**
 * Caches API keys for half a second after they were read from the database, so that most calls need no
 * look-up. A revoked key keeps working for at most that long. Only valid keys are cached, in normalised form,
 * so that one key takes one entry however callers spell it. Unknown keys are never cached: a new key works at
 * once.
 *
 * Bounded in entries; an entry holds at most 128 characters of key and the key's record.
 */
export const MAX_CACHED_KEYS = 10_000;

interface CachedKey {
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

/**
 * Limits the calls of each API key per minute. The minute begins at the same time for all keys, so that there
 * is one number per key and resetting is one operation. A key over its limit gets Throttled with the time
 * until the next minute.
 */
const MINUTE_MS = 60_000;

export class KeyRate {
  readonly #mostPerMinute: number;
  readonly #clock: MonotonicClock;
  readonly #counts = new Map<KeyId, number>();
  #until = Number.NEGATIVE_INFINITY;
  /** Refused calls in total. */
  refusals = 0;

  constructor(mostPerMinute: number, clock: MonotonicClock) {
    this.#mostPerMinute = mostPerMinute;
    this.#clock = clock;
  }

  /** Throws Throttled if the key is over its limit. */
  count(key: KeyId): void {
    const now = this.#clock();
    if (now >= this.#until) {
      this.#counts.clear();
      this.#until = now + MINUTE_MS;
    }
    const calls = (this.#counts.get(key) ?? 0) + 1;
    if (calls > this.#mostPerMinute) {
      this.refusals += 1;
      throw new Fault(
        "Throttled",
        `This API key may make ${this.#mostPerMinute} calls a minute. Try again when the minute is over.`,
        { retryAfterSeconds: Math.ceil((this.#until - now) / 1000) },
      );
    }
    this.#counts.set(key, calls);
  }
}

/** The recently used keys are read from the database at most this often, however many clients are refused. */
const REFRESH_MS = 10_000;

/** The client of a call and, once authenticated, its account. Never an API key, never an e-mail address. */
export interface CallNotes {
  /** The address to count by; computed only when it is read. */
  readonly client: string;
  account: AccountId | null;
  key: KeyId | null;
}

interface AuthenticatorOptions {
  readonly store: Store;
  readonly clocks: Clocks;
  /** Calls of one key in a minute; null: unlimited. */
  readonly keyRate: number | null;
  /** A client is rate-limited from now on. */
  readonly onRefused: (client: string) => void;
  /** The recently used keys could not be read; known keys keep working. */
  readonly onLoadFailed: (error: unknown) => void;
}

export class Authenticator {
  readonly guard: BruteForceGuard;
  readonly rate: KeyRate | null;
  readonly usage: LastUse<KeyId>;
  readonly calls: KeyCalls;
  readonly #options: AuthenticatorOptions;
  readonly #cache = new KeyCache();
  readonly #recent = new RecentKeys();
  /** By normalised key; at most one per call in flight, which admission control limits. */
  readonly #lookUps = new Map<string, Promise<CachedKey | null>>();
  #refreshedAt = Number.NEGATIVE_INFINITY;

  constructor(options: AuthenticatorOptions) {
    const { store, clocks, keyRate, onRefused } = options;
    this.#options = options;
    this.usage = new LastUse((uses) => store.keys.touch(uses));
    this.calls = new KeyCalls((added) => store.statistics.addCalls(added), clocks.wall);
    this.rate = keyRate === null ? null : new KeyRate(keyRate, clocks.monotonic);
    this.guard = new BruteForceGuard({
      clock: clocks.monotonic,
      pause: clocks.pause,
      onRefused: (client) => {
        onRefused(client);
        this.#refreshRecentKeys();
      },
    });
  }

  /** How many keys are in memory, and how many look-ups are in progress. */
  get sizes(): { readonly cached: number; readonly recent: number; readonly lookUps: number } {
    return { cached: this.#cache.size, recent: this.#recent.size, lookUps: this.#lookUps.size };
  }

  /** null if the key is missing, unknown, revoked or expired. Throws Throttled. */
  async authenticate(given: string | null, notes: CallNotes): Promise<ApiKey | null> {
    const key = this.recall(given, notes) ?? (await this.#find(given, notes));
    if (key === null) await this.guard.failed(notes.client);
    return key;
  }

  /** As `authenticate`, from the cache only: null also if the key must be looked up. */
  recall(given: string | null, notes: CallNotes): ApiKey | null {
    if (given === null) return null;
    const now = this.#options.clocks.monotonic();
    const cached = this.#cache.get(given, now);
    return cached === null ? null : this.#accept(cached, notes, now);
  }

  async #find(given: string | null, notes: CallNotes): Promise<ApiKey | null> {
    const normalised = parseKey(given);
    if (normalised === null) return null;
    const cached = this.recall(normalised, notes);
    if (cached !== null) return cached;
    const lookUp = this.#lookUps.get(normalised) ?? this.#lookUp(normalised, ownText(notes.client));
    const found = await lookUp;
    return found === null ? null : this.#accept(found, notes, this.#options.clocks.monotonic());
  }

  #accept(cached: CachedKey, notes: CallNotes, now: number): ApiKey | null {
    const { key } = cached;
    const wallNow = this.#options.clocks.wall();
    if (!isUsable(key, wallNow)) return null;
    const { client } = notes;
    if (client !== cached.client) this.#admit(cached, client, now);
    notes.account = key.account;
    notes.key = key.id;
    this.usage.used(key.id, wallNow, cached.client);
    this.rate?.count(key.id);
    return key;
  }

  /** For a cached key that another client than the last one uses. */
  #admit(cached: CachedKey, client: string, now: number): void {
    if (!this.#recent.has(cached.hash, client, now)) this.guard.check(client);
    cached.client = ownText(client);
    this.#recent.used(cached.hash, cached.client, now);
  }

  /** Concurrent calls with the same key share one look-up. */
  #lookUp(normalised: string, client: string): Promise<CachedKey | null> {
    const { store, clocks } = this.#options;
    const now = clocks.monotonic();
    const hash = hashKey(normalised);
    const text = hashText(hash);
    const end = this.#recent.has(text, client, now)
      ? null
      : this.guard.beginLookUp(client, "key", () => this.#recent.isUnseen(text, now));
    const read = async (): Promise<CachedKey | null> => {
      try {
        const key = await store.keys.byHash({ hash });
        if (key === null || !isUsable(key, clocks.wall())) {
          this.#recent.forget(text);
          return null;
        }
        this.#recent.used(text, client, now);
        return this.#cache.put(normalised, { key, hash: text, client }, now);
      } finally {
        this.#lookUps.delete(normalised);
        end?.();
      }
    };
    const lookUp = read();
    this.#lookUps.set(normalised, lookUp);
    return lookUp;
  }

  /**
   * When a client becomes rate-limited: keys may have been created since, or used through other processes.
   */
  #refreshRecentKeys(): void {
    const now = this.#options.clocks.monotonic();
    if (now - this.#refreshedAt < REFRESH_MS) return;
    this.#refreshedAt = now;
    void this.loadRecentKeys();
  }

  /**
   * Reads the recently used keys from the database; to be called before the first call is served. Never
   * rejects.
   */
  async loadRecentKeys(): Promise<void> {
    const { store, clocks, onLoadFailed } = this.#options;
    const [now, wallNow] = [clocks.monotonic(), clocks.wall()];
    try {
      this.#recent.merge(await store.keys.recent(RecentKeys.since(wallNow)), wallNow, now);
    } catch (error) {
      onLoadFailed(error);
    }
  }

  /** Drops expired cache entries; to be called periodically. */
  sweep(): void {
    this.#cache.sweep(this.#options.clocks.monotonic());
  }
}
