/** Which store keeps the data, by the settings. Apart from the rest, because most commands need nothing else. */
import type { Config } from "./config.ts";
import type { Store } from "./domain/ports.ts";
import { SqliteStore } from "./store/sqlite/store.ts";

/** Creates or migrates the database; throws StoreRefused where it cannot be used. */
export const openStore = ({ database, refusedDays, refusedRows }: Config): Promise<Store> =>
  SqliteStore.open(database.file, { days: refusedDays, rows: refusedRows });
