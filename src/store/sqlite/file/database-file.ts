/**
 * Creates the database file with access for its owner only, and refuses files that cannot be a database of
 * ours, with one clear line.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DatabaseFileReplaced, StoreRefused, StoreUnavailable } from "#domain/ports/errors.ts";
import { PROGRAM } from "#shipped.ts";
import { Connection, isBusy } from "../connection.ts";
import { tablesOf } from "../contents.ts";
import { refuseDamagedJournal, refuseLoneJournal } from "./damaged-journal.ts";

/**
 * Checks that the open files still have their names. They may be moved, deleted or replaced. SQLite does not
 * notice and keeps writing to a file that will not be opened again.
 */
export interface FileIdentity {
  readonly path: string;
  readonly device: bigint;
  readonly inode: bigint;
}
/** The database and its journal. */
export type FileIdentities = readonly FileIdentity[];

function identityOf(path: string): FileIdentity | null {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? null : { path, device: stats.dev, inode: stats.ino };
  } catch (error) {
    throw new StoreUnavailable(`the database does not answer: ${(error as Error).message}`, { cause: error });
  }
}

export function identify(path: string): FileIdentity {
  const file = identityOf(path);
  if (file === null) throw new DatabaseFileReplaced(`${path} is missing`);
  return file;
}
/** SQLite puts the journal beside the real file, not beside a symbolic link to it. */
export const identifyJournal = (database: string): FileIdentity => identify(`${realpathSync(database)}-wal`);

export function requireSameFiles(expected: FileIdentities): void {
  for (const { path, device, inode } of expected) {
    const now = identityOf(path);
    if (now?.inode !== inode || now.device !== device)
      throw new DatabaseFileReplaced(
        `${path} was moved, deleted or replaced while it was open, so nothing is written any more; put it back, and service resumes. A restart opens the file that is there then, or creates an empty database`,
      );
  }
}

/**
 * The footer of a backup: a last line after SQLite's last page, which SQLite ignores, with the checksum of
 * all bytes before it. It identifies a backup, so that a backup is never opened for writing.
 */
export const footer = (sha256: string): string => `\nmailroll-backup sha256 ${sha256}\n`;
const FOOTER = /^\nmailroll-backup sha256 ([0-9a-f]{64})\n$/;
export const FOOTER_LENGTH = footer("0".repeat(64)).length;

/** The write version in SQLite's header: a backup uses no journal beside it. */
const WRITE_VERSION = { at: 18, withoutJournal: 1 };

/** The checksum; null if the file has no footer. */
export const readFooter = (file: string): string | null =>
  looking(
    file,
    (read, size) => FOOTER.exec(read(size - FOOTER_LENGTH, FOOTER_LENGTH).toString("latin1"))?.[1] ?? null,
  );

/**
 * A backup that was put in the place of a database and written to since may still end with a footer. It has a
 * journal, and counts as a database.
 */
const isBackup = (file: string): boolean =>
  readFooter(file) !== null &&
  looking(file, (read) => read(WRITE_VERSION.at, 1)[0] === WRITE_VERSION.withoutJournal);

type Read = (at: number, length: number) => Buffer;

function looking<T>(file: string, look: (read: Read, size: number) => T): T {
  const descriptor = openSync(file, "r");
  try {
    const read: Read = (at, length) => {
      const bytes = Buffer.alloc(length);
      return at < 0 ? bytes : bytes.subarray(0, readSync(descriptor, bytes, 0, length, at));
    };
    return look(read, fstatSync(descriptor).size);
  } finally {
    closeSync(descriptor);
  }
}

const MAGIC = "SQLite format 3\0";
const OPEN_PATIENCE_MS = 5000;
const RETRY_MS = 10;

function make(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // SQLite gives its journal files the mode of the database file.
  closeSync(openSync(file, "a", 0o600));
}

function refuseOtherFormats(file: string): void {
  const descriptor = openSync(file, "r");
  try {
    const start = Buffer.alloc(MAGIC.length);
    const length = readSync(descriptor, start, 0, start.length, 0);
    if (length > 0 && start.toString("latin1") !== MAGIC)
      throw new StoreRefused(`${file} is not a SQLite database; it was left unchanged`);
  } finally {
    closeSync(descriptor);
  }
}

/** Checked before anything is written: another program's database is left unchanged. */
function refuseForeign(file: string): void {
  if (statSync(file).size === 0) return;
  const db = new Connection(file, { readOnly: true });
  try {
    const tables = tablesOf(db);
    if (tables.size > 0 && !tables.has("schema_migration"))
      throw new StoreRefused(`${file} is a database of another program; it was left unchanged`);
  } finally {
    db.close();
  }
}

/** Opening it as a database would change its header and invalidate its checksum. */
function refuseBackup(file: string): void {
  if (isBackup(file))
    throw new StoreRefused(
      `${file} is a backup and was left unchanged: restore it into a database with '${PROGRAM} restore', and use that database`,
    );
}

/**
 * A copy that was killed leaves a rollback journal. SQLite rolls it back, but not on a read-only connection.
 */
function undoKilled(file: string): void {
  if (!existsSync(`${file}-journal`)) return;
  const db = new DatabaseSync(file);
  try {
    db.exec("SELECT 1 FROM sqlite_master");
  } finally {
    db.close();
  }
}

/**
 * SQLite waits for locks itself, except while the first connection enables the journal and the last one
 * removes it. Then it reports "busy" at once, although that takes milliseconds.
 */
function patiently<T>(work: () => T): T {
  const until = performance.now() + OPEN_PATIENCE_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error;
      sleep(RETRY_MS);
    }
  }
}
/** Blocking is harmless: the file is opened on its own thread. */
const sleep = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

function opened(file: string, open: () => Connection): Connection {
  refuseOtherFormats(file);
  return patiently(() => {
    refuseDamagedJournal(file);
    undoKilled(file);
    refuseForeign(file);
    return open();
  });
}

/** SQLite reports "disk I/O error" if it cannot create its journal. */
function hasNoRoom(file: string): boolean {
  try {
    return statfsSync(dirname(file)).bavail === 0;
  } catch {
    return false;
  }
}

function explained(file: string, work: () => Connection): Connection {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreRefused) throw error;
    const reason = hasNoRoom(file)
      ? "the disk is full"
      : error instanceof Error
        ? error.message
        : String(error);
    // A locked file can be opened later; anything else needs an operator.
    const Kind = isBusy(error) ? StoreUnavailable : StoreRefused;
    throw new Kind(`the database ${file} cannot be opened: ${reason}`, { cause: error });
  }
}

/** Creates the file if there is none. */
export const openFile = (file: string, open: () => Connection): Connection =>
  explained(file, () => {
    refuseLoneJournal(file);
    make(file);
    refuseBackup(file);
    return opened(file, open);
  });

/** Opens read-only. A typo in the name creates no file. */
export const openExisting = (file: string): Connection =>
  explained(file, () => {
    if (statSync(file, { throwIfNoEntry: false }) === undefined)
      throw new StoreRefused(`there is no database ${file}`);
    refuseLoneJournal(file);
    return opened(file, () => new Connection(file, { readOnly: true }));
  });
