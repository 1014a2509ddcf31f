/** What commands read: a file, or standard input where `-` is given for one. */
import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { Failure } from "./command.ts";

export interface Input {
  readonly stream: Readable;
  /** In bytes; null where nobody knows before the end. */
  readonly size: number | null;
}

export async function openInput(file: string): Promise<Input> {
  if (file === "-") return { stream: process.stdin, size: null };
  try {
    const handle = await open(file);
    const stats = await handle.stat();
    if (stats.isDirectory()) {
      await handle.close();
      throw new Error("it is a folder");
    }
    return { stream: handle.createReadStream(), size: stats.isFile() ? stats.size : null };
  } catch (error) {
    throw new Failure(`${file} cannot be read: ${(error as Error).message}`);
  }
}

/** The first line of standard input; nothing where it is empty. */
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
