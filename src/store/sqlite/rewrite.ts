/**
 * Writes the whole file anew. What was deleted stays in a SQLite file until something else needs its place, and moved rows
 * leave copies behind; only a file that is written anew has nothing in it but what is there.
 */
import { StoreUnavailable } from "../../domain/ports.ts";
import { asStoreError, Connection } from "./connection.ts";
import { openFile } from "./database-file.ts";

/** Others are waited for, and wait. */
const PATIENCE_MS = 30_000;

export function rewrite(file: string, patienceMs = PATIENCE_MS): void {
  const db = openFile(file, () => new Connection(file, { readOnly: false, busyTimeoutMs: patienceMs }));
  try {
    // Of a large database not everything fits into memory.
    db.exec("PRAGMA temp_store=FILE; VACUUM");
    // The journal still holds what the file no longer does.
    const folded = db.get<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)");
    if (folded?.busy !== 0)
      throw new StoreUnavailable(
        `somebody reads from ${file} for so long that its journal cannot be emptied; do the same again later`,
      );
  } catch (error) {
    throw asStoreError(error);
  } finally {
    db.close();
  }
}
