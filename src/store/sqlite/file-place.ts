/**
 * Whether the files that are open are still the ones by those names. Somebody may move them, delete them, or put others in their
 * place; SQLite does not notice, and goes on writing to what nobody will ever open again.
 */
import { realpathSync, statSync } from "node:fs";
import { DatabaseFileReplaced, StoreUnavailable } from "../../domain/ports.ts";

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
/** SQLite puts it beside the file itself, not beside a link to it. */
export const identifyJournal = (database: string): FileIdentity => identify(`${realpathSync(database)}-wal`);

export function requireSameFiles(expected: FileIdentities): void {
  for (const { path, device, inode } of expected) {
    const now = identityOf(path);
    if (now?.inode !== inode || now.device !== device)
      throw new DatabaseFileReplaced(
        `${path} was moved, deleted or replaced while it was open, so nothing is written any more; put it back and restart the service. If the file is missing at the restart, an empty database is created`,
      );
  }
}
