/** Whether two paths are the same file, through any links. */
import { fstatSync, type Stats, statSync } from "node:fs";
import { basename, dirname } from "node:path";

/** Takes a path or a file descriptor. null if there is no such file, or it is not accessible. */
function statsOf(file: string | number): Stats | null {
  try {
    return typeof file === "number" ? fstatSync(file) : statSync(file);
  } catch {
    return null;
  }
}
const isSame = (one: Stats | null, other: Stats | null): boolean =>
  one !== null && other !== null && one.ino === other.ino && one.dev === other.dev;

export const isSameFile = (one: string | number, other: string | number): boolean =>
  isSame(statsOf(one), statsOf(other));

/** As isSameFile, and also for a file that does not exist yet: the same name in the same folder. */
export const isSamePlace = (one: string, other: string): boolean =>
  isSameFile(one, other) || (basename(one) === basename(other) && isSameFile(dirname(one), dirname(other)));
