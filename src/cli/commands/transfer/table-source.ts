/**
 * The bytes of a file that is read twice: once to detect its formats, once to import its rows. Input that can
 * only be read once – standard input, a pipe – is buffered: the beginning in memory, the rest in an unnamed
 * temporary file with mode 0600, which the system removes however the command ends.
 */
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import type { Readable } from "node:stream";
import { PartialFolder } from "#files/partial-folder.ts";
import { writeFailure } from "#files/write-failure.ts";
import type { TableSource } from "#transfer/table/source.ts";
import { Failure } from "../../kit/command.ts";
import { openFile } from "../../kit/files/input.ts";

export interface OpenTable extends TableSource {
  /** Ends the current reading with the reason. */
  interrupt(reason: Error): void;
  close(): Promise<void>;
}

export async function openTable(file: string): Promise<OpenTable> {
  if (file === "-") return new StreamSource(process.stdin);
  const { handle, stats } = await openFile(file);
  return stats.isFile()
    ? new FileSource(file, handle, stats.size)
    : new StreamSource(handle.createReadStream());
}

/** Stays open between the two passes, so that replacing the file at this path has no effect. */
class FileSource implements OpenTable {
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
    await this.#requireSame();
    yield* contents(this.#handle);
    await this.#requireSame();
  }
  /** Reading a file never blocks, so there is nothing to interrupt. */
  interrupt(): void {}
  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #requireSame(): Promise<void> {
    if ((await this.#currentVersion()) !== this.#version)
      throw new Failure(`${this.#name} changed while it was being read; import it again when it is complete`);
  }
  async #currentVersion(): Promise<string> {
    const { size, mtimeNs, ctimeNs } = await this.#handle.stat({ bigint: true });
    return [size, mtimeNs, ctimeNs].join(" ");
  }
}

const CHUNK_BYTES = 65_536;

/** From the first byte; a stream would close the file when the reader stops early. */
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

class StreamSource implements OpenTable {
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

  /**
   * The unread rest. Stopping early does not end the stream, as stopping to iterate the stream itself would.
   */
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
        `the input cannot be buffered in ${tmpdir()}: ${writeFailure(error)}; import a file instead of standard input, or set TMPDIR`,
      );
    }
  }
}

/** The name is removed before anything is written. */
async function openSpool(): Promise<FileHandle> {
  const folder = PartialFolder.within(tmpdir());
  try {
    return await open(folder.file, "wx+", 0o600);
  } finally {
    folder.remove();
  }
}
