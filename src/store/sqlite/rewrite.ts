/**
 * Writes the whole file anew. What was deleted stays in a SQLite file until something else needs its place, and moved rows
 * leave copies behind; only a file that is written anew has nothing in it but what is there.
 */
import { dirname } from "node:path";
import { StoreUnavailable } from "../../domain/ports.ts";
import { asStoreError, Connection, isFull } from "./connection.ts";

/** Others are waited for, and wait. */
const TIMEOUT_MS = 30_000;

/**
 * Of a database that a store of this process has open. So it is not looked into as a file once more: whoever closes a file gives
 * up all locks that its process has on it.
 */
export function rewrite(file: string, timeoutMs = TIMEOUT_MS): void {
  try {
    const db = new Connection(file, { readOnly: false, busyTimeoutMs: timeoutMs });
    try {
      rewriteAll(db, file);
    } finally {
      db.close();
    }
  } catch (error) {
    if (!isFull(error)) throw asStoreError(error);
    const reason = `the disk is full: to be written anew, ${file} needs twice its size free beside it`;
    throw new StoreUnavailable(reason, { cause: error });
  }
}

function rewriteAll(db: Connection, file: string): void {
  // Of a large database not everything fits into memory. What does not goes beside it: elsewhere there may be no room, no
  // right to write, or somebody who keeps what is left there. SQLite has no newer way to say so to one command only.
  db.exec(`PRAGMA temp_store=FILE; PRAGMA temp_store_directory=${quoted(dirname(file))}; VACUUM`);
  // The journal still holds what the file no longer does.
  const folded = db.get<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)");
  if (folded?.busy !== 0)
    throw new StoreUnavailable(
      `somebody reads from ${file} for so long that its journal cannot be emptied; do the same again later`,
    );
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
