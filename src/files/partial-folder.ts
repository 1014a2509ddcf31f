/**
 * A folder for a file that is not whole yet, beside the place where it will be. Only its owner may look into it, its
 * name is random and it is made anew, so that no link that somebody planted is followed. A process that is killed
 * leaves its folder behind: the next one to make such a folder in the same place removes it. What the file holds is
 * not known here.
 *
 * Whether the owner of a folder still runs is told by a lock in it. The system drops the lock however the process ends,
 * and knows it across containers and on network file systems, where process ids and clocks say nothing.
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

const PREFIX = "mailroll-partial-";
const NAME = /^mailroll-partial-[A-Za-z0-9]{6}$/;
const MAX_ATTEMPTS = 5;
const LOCK = "lock";
const FILE = "file";
/** All that is ever in such a folder: the lock is a SQLite database and the file may be one, with journals beside. */
const ENTRIES: ReadonlySet<string> = new Set(
  [LOCK, FILE].flatMap((name) => ["", "-journal", "-wal", "-shm"].map((suffix) => name + suffix)),
);

export class PartialFolder {
  readonly path: string;
  /** Where the file is written until it is whole. */
  readonly file: string;
  readonly #lock: DatabaseSync;

  private constructor(path: string, lock: DatabaseSync) {
    this.path = path;
    this.file = join(path, FILE);
    this.#lock = lock;
  }

  /** In the folder that the file is to be in, so that it can be renamed to its place. */
  static beside(file: string): PartialFolder {
    return PartialFolder.within(dirname(file));
  }

  static within(parent: string): PartialFolder {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const path = mkdtempSync(join(parent, PREFIX));
      const lock = tryLock(path, "rwc");
      // Somebody who removes abandoned folders may have come before the lock was there.
      if (lock !== null && existsSync(lockIn(path))) {
        removeAbandoned(parent);
        return new PartialFolder(path, lock);
      }
      lock?.close();
      rmSync(path, { recursive: true, force: true });
    }
    throw Object.assign(new Error(`no file can be locked in ${parent}`), { syscall: "lock" });
  }

  /** Gives the whole file its name. Throws EEXIST where the name is taken and may not be. */
  publish(name: string, mayReplace: boolean): void {
    // Made by us, or not at all: renaming would go over what somebody else has put there meanwhile.
    if (!mayReplace) closeSync(openSync(name, "wx", 0o600));
    renameSync(this.file, name);
  }

  /** With what is still in it. */
  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
    this.#lock.close();
  }
}

const lockIn = (folder: string): string => join(folder, LOCK);

/**
 * Node has no locks on files, SQLite has; only "rwc" creates the file. Null: another process holds it, or there is
 * none.
 */
function tryLock(folder: string, mode: "rw" | "rwc"): DatabaseSync | null {
  let lock: DatabaseSync | null = null;
  try {
    const address = pathToFileURL(lockIn(folder));
    address.searchParams.set("mode", mode);
    lock = new DatabaseSync(address, { timeout: 0 });
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch {
    lock?.close();
    return null;
  }
}

/** Nobody's work depends on it, so what cannot be removed stays. */
function removeAbandoned(parent: string): void {
  try {
    for (const name of readdirSync(parent)) if (NAME.test(name)) removeIfAbandoned(join(parent, name));
  } catch {
    // The folder may be written to but not be listed, or something in it is not ours to remove.
  }
}

/** A folder that only has a name like ours may hold somebody's work, or anything in the place of the lock. */
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
  if (lock === null) return;
  try {
    rmSync(folder, { recursive: true, force: true });
  } finally {
    lock.close();
  }
}
