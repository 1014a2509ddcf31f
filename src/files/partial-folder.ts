/**
 * A temporary folder for an incomplete file, beside its final path. Only its owner may enter it, its name is
 * random and it is always newly created, so that no planted link is followed. A killed process leaves its
 * folder behind: the next process that creates such a folder in the same place removes it.
 *
 * A lock in the folder shows whether its process is still running. The operating system releases the lock
 * however the process ends, also across containers and on network file systems, where process ids and clocks
 * are useless.
 */
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";

/** Why a file could not be written, in plain words. */
export const writeFailure = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "ENOSPC" ? "the disk is full" : message;
};

const PREFIX = "mailroll-partial-";
const NAME = /^mailroll-partial-[A-Za-z0-9]{6}$/;
const MAX_ATTEMPTS = 5;
const SQLITE_FULL = 13;
const LOCK = "lock";
const FILE = "file";
/**
 * All entries of such a folder: the lock is a SQLite database and the file may be one, each with journals.
 */
const ENTRIES: ReadonlySet<string> = new Set(
  [LOCK, FILE].flatMap((name) => ["", "-journal", "-wal", "-shm"].map((suffix) => name + suffix)),
);

export class PartialFolder {
  readonly path: string;
  /** Where the file is written until it is complete. */
  readonly file: string;
  readonly #lock: DatabaseSync;

  private constructor(path: string, lock: DatabaseSync) {
    this.path = path;
    this.file = join(path, FILE);
    this.#lock = lock;
  }

  /** In the folder of the final path, so that the file can be renamed to it. */
  static beside(file: string): PartialFolder {
    return PartialFolder.within(dirname(file));
  }

  static within(parent: string): PartialFolder {
    let reason: unknown = new Error(
      "another process removes what is created there; look for a clean-up of that folder",
    );
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const path = mkdtempSync(join(parent, PREFIX));
      const lock = tryLock(path, "rwc");
      // Another process may have removed the folder as abandoned before the lock was created.
      if (lock instanceof DatabaseSync && existsSync(lockIn(path))) {
        removeAbandoned(parent);
        return new PartialFolder(path, lock);
      }
      if (lock instanceof DatabaseSync) lock.close();
      else reason = lock.reason;
      rmSync(path, { recursive: true, force: true });
    }
    const { message, errcode } = reason as Error & { readonly errcode?: number };
    const error = new Error(
      `no file can be locked in ${parent} (${message}); does its file system support locks?`,
    );
    throw Object.assign(error, { syscall: "lock", ...(errcode === SQLITE_FULL ? { code: "ENOSPC" } : {}) });
  }

  /** Renames the complete file to its final name. Throws EEXIST if that exists and must not be replaced. */
  publish(name: string, mayReplace: boolean): void {
    // Reserve the name first: renaming would replace a file that was created meanwhile.
    if (!mayReplace) closeSync(openSync(name, "wx", 0o600));
    renameSync(this.file, name);
  }

  /** With its contents. */
  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
    this.#lock.close();
  }
}

const lockIn = (folder: string): string => join(folder, LOCK);

/**
 * Node has no file locks, SQLite has. Only "rwc" creates the file. A reason: another process holds the lock,
 * or there is none.
 */
function tryLock(folder: string, mode: "rw" | "rwc"): DatabaseSync | { readonly reason: unknown } {
  let lock: DatabaseSync | null = null;
  try {
    const address = pathToFileURL(lockIn(folder));
    address.searchParams.set("mode", mode);
    lock = new DatabaseSync(address, { timeout: 0 });
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch (reason) {
    lock?.close();
    return { reason };
  }
}

/** Best effort: what cannot be removed stays. */
function removeAbandoned(parent: string): void {
  try {
    for (const name of readdirSync(parent)) if (NAME.test(name)) removeIfAbandoned(join(parent, name));
  } catch {
    // The folder may be writable but not listable, or an entry may not be removable.
  }
}

/** A folder whose name merely matches may hold anything, also in place of the lock. */
function isOurs(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true || stats.uid !== (process.geteuid?.() ?? stats.uid)) return false;
  if ((stats.mode & 0o777) !== 0o700) return false;
  const entries = readdirSync(folder, { withFileTypes: true });
  return (
    entries.some(({ name }) => name === LOCK) &&
    entries.every((entry) => ENTRIES.has(entry.name) && entry.isFile())
  );
}

function removeIfAbandoned(folder: string): void {
  if (!isOurs(folder)) return;
  const lock = tryLock(folder, "rw");
  if (!(lock instanceof DatabaseSync)) return;
  try {
    rmSync(folder, { recursive: true, force: true });
  } finally {
    lock.close();
  }
}
