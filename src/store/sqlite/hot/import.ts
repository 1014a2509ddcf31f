/**
 * Imports many subscribers in one transaction, with more memory and a larger journal until it is finished.
 */
import type { Args, Result } from "../../methods.ts";
import { callerCommands } from "../../writes/caller-commands.ts";
import { CACHE } from "../connection.ts";
import type { SqliteUnitOfWork } from "./unit-of-work.ts";

/**
 * Addresses are in random order, so each batch changes pages all over their index. A checkpoint at 32 MB
 * instead of 4 writes most of them once instead of many times (measured: a fifth of the time), and a larger
 * cache reads them less often.
 */
const MANY_PAGES = "PRAGMA wal_autocheckpoint = 8000; PRAGMA cache_size = -65536";

/** SQLite's own limit, and the cache of every connection. The commit that follows does the checkpoint. */
export const FEW_PAGES = `PRAGMA wal_autocheckpoint = 1000; ${CACHE}`;

export function importPeople(work: SqliteUnitOfWork, command: Args<"imports.add">): Result<"imports.add"> {
  work.db.exec(MANY_PAGES);
  return callerCommands["imports.add"](work, command);
}
