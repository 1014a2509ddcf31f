/** Which store keeps the data, by the settings. Apart from the rest, because most commands need nothing else. */
import type { Config } from "./config.ts";
import type { Store } from "./domain/ports.ts";

/** Creates or migrates the database; throws StoreRefused where it cannot be used. Only the store in use is loaded. */
export async function openStore({ database, refusedDays, refusedRows }: Config): Promise<Store> {
  const retention = { days: refusedDays, rows: refusedRows };
  if (database.kind === "sqlite") {
    const { SqliteStore } = await import("./store/sqlite/store.ts");
    return SqliteStore.open(database.file, retention);
  }
  const { PostgresStore } = await import("./store/postgres/store.ts");
  return PostgresStore.open(database.url, retention);
}
