/**
 * Reads a request body, limited before and after inflating. A body over the limit is still read (up to a
 * point) and discarded, because a client whose connection is closed while it sends never sees the response.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { createGunzip, createInflate } from "node:zlib";
import { BodyBuffer, type Chunks } from "./body-buffer.ts";
import type { Load } from "./load.ts";

export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
}
/** The Content-Encoding is unknown, or the bytes are not encoded so. */
export class BodyNotReadable extends Error {
  override readonly name = "BodyNotReadable";
}
/** Too many bodies are in memory already. */
export class NoRoomForBody extends Error {
  override readonly name = "NoRoomForBody";
}
/** The client disconnected, so no response is needed. */
export class BodyAborted extends Error {
  override readonly name = "BodyAborted";
}

const DRAINED_LIMITS = 8;
/**
 * A chunk may be a single byte, and one socket read may hold thousands: other connections must not wait for
 * all of them.
 */
export const CHUNKS_AT_ONCE = 512;
const inflaters = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
]);

/**
 * Whether a request with `Expect: 100-continue` declares a length over the limit: it is answered at once,
 * without 100 Continue. HTTP/1.0 does not know that header.
 */
export const isUnwanted = ({ headers, httpVersion }: IncomingMessage, limit: number): boolean =>
  headers.expect !== undefined && httpVersion === "1.1" && Number(headers["content-length"]) > limit;

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

/**
 * The bytes as received. They are added to the load; after success the caller must subtract them. Throws
 * BodyTooLarge, NoRoomForBody and BodyAborted.
 */
export function readBody(request: IncomingMessage, limit: number, load: Load): Promise<Chunks> {
  return new Promise((resolve, reject) => {
    if (isUnwanted(request, limit)) return reject(new BodyTooLarge());
    let buffer = new BodyBuffer();
    let length = 0;
    let kept = 0;
    let hasRoom = true;
    let isOver = false;
    const release = (): void => {
      buffer = new BodyBuffer();
      load.bytes -= kept;
      kept = 0;
    };
    eachChunk(request, (chunk) => {
      length += chunk.length;
      hasRoom &&= load.hasRoomFor(chunk.length, length);
      if (length <= limit && hasRoom) {
        buffer.add(chunk);
        kept += chunk.length;
        load.bytes += chunk.length;
      } else {
        release();
        if (length > limit * DRAINED_LIMITS) reject(new BodyTooLarge());
      }
    });
    request.on("end", () => {
      isOver = true;
      if (length > limit) reject(new BodyTooLarge());
      else if (!hasRoom) reject(new NoRoomForBody());
      else resolve(buffer.chunks());
    });
    request.on("error", () => {
      // After its end the body belongs to the caller of this function.
      if (!isOver) release();
      reject(new BodyAborted());
    });
  });
}

/** Discards a body. Resolves when the request may be answered; never if the client disconnected. */
export function discardBody(request: IncomingMessage, limit: number): Promise<void> {
  return new Promise((resolve) => {
    if (isUnwanted(request, limit)) return resolve();
    let length = 0;
    eachChunk(request, (chunk) => {
      length += chunk.length;
      if (length > limit * DRAINED_LIMITS) resolve();
    });
    request.on("end", resolve);
    request.on("error", () => {});
  });
}

/** For a client that is still sending far more than is read: closes the connection after the response. */
export function closeAfterResponse(response: ServerResponse, request: IncomingMessage): void {
  if (!request.complete) response.once("finish", () => request.destroy());
}

/** The inflated bytes. Throws BodyTooLarge, BodyNotReadable and, if the client disconnected, BodyAborted. */
export async function inflateBody(
  raw: Chunks,
  contentEncoding: string,
  limit: number,
  isGone: () => boolean,
): Promise<Chunks> {
  const encoding = contentEncoding.trim().toLowerCase();
  if (encoding === "" || encoding === "identity") return raw;
  const inflater = inflaters.get(encoding);
  if (inflater === undefined)
    throw new BodyNotReadable(
      `The Content-Encoding "${encoding.slice(0, 100)}" is not known. Use gzip, deflate or none.`,
    );
  const inflated = inflater();
  // Its errors are thrown by the loop below.
  void pipeline(raw, inflated).catch(() => {});
  const buffer = new BodyBuffer();
  let length = 0;
  try {
    for await (const chunk of inflated as AsyncIterable<Buffer>) {
      if (isGone()) throw new BodyAborted();
      length += chunk.length;
      if (length > limit) throw new BodyTooLarge();
      buffer.add(chunk);
    }
  } catch (error) {
    if (error instanceof BodyTooLarge || error instanceof BodyAborted) throw error;
    throw new BodyNotReadable(`The body is not valid ${encoding}.`);
  }
  return buffer.chunks();
}
