/**
 * Checks that the open files are still the ones with those names. They may be moved, deleted or replaced.
 * SQLite does not notice and keeps writing to a file that nobody will open again.
 */
import { realpathSync, statSync } from "node:fs";
import { DatabaseFileReplaced, StoreUnavailable } from "#domain/ports/errors.ts";

export interface FileIdentity {
  readonly path: string;
  readonly device: bigint;
  readonly inode: bigint;
}
/** The database and its journal. */
export type FileIdentities = readonly FileIdentity[];

function identityOf(path: string): FileIdentity | null {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? null : { path, device: stats.dev, inode: stats.ino };
  } catch (error) {
    throw new StoreUnavailable(`the database does not answer: ${(error as Error).message}`, { cause: error });
  }
}

export function identify(path: string): FileIdentity {
  const file = identityOf(path);
  if (file === null) throw new DatabaseFileReplaced(`${path} is missing`);
  return file;
}
/** SQLite puts the journal beside the real file, not beside a symbolic link to it. */
export const identifyJournal = (database: string): FileIdentity => identify(`${realpathSync(database)}-wal`);

export function requireSameFiles(expected: FileIdentities): void {
  for (const { path, device, inode } of expected) {
    const now = identityOf(path);
    if (now?.inode !== inode || now.device !== device)
      throw new DatabaseFileReplaced(
        `${path} was moved, deleted or replaced while it was open, so nothing is written any more; put it back, and service resumes. A restart opens the file that is there then, or creates an empty database`,
      );
  }
}
