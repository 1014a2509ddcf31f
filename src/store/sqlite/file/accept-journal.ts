/**
 * The operator's way past a damaged journal: SQLite takes what is readable and drops the rest. The journal is
 * copied first, because SQLite overwrites it.
 */
import { constants, copyFileSync } from "node:fs";
import { asStoreError, Connection } from "../connection.ts";
import { readablePages } from "./damaged-journal.ts";
import { emptyJournal } from "./rewrite.ts";

export interface AcceptedJournal {
  /** How many pages of the journal were readable. */
  readonly pages: number;
  /** The copy of the journal. */
  readonly copy: string;
}

/** Returns null, and changes nothing, if the journal is not damaged. */
export function acceptDamagedJournal(file: string, now: number): AcceptedJournal | null {
  const pages = readablePages(file);
  if (pages === null) return null;
  const copy = `${file}-wal-damaged-${new Date(now).toISOString().replaceAll(":", "-")}`;
  try {
    copyFileSync(`${file}-wal`, copy, constants.COPYFILE_EXCL);
    const db = new Connection(file, { readOnly: false });
    try {
      emptyJournal(db, file);
    } finally {
      db.close();
    }
  } catch (error) {
    throw asStoreError(error);
  }
  return { pages, copy };
}
