/** Checks an output path: a new file, or a regular file that this command does not use. */
import { existsSync, lstatSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { requireOtherThanDatabase } from "#app/database.ts";
import type { DatabaseAddress } from "#app/settings/config.ts";
import { PartialFolder } from "#files/partial-folder.ts";
import { writeFailure } from "#files/write-failure.ts";
import { Failure } from "../command.ts";

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
  const problem = folderProblem(file);
  if (problem !== null) throw new Failure(`${file} cannot be written: ${problem}`);
}

/** Why no file can be written beside this one, or null. Permissions alone do not tell: it is tried. */
export function folderProblem(file: string): string | null {
  const folder = dirname(file);
  try {
    PartialFolder.beside(file).remove();
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!existsSync(folder)) return `there is no folder ${folder}`;
    if (code === "ENOTDIR") return `${folder} is not a folder`;
    if (code === "EACCES" || code === "EPERM") return `this user may not write to the folder ${folder}`;
    return `the folder ${folder} cannot be written to: ${writeFailure(error)}`;
  }
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
    throw new Failure(`${file} cannot be written: ${folderProblem(file) ?? (error as Error).message}`);
  }
}
