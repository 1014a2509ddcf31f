/**
 * Reads request bodies, of SOAP calls and of routes: limited before and after decompression, and counted by
 * admission control while they are in memory. A body over the limit is still read (up to a point) and
 * discarded, because a client whose connection is closed while it sends never sees the response.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { createGunzip, createInflate } from "node:zlib";
import { Admission } from "#admission/admission.ts";
import { SerialQueue } from "#admission/serial-queue.ts";
import { Fault } from "#contract/faults.ts";

// Buffers a request body in chunks of a fixed size, however small the received chunks are: a million chunks
// of one byte, kept as they are, would take a hundred times their size. A small body is one chunk. A large
// one is never joined, because its readers go chunk by chunk.

/** All but the last are full. */
export type Chunks = readonly Buffer[];

export function lengthOf(chunks: Chunks): number {
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  return length;
}

export const CHUNK_BYTES = 16_384;

export class BodyBuffer {
  /** Most bodies come in one chunk, which is kept as it is. */
  #only: Buffer | null = null;
  readonly #chunks: Buffer[] = [];
  /** How much of the last chunk is filled. */
  #filled = CHUNK_BYTES;

  add(chunk: Buffer): void {
    if (this.#chunks.length > 0) return this.#copy(chunk);
    if (this.#only === null && chunk.length <= CHUNK_BYTES) {
      this.#only = chunk;
      return;
    }
    if (this.#only !== null) this.#copy(this.#only);
    this.#only = null;
    this.#copy(chunk);
  }

  chunks(): Chunks {
    if (this.#only !== null) return [this.#only];
    const last = this.#chunks.at(-1);
    if (last !== undefined) this.#chunks[this.#chunks.length - 1] = last.subarray(0, this.#filled);
    return this.#chunks;
  }

  #copy(chunk: Buffer): void {
    for (let from = 0; from < chunk.length; ) {
      if (this.#filled === CHUNK_BYTES) {
        this.#chunks.push(Buffer.allocUnsafeSlow(CHUNK_BYTES));
        this.#filled = 0;
      }
      const copied = chunk.copy(this.#chunks.at(-1) as Buffer, this.#filled, from);
      this.#filled += copied;
      from += copied;
    }
  }
}

// Decompresses a request body, up to a limit and only while its client is connected.

/** The client disconnected, so no response is needed. */
export class BodyAborted extends Error {
  override readonly name = "BodyAborted";
}

const tooLarge = (limit: number): Fault =>
  new Fault("TooLarge", `The request is larger than ${limit} bytes, the limit of this service.`);

const decompressors = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
]);

/** Throws InvalidMessage, TooLarge and, if the client disconnected, BodyAborted. */
export async function decompress(
  raw: Chunks,
  contentEncoding: string,
  limit: number,
  client: { readonly isGone: boolean },
): Promise<Chunks> {
  const encoding = contentEncoding.trim().toLowerCase();
  if (encoding === "" || encoding === "identity") return raw;
  const decompressor = decompressors.get(encoding)?.();
  if (decompressor === undefined)
    throw new Fault(
      "InvalidMessage",
      `The Content-Encoding "${encoding.slice(0, 100)}" is not known. Use gzip, deflate or none.`,
    );
  // Its errors are thrown by the loop below.
  void pipeline(raw, decompressor).catch(() => {});
  const buffer = new BodyBuffer();
  let length = 0;
  try {
    for await (const chunk of decompressor as AsyncIterable<Buffer>) {
      if (client.isGone) throw new BodyAborted();
      length += chunk.length;
      if (length > limit) throw tooLarge(limit);
      buffer.add(chunk);
    }
  } catch (error) {
    if (error instanceof Fault || error instanceof BodyAborted) throw error;
    throw new Fault("InvalidMessage", `The body is not valid ${encoding}.`);
  }
  return buffer.chunks();
}

const DRAINED_LIMITS = 8;
/**
 * A chunk may be a single byte, and one socket read may hold thousands: other connections must not wait for
 * all of them.
 */
export const CHUNKS_AT_ONCE = 512;

/** Whose body is decompressed. */
interface Sender {
  /** The client address, to queue fairly. */
  readonly client: string;
  readonly isGone: boolean;
}

/** A body in memory. It counts until it is released. */
export class Body {
  readonly #admission: Admission;
  readonly #limit: number;
  #chunks: Chunks;
  #bytes: number;

