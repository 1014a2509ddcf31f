/**
 * Rewrites the whole file (VACUUM). Deleted data stays in a SQLite file until something overwrites it, and
 * moved rows leave copies behind. Only a rewritten file contains nothing but the current rows.
 */
import { dirname } from "node:path";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import { integer } from "../../cold/kit/statement.ts";
import { asStoreError, Connection, isFull } from "../connection.ts";
import { statement } from "../statement.ts";

/** How long it waits for other writers. No call waits meanwhile. */
const TIMEOUT_MS = 30_000;
/** How long an attempt waits for a reader. SQLite holds the write lock meanwhile: in all a second at most. */
const READER_MS = 250;
const MAX_ATTEMPTS = 2;

/**
 * For a database that a store of this process has open. The file is not opened outside SQLite: closing a file
 * releases all locks that its process has on it. Returns false if `isStopped` has ended it, which is asked
 * before each table; the file is as it was then.
 */
export function rewrite(file: string, isStopped: () => boolean = () => false): boolean {
  try {
    const db = new Connection(file, { readOnly: false, busyTimeoutMs: TIMEOUT_MS });
    try {
      // A reader that is there from the beginning, such as a backup, would only let the journal grow.
      emptyJournal(db, file);
      db.stopWhen(isStopped);
      rewriteAll(db, file);
      // The journal still contains what the file no longer does.
      emptyJournal(db, file);
      return true;
    } finally {
      db.close();
    }
  } catch (error) {
    if (isStopped()) return false;
    if (!isFull(error)) throw asStoreError(error);
    const reason = `the disk is full: rewriting ${file} needs twice its size free on the same disk`;
    throw new StoreUnavailable(reason, { cause: error });
  }
}

/**
 * Not all of a large database fits into memory. The rest goes beside the database: another folder may be
 * full, read-only or backed up. SQLite has no newer way to set this for one command.
 */
const rewriteAll = (db: Connection, file: string): void =>
  db.exec(
    `PRAGMA busy_timeout=${TIMEOUT_MS}; PRAGMA temp_store=FILE;
     PRAGMA temp_store_directory=${quoted(dirname(file))}; VACUUM`,
  );

const EMPTY_JOURNAL = statement(
  { busy: integer, log: integer, checkpointed: integer },
  "PRAGMA wal_checkpoint(TRUNCATE)",
);
/** How long to pause before the next attempt. */
const PAUSE_MS = 50;
/**
 * Writes the journal's pages into the file, and truncates the journal. SQLite waits for writers, then for
 * readers with the write lock in its hand, all in one time limit. So a limit that was spent tells of a reader
 * only if the write lock was free just before. SQLite fails at once while another connection writes the pages
 * of the journal into the file. The first write after the rewrite does that, so it is tried again.
 */
export function emptyJournal(db: Connection, file: string): void {
  const until = performance.now() + TIMEOUT_MS;
  for (let attempts = 0; ; ) {
    db.exec(`PRAGMA busy_timeout=${TIMEOUT_MS}; BEGIN IMMEDIATE; ROLLBACK; PRAGMA busy_timeout=${READER_MS}`);
    const began = performance.now();
    if (db.get(EMPTY_JOURNAL)?.busy === 0) return;
    const now = performance.now();
    if (now - began >= READER_MS) attempts += 1;
    if (attempts === MAX_ATTEMPTS || now >= until)
      throw new StoreUnavailable(
        `the journal of ${file} cannot be emptied because of a long read, such as a backup; run the command again later`,
      );
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
