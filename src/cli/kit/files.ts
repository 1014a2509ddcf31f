/** Files that commands read and write. Written ones are complete and private, and never follow a link. */
import { createWriteStream, existsSync, lstatSync, type Stats, statSync, type WriteStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { requireOtherThanDatabase } from "#app/database.ts";
import type { DatabaseAddress } from "#app/settings/config.ts";
import { PartialFolder, writeFailure } from "#files/partial-folder.ts";
import { Failure } from "./command.ts";

/** Input of a command: a file, or standard input for `-`. */
interface Input {
  readonly stream: Readable;
  /** In bytes; null if it is not known before the end. */
  readonly size: number | null;
}

export async function openInput(file: string): Promise<Input> {
  if (file === "-") return { stream: process.stdin, size: null };
  const { handle, stats } = await openFile(file);
  return { stream: handle.createReadStream(), size: stats.isFile() ? stats.size : null };
}

interface OpenFile {
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

/** Checks an output path: a new file, or a regular file that this command does not use. */
interface OutputRules {
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

const existsAlready = (file: string): string =>
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

/** The file gets its name when it is complete; an existing file stays until then. */
export async function saveFile(
  text: AsyncIterable<string>,
  file: string,
  { signal, mayReplace }: { readonly signal: AbortSignal; readonly mayReplace: boolean },
): Promise<void> {
  let folder: PartialFolder | null = null;
  let target: WriteStream | null = null;
  try {
    folder = PartialFolder.beside(file);
    target = createWriteStream(folder.file, { flags: "wx", mode: 0o600, flush: true });
    await pipeline(text, target, { signal });
    folder.publish(file, mayReplace);
  } catch (error) {
    const { syscall, code } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    if (code === "EEXIST" && !mayReplace) throw new Failure(existsAlready(file));
    throw new Failure(`${file} cannot be written: ${writeFailure(error)}`);
  } finally {
    // Destroying a stream does not wait for its file: it may be opened, and so created, after this.
    if (target?.closed === false) await closing(target);
    folder?.remove();
  }
}

const closing = (stream: WriteStream): Promise<void> =>
  new Promise((resolve) => {
    stream.once("close", resolve);
  });
