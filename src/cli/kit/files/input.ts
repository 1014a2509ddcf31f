/** Input of a command: a file, or standard input for `-`. */
import type { Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { Failure } from "../command.ts";

export interface Input {
  readonly stream: Readable;
  /** In bytes; null if it is not known before the end. */
  readonly size: number | null;
}

export async function openInput(file: string): Promise<Input> {
  if (file === "-") return { stream: process.stdin, size: null };
  const { handle, stats } = await openFile(file);
  return { stream: handle.createReadStream(), size: stats.isFile() ? stats.size : null };
}

export interface OpenFile {
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/** A file, a pipe or a device. */
export async function openFile(file: string): Promise<OpenFile> {
  try {
    const handle = await open(file);
    const stats = await handle.stat();
    if (!stats.isDirectory()) return { handle, stats };
    await handle.close();
  } catch (error) {
    throw new Failure(readFailure(file, error as NodeJS.ErrnoException));
  }
  throw new Failure(`${file} is a folder; name a file in it`);
}

function readFailure(file: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === "ENOENT" || code === "ENOTDIR") return `there is no file ${file}`;
  if (code === "EACCES") return `${file} cannot be read: permission denied`;
  return `${file} cannot be read: ${message}`;
}

/** The first line of standard input; empty if there is none. */
export async function firstLine(): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const line of lines) return line;
    return "";
  } finally {
    lines.close();
    process.stdin.destroy();
  }
}
