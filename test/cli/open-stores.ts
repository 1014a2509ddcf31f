/** Stores that stay open from one command to the next, one per database. */
import { openStore } from "#app/database.ts";
import type { Store } from "#domain/ports/store.ts";

export class OpenStores {
  readonly #opened = new Map<string, { readonly store: Store; readonly close: () => Promise<void> }>();

  /** As `openStore`, but the store that it returns ignores `close`. */
  readonly open: typeof openStore = async (config, watch, opening, migration) => {
    const { database, refusedDays, refusedRows, refusedBytes } = config;
    const name = JSON.stringify([database, refusedDays, refusedRows, refusedBytes]);
    const found = this.#opened.get(name);
    if (found !== undefined) return found.store;
    const store = await openStore(config, watch, opening, migration);
    this.#opened.set(name, { store, close: store.close.bind(store) });
    store.close = async () => {};
    return store;
  };

  async close(): Promise<void> {
    await Promise.all([...this.#opened.values()].map(({ close }) => close()));
  }
}
