/** Keeps the time of the last use of each key (wall clock) in memory until it is written to the database. */
import type { KeyId } from "../domain/key.ts";
import type { Store } from "../domain/ports/store.ts";

export class KeyUsage {
  readonly #store: Store;
  readonly #usedAt = new Map<KeyId, number>();

  constructor(store: Store) {
    this.#store = store;
  }

  used(key: KeyId, at: number): void {
    this.#usedAt.set(key, at);
  }

  /** Writes all to the database; after a failure they are kept for the next time. */
  async flush(): Promise<void> {
    if (this.#usedAt.size === 0) return;
    const uses = [...this.#usedAt].map(([id, at]) => ({ id, at }));
    this.#usedAt.clear();
    try {
      await this.#store.keys.touch({ uses });
    } catch (error) {
      for (const { id, at } of uses) if (!this.#usedAt.has(id)) this.#usedAt.set(id, at);
      throw error;
    }
  }
}
