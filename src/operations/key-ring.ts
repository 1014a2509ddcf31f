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
  readonly #remembered = new Map<string, Remembered>();
  readonly #uses = new Map<KeyId, number>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The key, or null where it is missing, unknown, revoked or expired. */
  async find(given: string | null): Promise<ApiKey | null> {
    const text = parseKey(given);
    if (text === null) return null;
    const now = this.#clock();
    let key: ApiKey | null = null;
    const remembered = this.#remembered.get(text);
    if (remembered !== undefined && remembered.until > now) key = remembered.key;
    else {
      key = await this.#store.read("keyByHash", { hash: hashKey(text) });
      this.#remember(text, key, now);
    }
    if (key === null || !isUsable(key, now)) return null;
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

  #remember(text: string, key: ApiKey | null, now: number): void {
    this.#remembered.delete(text);
    if (key === null) return;
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(text, { key, until: now + FRESH_MS });
  }
}
