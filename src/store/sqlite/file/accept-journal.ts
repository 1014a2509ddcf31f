/**
 * The operator's way past a damaged journal: SQLite takes what is readable and drops the rest. The journal is
 * copied first, because SQLite overwrites it.
 */
import { closeSync, constants, copyFileSync, fsyncSync, openSync, rmSync } from "node:fs";
import { StoreRefused } from "#domain/ports/errors.ts";
import { writeFailure } from "#files/write-failure.ts";
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
  copyJournal(`${file}-wal`, copy);
  try {
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

/** The copy is on disk before the journal is changed; an incomplete one is removed. */
function copyJournal(journal: string, copy: string): void {
  try {
    copyFileSync(journal, copy, constants.COPYFILE_EXCL);
    const descriptor = openSync(copy, "r+");
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") rmSync(copy, { force: true });
    throw new StoreRefused(
      `the damaged journal cannot be copied to ${copy}: ${writeFailure(error)}. Nothing was changed. Make room or move other files away, then run the command again`,
    );
  }
}
