/**
 * Opens, copies, backs up and restores the configured database. A module of its own, because most commands
 * need only it.
 */
import { existsSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { OlderSchema, StoreRefused } from "#domain/ports/errors.ts";
import type { Store, StoreWatch } from "#domain/ports/store.ts";
import { isSamePlace } from "#files/same-file.ts";
import type { Source, Target } from "#store/archive/archive.ts";
import type { CopiedTable, CopyOptions, Progress, TableCount } from "#store/archive/copy.ts";
import type { OpenOptions, SchemaVersions } from "#store/migrations.ts";
import type { AcceptedJournal } from "#store/sqlite/file/damaged-journal.ts";
import type { Config, DatabaseAddress } from "./settings/config.ts";

/** What the service does before it migrates an older database. */
export interface BeforeMigration {
  /** Called first; the copy of a SQLite file, and the migration, can take minutes on a large database. */
  readonly onBegin: (versions: SchemaVersions) => void;
  /** How a SQLite file is copied; null: it is not. */
  readonly copy: CopyOptions | null;
}

/**
 * Creates the database, or migrates it where that is allowed. Only the configured store is loaded. Throws
 * StoreRefused where the database cannot be used.
 */
export async function openStore(
  { database, replica, refusedDays, refusedRows, refusedBytes, uploadLimit, diskReserve, ledgerDays }: Config,
  watch: StoreWatch | null,
  opening: Omit<OpenOptions, "mayMigrate" | "onMigrate">,
  migration: BeforeMigration | null = null,
): Promise<Store> {
  const options = { ...opening, uploads: { bytes: uploadLimit, diskReserve }, ledgerDays };
  const retention = { days: refusedDays, rows: refusedRows, bytes: refusedBytes };
  if (database.kind === "sqlite") {
    const { SqliteStore } = await import("#store/sqlite/store.ts");
    const open = (mayMigrate: boolean) =>
      SqliteStore.open(database.file, retention, watch, { ...options, mayMigrate });
    try {
      return await open(false);
    } catch (error) {
      if (!(error instanceof OlderSchema) || migration === null) throw error;
    }
    const { copyBeforeMigration, pendingMigration } = await import("#store/sqlite/file/migration-copy.ts");
    const versions = pendingMigration(database.file);
    migration.onBegin(versions);
    if (migration.copy !== null) await copyBeforeMigration(database.file, versions, migration.copy);
    return open(true);
  }
  const { PostgresStore } = await import("#store/postgres/store.ts");
  const mayMigrate = migration !== null;
  const onMigrate = migration?.onBegin ?? (() => {});
  return PostgresStore.open(database.url, retention, replica, watch, { ...options, mayMigrate, onMigrate });
}

/** For SQLite only; see the store. */
export async function acceptDamagedJournal(file: string, now: number): Promise<AcceptedJournal | null> {
  return (await import("#store/sqlite/file/damaged-journal.ts")).acceptDamagedJournal(file, now);
}

/** The name to show, without a password. */
export async function databaseName(address: DatabaseAddress): Promise<string> {
  if (address.kind === "sqlite") return address.file;
  return (await import("#store/postgres/sessions/failures.ts")).shownAddress(address.url);
}

async function openSource(address: DatabaseAddress, mayBeOlder: boolean): Promise<Source> {
  if (address.kind === "sqlite") return (await import("#store/sqlite/archive.ts")).openSource(address.file);
  return (await import("#store/postgres/archive.ts")).openSource(address.url, mayBeOlder);
}
async function openTarget(address: DatabaseAddress, { schemaVersion }: Source): Promise<Target> {
  if (address.kind === "sqlite")
    return (await import("#store/sqlite/archive.ts")).openTarget(address.file, schemaVersion);
  return (await import("#store/postgres/archive.ts")).openTarget(address.url);
}

export type { CopiedTable, Progress, TableCount };

/** Copies everything or nothing. Throws StoreRefused where either database cannot be used for it. */
export async function copyDatabase(
  from: DatabaseAddress,
  to: DatabaseAddress,
  options: CopyOptions & { readonly onInUse: (source: string) => void; readonly mayBeOlder?: boolean },
): Promise<readonly CopiedTable[]> {
  const { copyArchive } = await import("#store/archive/copy.ts");
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

/**
 * Takes an online backup into one file: a snapshot of the moment when it begins. Writers do not wait for it.
 */
export async function backupDatabase(
  from: DatabaseAddress,
  file: string,
  options: CopyOptions & { readonly mayReplace: boolean },
): Promise<readonly TableCount[]> {
  requireOtherThanDatabase(from, file);
  const { writeBackup } = await import("#store/sqlite/file/backup-file.ts");
  const { copyPages } = await import("#store/sqlite/file/page-copy.ts");
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

/** The copies that the service made before it migrated a SQLite file, and their removal. */
export async function migrationCopies(address: DatabaseAddress): Promise<readonly string[]> {
  if (address.kind !== "sqlite") return [];
  return (await import("#store/sqlite/file/migration-copy.ts")).migrationCopies(address.file);
}
export async function removeMigrationCopies(address: DatabaseAddress): Promise<readonly string[]> {
  if (address.kind !== "sqlite") return [];
  return (await import("#store/sqlite/file/migration-copy.ts")).removeMigrationCopies(address.file);
}

/** Throws StoreRefused where the file is the configured database, or one of its journals. */
export function requireOtherThanDatabase(database: DatabaseAddress, file: string): void {
  if (database.kind !== "sqlite") return;
  if (isSamePlace(database.file, file))
    throw new StoreRefused(`${file} is the database itself; choose another file name`);
  // SQLite keeps its journals beside the file itself, not beside a link to it.
  const path = existsSync(database.file) ? realpathSync(database.file) : database.file;
  if (["-wal", "-shm", "-journal"].some((suffix) => isSamePlace(path + suffix, file)))
    throw new StoreRefused(`${file} is a journal of the database ${database.file}; choose another file name`);
}

/** Restores everything or nothing. Throws StoreRefused where the backup is damaged, or `to` is not empty. */
export async function restoreDatabase(
  file: string,
  to: DatabaseAddress,
  options: CopyOptions,
): Promise<readonly CopiedTable[]> {
  const { readBackup } = await import("#store/sqlite/file/backup-file.ts");
  // For temporary files: there is room for all of it, and the user may write there. A server's disk is out of
  // reach.
  const place = dirname(to.kind === "sqlite" ? to.file : file);
  return readBackup(file, place, (readable) =>
    copyDatabase({ kind: "sqlite", file: readable }, to, { ...options, onInUse: () => {} }),
  );
}

/**
 * Removes what is left of deleted rows from the files. On PostgreSQL this blocks others, so only where
 * `isWhole` is set.
 */
export async function rewriteDatabase(address: DatabaseAddress, isWhole: boolean): Promise<void> {
  if (address.kind === "sqlite") (await import("#store/sqlite/file/rewrite.ts")).rewrite(address.file);
  else await (await import("#store/postgres/rewrite.ts")).rewrite(address.url, isWhole);
}
