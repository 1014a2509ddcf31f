/**
 * Makes a folder and the missing folders above it, all of them private. Not with `recursive` of Node.js:
 * where the system says that a folder above is missing although it is there, as below /proc, that repeats the
 * attempt for ever, and nothing can interrupt it.
 */
import { mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === code;

/** Whatever it is: a file in the place of a folder is found when it is used. */
async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
}

export async function makeFolder(path: string): Promise<void> {
  const missing: string[] = [];
  let folder = resolve(path);
  while (!(await isThere(folder))) {
    missing.push(folder);
    folder = dirname(folder);
  }
  for (const one of missing.toReversed())
    await mkdir(one, { mode: 0o700 }).catch((error: unknown) => {
      // Another process was faster.
      if (!hasCode(error, "EEXIST")) throw error;
    });
}
