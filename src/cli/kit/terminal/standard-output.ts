/** Standard output of the process, and the error if it cannot be written. */
import { createWriteStream, fstatSync } from "node:fs";
import type { Writable } from "node:stream";
import { writeFailure } from "#files/write-failure.ts";
import { Failure } from "../command.ts";

let opened: Writable | null = null;

/**
 * If a full disk accepts only part of a write, `process.stdout` loses the rest without an error; so a file
 * gets a stream of its own.
 */
export function standardOutput(): Writable {
  const { fd } = process.stdout;
  opened ??= fstatSync(fd).isFile() ? createWriteStream("", { fd, autoClose: false }) : process.stdout;
  return opened;
}

/** A reader that stopped early, such as `head`, or writes after the one that failed. */
const HARMLESS: ReadonlySet<string> = new Set([
  "EPIPE",
  "ERR_STREAM_PREMATURE_CLOSE",
  "ERR_STREAM_DESTROYED",
]);

/** Null if it is harmless. */
export function outputFailure(error: NodeJS.ErrnoException): Failure | null {
  if (HARMLESS.has(error.code ?? "")) return null;
  return new Failure(`standard output cannot be written: ${writeFailure(error)}`, "OutputFailed");
}
