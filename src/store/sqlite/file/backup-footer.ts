/**
 * The footer of a backup: a last line after SQLite's last page, which SQLite ignores, with the checksum of
 * all bytes before it. It identifies a backup, so that a backup is never opened for writing.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

export const footer = (sha256: string): string => `\nmailroll-backup sha256 ${sha256}\n`;
const FOOTER = /^\nmailroll-backup sha256 ([0-9a-f]{64})\n$/;
export const FOOTER_LENGTH = footer("0".repeat(64)).length;

/** The write version in SQLite's header: a backup uses no journal beside it. */
const WRITE_VERSION = { at: 18, withoutJournal: 1 };

/** The checksum; null if the file has no footer. */
export const readFooter = (file: string): string | null =>
  looking(
    file,
    (read, size) => FOOTER.exec(read(size - FOOTER_LENGTH, FOOTER_LENGTH).toString("latin1"))?.[1] ?? null,
  );

/**
 * A backup that was put in the place of a database and written to since may still end with a footer. It has a
 * journal, and counts as a database.
 */
export const isBackup = (file: string): boolean =>
  readFooter(file) !== null &&
  looking(file, (read) => read(WRITE_VERSION.at, 1)[0] === WRITE_VERSION.withoutJournal);

type Read = (at: number, length: number) => Buffer;

function looking<T>(file: string, look: (read: Read, size: number) => T): T {
  const descriptor = openSync(file, "r");
  try {
    const read: Read = (at, length) => {
      const bytes = Buffer.alloc(length);
      return at < 0 ? bytes : bytes.subarray(0, readSync(descriptor, bytes, 0, length, at));
    };
    return look(read, fstatSync(descriptor).size);
  } finally {
    closeSync(descriptor);
  }
}
