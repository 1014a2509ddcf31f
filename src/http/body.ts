/**
 * Reads a request's body, bounded before and after inflating. A body over the limit is still read to its end (up to a
 * point) and thrown away, because a caller that is cut off while it sends never sees the answer.
 */
import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import { createGunzip, createInflate } from "node:zlib";
import { Gathered, type Pieces } from "./pieces.ts";

export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
}
/** The Content-Encoding is unknown, or the bytes do not fit it. */
export class BodyNotReadable extends Error {
  override readonly name = "BodyNotReadable";
}
/** The caller went away; there is nobody to answer. */
export class BodyAborted extends Error {
  override readonly name = "BodyAborted";
}

const DRAINED_LIMITS = 8;
const inflaters = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
]);

/** The bytes as they came. Throws BodyTooLarge and BodyAborted. */
export function readBody(request: IncomingMessage, limit: number): Promise<Pieces> {
  return new Promise((resolve, reject) => {
    let gathered = new Gathered();
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) gathered.add(chunk);
      else {
        gathered = new Gathered();
        if (length > limit * DRAINED_LIMITS) reject(new BodyTooLarge());
      }
    });
    request.on("end", () => {
      if (length > limit) reject(new BodyTooLarge());
      else resolve(gathered.pieces());
    });
    request.on("error", () => reject(new BodyAborted()));
  });
}

/** The bytes that were meant. Throws BodyTooLarge and BodyNotReadable. */
export async function inflateBody(raw: Pieces, contentEncoding: string, limit: number): Promise<Pieces> {
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
  const gathered = new Gathered();
  let length = 0;
  try {
    for await (const chunk of inflated as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > limit) throw new BodyTooLarge();
      gathered.add(chunk);
    }
  } catch (error) {
    if (error instanceof BodyTooLarge) throw error;
    throw new BodyNotReadable(`The body is not valid ${encoding}.`);
  }
  return gathered.pieces();
}
