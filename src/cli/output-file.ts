/** Which names a file may be written to: new ones, and those of regular files that are not in use here. */
import { lstatSync, type Stats } from "node:fs";
import type { DatabaseAddress } from "../config.ts";
import { requireOtherThanDatabase } from "../database.ts";
import { Failure } from "./command.ts";

/** `otherwise`: what to do about a pipe, a device or a folder. */
export function requireOutputFile(file: string, database: DatabaseAddress, otherwise: string): void {
  // The link itself and not what it leads to: renaming would replace the link, which may be anybody's.
  const stats = linkStats(file);
  if (stats?.isSymbolicLink() === true) throw new Failure(`${file} is a link; name the file itself`);
  if (stats?.isFile() === false) throw new Failure(`${file} is not a regular file; ${otherwise}`);
  requireOtherThanDatabase(database, file);
}

function linkStats(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw new Failure(`${file} cannot be written: ${(error as Error).message}`);
  }
}
