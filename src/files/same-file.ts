/** Whether two names mean one file, whatever links lead to it. */
import { fstatSync, type Stats, statSync } from "node:fs";
import { basename, dirname } from "node:path";

/** A path, or the descriptor of an open file. Null where there is none, or none that may be looked at. */
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

/** As isSameFile, and also where the file does not exist yet: the same name in the same folder. */
export const isSamePlace = (one: string, other: string): boolean =>
  isSameFile(one, other) || (basename(one) === basename(other) && isSameFile(dirname(one), dirname(other)));