  constructor(admission: Admission, limit: number, chunks: Chunks, bytes: number) {
    this.#admission = admission;
    this.#limit = limit;
    this.#chunks = chunks;
    this.#bytes = bytes;
  }

  get chunks(): Chunks {
    return this.#chunks;
  }

  /** Throws InvalidMessage, TooLarge, Throttled and BodyAborted. */
  async decompress(contentEncoding: string, sender: Sender, queue: SerialQueue): Promise<void> {
    const chunks = await queue.run(sender.client, () =>
      decompress(this.#chunks, contentEncoding, this.#limit, sender),
    );
    // With the encoding "identity" they are the same, and counted already.
    if (chunks === this.#chunks) return;
    const length = lengthOf(chunks);
    if (!this.#admission.keepBody(length, length)) throw this.#admission.refuse("bodies");
    this.#bytes += length;
    this.#chunks = chunks;
  }

  release(): void {
    this.#admission.releaseBody(this.#bytes);
    this.#bytes = 0;
  }
}

export class BodyReader {
  /** In bytes, before and after decompression. */
  readonly limit: number;
  readonly admission: Admission;
  /** A few compressed bytes may expand to the limit, and a thousand requests must not do so at once. */
  readonly #decompressing = new SerialQueue();

  constructor(limit: number, admission: Admission = Admission.forBodies(limit)) {
    this.limit = limit;
    this.admission = admission;
  }

  /**
   * The bytes as received. Throws TooLarge, Throttled and BodyAborted. A body that was read must be released.
   */
  read(request: IncomingMessage, limit: number = this.limit): Promise<Body> {
    const { admission } = this;
    return new Promise((resolve, reject) => {
      if (this.isUnwanted(request)) return reject(tooLarge(limit));
      let buffer = new BodyBuffer();
      let length = 0;
      let kept = 0;
      let hasRoom = true;
      let isOver = false;
      const release = (): void => {
        buffer = new BodyBuffer();
        admission.releaseBody(kept);
        kept = 0;
      };
      eachChunk(request, (chunk) => {
        length += chunk.length;
        if (length <= limit && hasRoom) hasRoom = admission.keepBody(chunk.length, length);
        if (length <= limit && hasRoom) {
          buffer.add(chunk);
          kept += chunk.length;
        } else {
          release();
          if (length > this.limit * DRAINED_LIMITS) reject(tooLarge(limit));
        }
      });
      request.on("end", () => {
        isOver = true;
        if (length > limit) reject(tooLarge(limit));
        else if (!hasRoom) reject(admission.refuse("bodies"));
        else resolve(new Body(admission, limit, buffer.chunks(), kept));
      });
      request.on("error", () => {
        // After its end the body belongs to the caller of this function.
        if (!isOver) release();
        reject(new BodyAborted());
      });
    });
  }

  /** One body at a time, in rotation of clients. Throws as `Body.decompress`. */
  decompress(body: Body, contentEncoding: string, sender: Sender): Promise<void> {
    return body.decompress(contentEncoding, sender, this.#decompressing);
  }

  /** Discards a body. Resolves when the request may be answered; never if the client disconnected. */
  discard(request: IncomingMessage): Promise<void> {
    const { limit } = this;
    return new Promise((resolve) => {
      if (this.isUnwanted(request)) return resolve();
      let length = 0;
      eachChunk(request, (chunk) => {
        length += chunk.length;
        if (length > limit * DRAINED_LIMITS) resolve();
      });
      request.on("end", resolve);
      request.on("error", () => {});
    });
  }

  /**
   * Whether a request with `Expect: 100-continue` declares a length over the limit: it is answered at once,
   * without 100 Continue. HTTP/1.0 does not know that header.
   */
  isUnwanted({ headers, httpVersion }: IncomingMessage): boolean {
    if (headers.expect === undefined || httpVersion !== "1.1") return false;
    return Number(headers["content-length"]) > this.limit;
  }
}

/** Passes the chunks of a body to `take`, and yields to the event loop after every CHUNKS_AT_ONCE. */
function eachChunk(request: IncomingMessage, take: (chunk: Buffer) => void): void {
  let taken = 0;
  request.on("data", (chunk: Buffer) => {
    take(chunk);
    taken += 1;
    if (taken < CHUNKS_AT_ONCE) return;
    taken = 0;
    request.pause();
    setImmediate(() => request.resume());
  });
}

/** For a client that is still sending far more than is read: closes the connection after the response. */
export function closeAfterResponse(response: ServerResponse, request: IncomingMessage): void {
  if (!request.complete) response.once("finish", () => request.destroy());
}
