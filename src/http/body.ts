/**
 * Reads a request's body, bounded before and after inflating. A body over the limit is still read to its end (up to a
 * point) and thrown away, because a caller that is cut off while it sends never sees the answer.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { createGunzip, createInflate } from "node:zlib";
import { BodyBuffer, type Chunks } from "./body-buffer.ts";
import type { Load } from "./load.ts";

export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
}
/** The Content-Encoding is unknown, or the bytes do not fit it. */
export class BodyNotReadable extends Error {
  override readonly name = "BodyNotReadable";
}
/** There are too many bodies in memory already. */
export class NoRoomForBody extends Error {
  override readonly name = "NoRoomForBody";
}
/** The caller went away; there is nobody to answer. */
export class BodyAborted extends Error {
  override readonly name = "BodyAborted";
}

const DRAINED_LIMITS = 8;
/** A chunk may be a single byte, and one read of the socket brings thousands: others must not wait for all of them. */
export const CHUNKS_AT_ONCE = 512;
const inflaters = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
]);

/**
 * Whether a caller that waits to be asked for its body (`Expect: 100-continue`) has named a length that is too large: it
 * is answered at once and not asked. HTTP/1.0 knows no such waiting.
 */
export const isUnwanted = ({ headers, httpVersion }: IncomingMessage, limit: number): boolean =>
  headers.expect !== undefined && httpVersion === "1.1" && Number(headers["content-length"]) > limit;

/** Gives `take` the chunks of a body, and lets the event loop go on after so many. */
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
 * The bytes as they came. They count towards the load: where they are given back, until the caller takes them off.
 * Throws BodyTooLarge, NoRoomForBody and BodyAborted.
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
      // After its end a body is the caller's.
      if (!isOver) release();
      reject(new BodyAborted());
    });
  });
}

/** Where nobody wants a body: resolves when it may be answered; never where the caller went away. */
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

/** Whoever is still sending has sent far more than is read, and gets the answer before the end. */
export function closeAfterResponse(response: ServerResponse, request: IncomingMessage): void {
  if (!request.complete) response.once("finish", () => request.destroy());
}

/**
 * The bytes that were meant. Throws BodyTooLarge, BodyNotReadable and, where the caller is gone, BodyAborted.
 */
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
  // Its errors come out of the loop below.
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
