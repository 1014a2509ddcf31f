/**
 * The copy of a SQLite file that the service makes before it changes the schema, so that one can go back to
 * the version before: a backup beside the file, such as `mailroll.db.before-25`. At most one is kept.
 */
import { readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { StoreRefused } from "#domain/ports/errors.ts";
import { PROGRAM } from "#shipped.ts";
import type { CopyOptions } from "../../archive/copy.ts";
import type { SchemaVersions } from "../../migrations.ts";
import { appliedTo, newestSchema } from "../migrate.ts";
import { writeBackup } from "./backup-file.ts";
import { openExisting } from "./database-file.ts";
import { copyPages } from "./page-copy.ts";

const MIB = 1024 ** 2;

/** A link to the file, too, has its copies beside the file itself. */
const realPath = (file: string): string => {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
};

/** The copies that there are of this file. */
export function migrationCopies(file: string): readonly string[] {
  const real = realPath(file);
  const prefix = `${basename(real)}.before-`;
  try {
    return readdirSync(dirname(real))
      .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
      .map((name) => join(dirname(real), name));
  } catch {
    return [];
  }
}

/** Returns the removed ones. */
export function removeMigrationCopies(file: string, except: string | null = null): readonly string[] {
  const removed = migrationCopies(file).filter((copy) => copy !== except);
  for (const copy of removed) rmSync(copy, { force: true });
  return removed;
}

/** The schema of the file, and the one that it is to have. */
export function pendingMigration(file: string): SchemaVersions {
  const db = openExisting(file);
  try {
    return { from: appliedTo(db), to: newestSchema() };
  } finally {
    db.close();
  }
}

/** Returns the path of the copy, which is complete and verified. An earlier one is removed then. */
export async function copyBeforeMigration(
  file: string,
  { from }: SchemaVersions,
  options: CopyOptions,
): Promise<string> {
  const real = realPath(file);
  const copy = `${real}.before-${from}`;
  await requireRoom(real);
  await writeBackup(copy, true, (partial) => copyPages(real, partial, options));
  removeMigrationCopies(real, copy);
  return copy;
}

async function requireRoom(file: string): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(file));
  const free = bavail * bsize;
  const journal = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const needed = statSync(file).size + journal;
  if (free < needed)
    throw new StoreRefused(
      `there is no room for the copy of ${file} that is made before its schema changes: it needs ${Math.ceil(needed / MIB)} MiB, and ${Math.floor(free / MIB)} MiB are free. Free some space; or take a backup to another disk ('${PROGRAM} backup FILE') and start once with --no-backup. Nothing was changed`,
    );
}
