/**
 * Whether the files that are open are still the ones by those names. Somebody may move them, delete them, or put others in their
 * place; SQLite does not notice, and goes on writing to what nobody will ever open again.
 */
import { realpathSync, statSync } from "node:fs";
import { DatabaseFileReplaced, StoreUnavailable } from "../../domain/ports.ts";

export interface PlacedFile {
  readonly path: string;
  readonly device: bigint;
  readonly number: bigint;
}
/** The database and its journal. */
export type FilePlace = readonly PlacedFile[];

function found(path: string): PlacedFile | null {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? null : { path, device: stats.dev, number: stats.ino };
  } catch (error) {
    throw new StoreUnavailable(`the database does not answer: ${(error as Error).message}`, { cause: error });
  }
}

export function placed(path: string): PlacedFile {
  const file = found(path);
  if (file === null) throw new DatabaseFileReplaced(`${path} is missing`);
  return file;
}
/** SQLite puts it beside the file itself, not beside a link to it. */
export const placedJournal = (database: string): PlacedFile => placed(`${realpathSync(database)}-wal`);

export function requireInPlace(place: FilePlace): void {
  for (const { path, device, number } of place) {
    const there = found(path);
    if (there?.number !== number || there.device !== device)
      throw new DatabaseFileReplaced(
        `${path} was moved, deleted or replaced while it was open, so nothing is written any more; put it back, or restart the service`,
      );
  }
}
