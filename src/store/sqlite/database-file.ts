/** The file itself: made for its owner only, and refused in one clear line where it cannot be a database of ours. */
import { closeSync, existsSync, mkdirSync, openSync, readSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreRefused, StoreUnavailable } from "../../domain/ports.ts";
import { Connection, isBusy } from "./connection.ts";
import { refuseDamagedJournal, refuseLoneJournal } from "./damaged-journal.ts";
import { isBackup } from "./seal.ts";

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
      throw new StoreRefused(`${file} is not a SQLite database; nothing was changed in it`);
  } finally {
    closeSync(descriptor);
  }
}

/** Looked at before anything is written: a database of somebody else stays as it is. */
function refuseForeign(file: string): void {
  if (statSync(file).size === 0) return;
  const db = new Connection(file, { readOnly: true });
  try {
    const tables = db.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");
    if (tables.length > 0 && !tables.some(({ name }) => name === "schema_migration"))
      throw new StoreRefused(`${file} is a database of another program; nothing was changed in it`);
  } finally {
    db.close();
  }
}

/** Opened as a database it would be changed in its header, and its checksum would not be right any more. */
function refuseBackup(file: string): void {
  if (isBackup(file))
    throw new StoreRefused(
      `${file} is a backup, and stays as it is: put it into a database with 'mailroll restore', and look there; nothing was changed in it`,
    );
}

/** A copy to the file that was killed has left a journal, by which SQLite undoes it; whoever only reads may not. */
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
 * SQLite waits for others by itself, except while the first one turns the journal on and the last one folds it up:
 * then it says "busy" at once, although that takes milliseconds.
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
/** Opening happens on a thread of its own, which has nothing else to do. */
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

/** SQLite says "disk I/O error" where it cannot make its journal. */
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

/** Makes the file where there is none. */
export const openFile = (file: string, open: () => Connection): Connection =>
  explained(file, () => {
    refuseLoneJournal(file);
    make(file);
    refuseBackup(file);
    return opened(file, open);
  });

/** To read only. A typing error in its name makes no file. */
export const openExisting = (file: string): Connection =>
  explained(file, () => {
    if (statSync(file, { throwIfNoEntry: false }) === undefined)
      throw new StoreRefused(`there is no database ${file}`);
    refuseLoneJournal(file);
    return opened(file, () => new Connection(file, { readOnly: true }));
  });
