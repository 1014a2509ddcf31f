/** Health checks of a SQLite file: whether it accepts writes, its size, and whether it is intact. */
import { integer, text } from "../cold/kit/statement.ts";
import type { Connection } from "./connection.ts";
import { statement } from "./statement.ts";

/** Sets an unused number to its own value: SQLite writes the page all the same. */
export function probeWrite(db: Connection): null {
  db.exec("PRAGMA user_version = 0");
  return null;
}

const BYTES = statement(
  { bytes: integer },
  "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()",
);
/** Of the file without its journal. */
export const databaseBytes = (db: Connection): number => db.get(BYTES)?.bytes ?? 0;

/** All processes that use the file are on one machine. */
export const clock = (): null => null;

const INTEGRITY = statement({ integrity_check: text }, "PRAGMA integrity_check(20)");
export const integrity = (db: Connection): readonly string[] =>
  db
    .all(INTEGRITY)
    .map((row) => row.integrity_check)
    .filter((line) => line !== "ok");
