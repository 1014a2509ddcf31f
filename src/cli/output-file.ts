/** Checks an output path: a new file, or a regular file that this command does not use. */
import { lstatSync, type Stats, statSync } from "node:fs";
import type { DatabaseAddress } from "../config.ts";
import { requireOtherThanDatabase } from "../database.ts";
import { Failure } from "./command.ts";

export interface OutputRules {
  /** What to do if the path is a pipe, a device or a folder. */
  readonly otherwise: string;
  readonly mayReplace: boolean;
}

export function requireOutputFile(
  file: string,
  database: DatabaseAddress,
  { otherwise, mayReplace }: OutputRules,
): void {
  // The link itself, not its target: renaming would replace the link, which another user may own.
  const stats = linkStats(file);
  if (stats?.isSymbolicLink() === true && leadsToDevice(file))
    throw new Failure(`${file} is not a regular file; ${otherwise}`);
  if (stats?.isSymbolicLink() === true)
    throw new Failure(`${file} is a symbolic link; give the path of the file itself`);
  if (stats?.isFile() === false) throw new Failure(`${file} is not a regular file; ${otherwise}`);
  requireOtherThanDatabase(database, file);
  if (stats !== undefined && !mayReplace) throw new Failure(existsAlready(file));
}

export const existsAlready = (file: string): string =>
  `${file} already exists; choose another name, or give --force to replace it`;

/** Such as /dev/stdout; the advice is that for its target. */
function leadsToDevice(link: string): boolean {
  try {
    return !statSync(link).isFile();
  } catch {
    return false;
  }
}

function linkStats(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw new Failure(`${file} cannot be written: ${(error as Error).message}`);
  }
}
