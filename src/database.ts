/** Which store keeps the data, by the settings. Apart from the rest, because most commands need nothing else. */
import { existsSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { Config, DatabaseAddress } from "./config.ts";
import { type Store, StoreRefused, type StoreWatch } from "./domain/ports.ts";
import { isSamePlace } from "./files/same-file.ts";
import type { Source, Target } from "./store/archive.ts";
import type { CopiedTable, CopyOptions, Progress, TableCount } from "./store/copy.ts";
import type { OpenOptions } from "./store/migrations.ts";

/** Creates the database, or migrates it where it may; throws StoreRefused where it cannot be used. Only the store in use is loaded. */
export async function openStore(
  { database, replica, refusedDays, refusedRows, refusedBytes }: Config,
  watch: StoreWatch | null,
  options: OpenOptions,
): Promise<Store> {
  const retention = { days: refusedDays, rows: refusedRows, bytes: refusedBytes };
  if (database.kind === "sqlite") {
    const { SqliteStore } = await import("./store/sqlite/store.ts");
    return SqliteStore.open(database.file, retention, watch, options);
  }
  const { PostgresStore } = await import("./store/postgres/store.ts");
  return PostgresStore.open(database.url, retention, replica, watch, options);
}

/** What a person knows it by; never its password. */
export async function databaseName(address: DatabaseAddress): Promise<string> {
  if (address.kind === "sqlite") return address.file;
  return (await import("./store/postgres/failures.ts")).shownAddress(address.url);
}

async function openSource(address: DatabaseAddress, mayBeOlder: boolean): Promise<Source> {
  if (address.kind === "sqlite") return (await import("./store/sqlite/archive.ts")).openSource(address.file);
  return (await import("./store/postgres/archive.ts")).openSource(address.url, mayBeOlder);
}
async function openTarget(address: DatabaseAddress, { schemaVersion }: Source): Promise<Target> {
  if (address.kind === "sqlite")
    return (await import("./store/sqlite/archive.ts")).openTarget(address.file, schemaVersion);
  return (await import("./store/postgres/archive.ts")).openTarget(address.url);
}

export type { CopiedTable, Progress, TableCount };

/** Everything, or nothing; throws StoreRefused where either database cannot be used for it. */
export async function copyDatabase(
  from: DatabaseAddress,
  to: DatabaseAddress,
  options: CopyOptions & { readonly onInUse: (source: string) => void; readonly mayBeOlder?: boolean },
): Promise<readonly CopiedTable[]> {
  const { copyArchive } = await import("./store/copy.ts");
  const source = await openSource(from, options.mayBeOlder ?? false);
  try {
    if (source.isInUse) options.onInUse(source.name);
    const target = await openTarget(to, source);
    try {
      return await copyArchive(source, target, options);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Everything as it is at the moment when it begins, in a file of its own; whoever writes meanwhile is not kept waiting. */
export async function backupDatabase(
  from: DatabaseAddress,
  file: string,
  options: CopyOptions & { readonly mayReplace: boolean },
): Promise<readonly TableCount[]> {
  requireOtherThanDatabase(from, file);
  const { writeBackup } = await import("./store/sqlite/backup-file.ts");
  const { copyPages } = await import("./store/sqlite/page-copy.ts");
  return writeBackup(file, options.mayReplace, (partial) =>
    from.kind === "sqlite"
      ? copyPages(from.file, partial, options)
      : copyDatabase(
          from,
          { kind: "sqlite", file: partial },
          { ...options, mayBeOlder: true, onInUse: () => {} },
        ),
  );
}

/** Refuses to write a file over the database in use, or over its journals. */
export function requireOtherThanDatabase(database: DatabaseAddress, file: string): void {
  if (database.kind !== "sqlite") return;
  if (isSamePlace(database.file, file))
    throw new StoreRefused(`${file} is the database itself; take another name`);
  // SQLite keeps them beside the file itself, not beside a link to it.
  const path = existsSync(database.file) ? realpathSync(database.file) : database.file;
  if (["-wal", "-shm", "-journal"].some((suffix) => isSamePlace(path + suffix, file)))
    throw new StoreRefused(`${file} belongs to the database ${database.file}; take another name`);
}

/** Everything that a backup holds, or nothing; throws StoreRefused where it is damaged, or `to` is not empty. */
export async function restoreDatabase(
  file: string,
  to: DatabaseAddress,
  options: CopyOptions,
): Promise<readonly CopiedTable[]> {
  const { readBackup } = await import("./store/sqlite/backup-file.ts");
  // Where there is room for all of it, and who restores may write; a server's disk is out of reach.
  const place = dirname(to.kind === "sqlite" ? to.file : file);
  return readBackup(file, place, (readable) =>
    copyDatabase({ kind: "sqlite", file: readable }, to, { ...options, onInUse: () => {} }),
  );
}

/** Leaves nothing of deleted rows in it; on a server, where others would have to wait for that, only where it is asked for. */
export async function rewriteDatabase(address: DatabaseAddress, isWhole: boolean): Promise<void> {
  if (address.kind === "sqlite") return (await import("./store/sqlite/rewrite.ts")).rewrite(address.file);
  return (await import("./store/postgres/rewrite.ts")).rewrite(address.url, isWhole);
}
