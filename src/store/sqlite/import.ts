/** People taken over from elsewhere, many in one transaction. */
import type { Writes } from "../../domain/ports.ts";
import { callerCommands } from "../caller-commands.ts";
import type { SqliteUnitOfWork } from "./work.ts";

/**
 * Addresses come in any order, so each batch changes pages all over their index. Folding the journal into the file at 32 MB
 * instead of 4 writes most of them once instead of many times (measured: a fifth of the time), and a larger cache
 * reads them less often.
 */
const MANY_PAGES = "PRAGMA wal_autocheckpoint = 8000; PRAGMA cache_size = -65536";

export function importPeople(
  work: SqliteUnitOfWork,
  command: Writes["importPeople"]["args"],
): Writes["importPeople"]["result"] {
  work.db.exec(MANY_PAGES);
  return callerCommands.importPeople(work, command);
}
