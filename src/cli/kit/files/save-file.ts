/** Writes a file of personal data: atomically, readable by its owner only, and never through a link. */
import { createWriteStream, type WriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { PartialFolder } from "#files/partial-folder.ts";
import { writeFailure } from "#files/write-failure.ts";
import { Failure } from "../command.ts";
import { existsAlready } from "./output-file.ts";

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
