/** Reads a file on the main thread, where a pipe, a device or a huge file would block the whole service. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

const MAX_BYTES = 1024 ** 2;

export function readSmallFile(file: string): string {
  // Opening a pipe would wait for a writer.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error("it is not a regular file");
    if (stats.size > MAX_BYTES) throw new Error(`it has ${stats.size} bytes; the limit is ${MAX_BYTES}`);
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}
