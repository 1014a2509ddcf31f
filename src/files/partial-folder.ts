/**
 * A folder for a file that is not whole yet, beside the place where it will be. Only its owner may look into it, its
 * name is random and it is made anew, so that no link that somebody planted is followed. A process that is killed
 * leaves its folder behind: the next one to make such a folder in the same place removes it. What the file holds is
 * not known here.
 *
 * Whether the owner of a folder still runs is told by a lock in it. The system drops the lock however the process ends,
 * and knows it across containers and on network file systems, where process ids and clocks say nothing.
 */
import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const PREFIX = "mailroll-partial-";
const NAME = /^mailroll-partial-[A-Za-z0-9]{6}$/;
const MAX_ATTEMPTS = 5;

export class PartialFolder {
  readonly path: string;
  readonly #lock: DatabaseSync;

  private constructor(path: string, lock: DatabaseSync) {
    this.path = path;
    this.#lock = lock;
  }

  /** In the folder that the file is to be in, so that it can be renamed to its place. */
  static beside(file: string): PartialFolder {
    return PartialFolder.within(dirname(file));
  }

  static within(parent: string): PartialFolder {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const path = mkdtempSync(join(parent, PREFIX));
      const lock = tryLock(path);
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

  /** With what is still in it. */
  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
    this.#lock.close();
  }
}

const lockIn = (folder: string): string => join(folder, "lock");

/** Node has no locks on files, SQLite has. Null: another process holds it, or the folder is gone. */
function tryLock(folder: string): DatabaseSync | null {
  let lock: DatabaseSync | null = null;
  try {
    lock = new DatabaseSync(lockIn(folder), { timeout: 0 });
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

function removeIfAbandoned(folder: string): void {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  // A folder of somebody else may hold anything in the place of the lock.
  if (stats?.isDirectory() !== true || stats.uid !== (process.geteuid?.() ?? stats.uid)) return;
  const lock = tryLock(folder);
  if (lock === null) return;
  try {
    rmSync(folder, { recursive: true, force: true });
  } finally {
    lock.close();
  }
}
