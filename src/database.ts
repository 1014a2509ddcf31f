/** Which store keeps the data, by the settings. Apart from the rest, because most commands need nothing else. */
import type { Config, DatabaseAddress } from "./config.ts";
import type { Store, StoreWatch } from "./domain/ports.ts";
import type { Source, Target } from "./store/archive.ts";
import type { CopiedTable, CopyOptions, Progress } from "./store/copy.ts";

/** Creates or migrates the database; throws StoreRefused where it cannot be used. Only the store in use is loaded. */
export async function openStore(
  { database, replica, refusedDays, refusedRows }: Config,
  watch: StoreWatch | null = null,
): Promise<Store> {
  const retention = { days: refusedDays, rows: refusedRows };
  if (database.kind === "sqlite") {
    const { SqliteStore } = await import("./store/sqlite/store.ts");
    return SqliteStore.open(database.file, retention, watch);
  }
  const { PostgresStore } = await import("./store/postgres/store.ts");
  return PostgresStore.open(database.url, retention, replica, watch);
}

async function openSource(address: DatabaseAddress): Promise<Source> {
  if (address.kind === "sqlite") return (await import("./store/sqlite/archive.ts")).openSource(address.file);
  return (await import("./store/postgres/archive.ts")).openSource(address.url);
}
async function openTarget(address: DatabaseAddress): Promise<Target> {
  if (address.kind === "sqlite") return (await import("./store/sqlite/archive.ts")).openTarget(address.file);
  return (await import("./store/postgres/archive.ts")).openTarget(address.url);
}

export type { CopiedTable, Progress };

/** Everything, or nothing; throws StoreRefused where either database cannot be used for it. */
export async function copyDatabase(
  from: DatabaseAddress,
  to: DatabaseAddress,
  options: CopyOptions & { readonly onInUse: (source: string) => void },
): Promise<readonly CopiedTable[]> {
  const { copyArchive } = await import("./store/copy.ts");
  const source = await openSource(from);
  try {
    if (source.isInUse) options.onInUse(source.name);
    const target = await openTarget(to);
    try {
      return await copyArchive(source, target, options);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
