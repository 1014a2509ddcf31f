/**
 * Keys that were seen lately, so that a call does not wait for the database to know its caller. A key is looked at
 * anew after half a second: that is how long a revoked one can go on. An unknown key is never remembered, so a new
 * one works at once.
 */
import { type ApiKey, hashKey, isUsable, type KeyId, parseKey } from "../domain/key.ts";
import type { Clock, Store } from "../domain/ports.ts";

const FRESH_MS = 500;
const MAX_REMEMBERED = 10_000;

interface Remembered {
  readonly key: ApiKey;
  readonly until: number;
}

export class KeyRing {
  readonly #store: Store;
  readonly #clock: Clock;
  /** By what the caller wrote, so that a key that is known need not be looked at any closer. */
  readonly #remembered = new Map<string, Remembered>();
  readonly #asked = new Map<string, Promise<ApiKey | null>>();
  readonly #uses = new Map<KeyId, number>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The key, or null where it is missing, unknown, revoked or expired. */
  async find(given: string | null): Promise<ApiKey | null> {
    const recalled = this.recall(given);
    if (recalled !== null || given === null) return recalled;
    const text = parseKey(given);
    if (text === null) return null;
    const key = await this.#ask(given, text);
    return key === null ? null : this.#used(key, this.#clock());
  }

  /** As `find`, without waiting: null also where the key has not been seen lately. */
  recall(given: string | null): ApiKey | null {
    const remembered = given === null ? undefined : this.#remembered.get(given);
    if (remembered === undefined) return null;
    const now = this.#clock();
    return remembered.until > now ? this.#used(remembered.key, now) : null;
  }

  /** Many calls may come with a key while it is being looked up: they all wait for the same answer. */
  #ask(given: string, text: string): Promise<ApiKey | null> {
    const asked = this.#asked.get(given);
    if (asked !== undefined) return asked;
    const now = this.#clock();
    const asking = this.#store
      .read("keyByHash", { hash: hashKey(text) })
      .then((key) => {
        this.#remember(given, key, now);
        return key;
      })
      .finally(() => this.#asked.delete(given));
    this.#asked.set(given, asking);
    return asking;
  }

  #used(key: ApiKey, now: number): ApiKey | null {
    if (!isUsable(key, now)) return null;
    this.#uses.set(key.id, now);
    return key;
  }

  /** Writes down when keys were last used; to be called now and then, and when the service ends. */
  async noteUses(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = [...this.#uses].map(([id, at]) => ({ id, at }));
    this.#uses.clear();
    try {
      await this.#store.write("touchKeys", { uses });
    } catch (error) {
      for (const { id, at } of uses) if (!this.#uses.has(id)) this.#uses.set(id, at);
      throw error;
    }
  }

  #remember(given: string, key: ApiKey | null, now: number): void {
    this.#remembered.delete(given);
    if (key === null) return;
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(given, { key, until: now + FRESH_MS });
  }
}
