/** Which names a file may be written to: new ones, and those of regular files that are not in use here. */
import { lstatSync, type Stats, statSync } from "node:fs";
import type { DatabaseAddress } from "../config.ts";
import { requireOtherThanDatabase } from "../database.ts";
import { Failure } from "./command.ts";

export interface OutputRules {
  /** What to do about a pipe, a device or a folder. */
  readonly otherwise: string;
  readonly mayReplace: boolean;
}

export function requireOutputFile(
  file: string,
  database: DatabaseAddress,
  { otherwise, mayReplace }: OutputRules,
): void {
  // The link itself and not what it leads to: renaming would replace the link, which may be anybody's.
  const stats = linkStats(file);
  if (stats?.isSymbolicLink() === true && leadsToDevice(file))
    throw new Failure(`${file} is not a regular file; ${otherwise}`);
  if (stats?.isSymbolicLink() === true) throw new Failure(`${file} is a link; name the file itself`);
  if (stats?.isFile() === false) throw new Failure(`${file} is not a regular file; ${otherwise}`);
  requireOtherThanDatabase(database, file);
  if (stats !== undefined && !mayReplace) throw new Failure(existsAlready(file));
}

export const existsAlready = (file: string): string =>
  `${file} exists already; take another name, or give --force to replace it`;

/** As /dev/stdout does; its advice is that of what it leads to. */
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
