/** Health checks of a SQLite file: whether it accepts writes, its size, and whether it is intact. */
import type { Connection } from "./connection.ts";

/** Sets an unused number to its own value: SQLite writes the page all the same. */
export function probeWrite(db: Connection): null {
  db.exec("PRAGMA user_version = 0");
  return null;
}

/** Of the file without its journal. */
export const databaseBytes = (db: Connection): number =>
  db.get<{ bytes: number }>(
    "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()",
  )?.bytes ?? 0;

export const integrity = (db: Connection): readonly string[] =>
  db
    .all<{ integrity_check: string }>("PRAGMA integrity_check(20)")
    .map((row) => row.integrity_check)
    .filter((line) => line !== "ok");
