/**
 * The bytes of a table that is read twice: once to learn about it, once to take its rows. What can only be
 * read once – standard input, a pipe – is kept meanwhile: the beginning in memory, the rest in a file that
 * only we may read and that has no name, so that the system removes it however the command ends.
 */
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import type { Readable } from "node:stream";
import { PartialFolder } from "../files/partial-folder.ts";
import { writeFailure } from "../files/write-failure.ts";
import { Failure } from "./command.ts";
import { openFile } from "./input.ts";

export interface TableSource {
  /** In bytes; null where nobody knows yet. */
  readonly size: number | null;
  /** From the first byte; may be left before the end. */
  first(): AsyncIterable<Buffer>;
  /** Once more, and to the end. */
  second(): AsyncIterable<Buffer>;
  /** What is being read ends with the reason. */
  interrupt(reason: Error): void;
  close(): Promise<void>;
}

export async function openTable(file: string): Promise<TableSource> {
  if (file === "-") return new StreamSource(process.stdin);
  const { handle, stats } = await openFile(file);
  return stats.isFile()
    ? new FileSource(file, handle, stats.size)
    : new StreamSource(handle.createReadStream());
}

/** Stays open between the readings, so that a file that is put in its place does not matter. */
class FileSource implements TableSource {
  readonly size: number;
  readonly #name: string;
  readonly #handle: FileHandle;
  #version = "";

  constructor(name: string, handle: FileHandle, size: number) {
    this.#name = name;
    this.#handle = handle;
    this.size = size;
  }

  async *first(): AsyncGenerator<Buffer> {
    this.#version = await this.#currentVersion();
    yield* contents(this.#handle);
  }
  async *second(): AsyncGenerator<Buffer> {
    if ((await this.#currentVersion()) !== this.#version)
      throw new Failure(`${this.#name} was changed while it was read; give it again when it is complete`);
    yield* contents(this.#handle);
  }
  /** A file is never waited for. */
  interrupt(): void {}
  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #currentVersion(): Promise<string> {
    const { size, mtimeNs, ctimeNs } = await this.#handle.stat({ bigint: true });
    return [size, mtimeNs, ctimeNs].join(" ");
  }
}

const CHUNK_BYTES = 65_536;

/** From its first byte; a stream would close the file when it is left. */
async function* contents(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { buffer, bytesRead } = await handle.read(
      Buffer.allocUnsafe(CHUNK_BYTES),
      0,
      CHUNK_BYTES,
      position,
    );
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

const KEPT_IN_MEMORY = 1024 ** 2;

class StreamSource implements TableSource {
  size: number | null = null;
  readonly #stream: Readable;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #spool: FileHandle | null = null;

  constructor(stream: Readable) {
    this.#stream = stream;
    this.#chunks = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  async *first(): AsyncGenerator<Buffer> {
    for await (const chunk of this.#rest()) {
      await this.#keep(chunk);
      yield chunk;
    }
    this.size = this.#keptBytes;
  }
  async *second(): AsyncGenerator<Buffer> {
    yield* this.#kept;
    if (this.#spool !== null) yield* contents(this.#spool);
    yield* this.#rest();
  }
  interrupt(reason: Error): void {
    this.#stream.destroy(reason);
  }
  async close(): Promise<void> {
    this.#stream.destroy();
    await this.#spool?.close();
  }

  /** What was not read yet. Leaving it does not end the stream, as leaving the stream itself would. */
  async *#rest(): AsyncGenerator<Buffer> {
    for (let next = await this.#chunks.next(); next.done !== true; next = await this.#chunks.next())
      yield next.value;
  }

  async #keep(chunk: Buffer): Promise<void> {
    this.#keptBytes += chunk.length;
    if (this.#keptBytes <= KEPT_IN_MEMORY) {
      this.#kept.push(chunk);
      return;
    }
    try {
      this.#spool ??= await openSpool();
      await this.#spool.writeFile(chunk);
    } catch (error) {
      throw new Failure(
        `the input cannot be kept in ${tmpdir()} while its dates are looked at: ${writeFailure(error)}; give a file, or set TMPDIR`,
      );
    }
  }
}

/** Its name is gone before anything is in it. */
async function openSpool(): Promise<FileHandle> {
  const folder = PartialFolder.within(tmpdir());
  try {
    return await open(folder.file, "wx+", 0o600);
  } finally {
    folder.remove();
  }
}
