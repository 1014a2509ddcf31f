/**
 * Reads a request's body, bounded before and after inflating. A body over the limit is still read to its end (up to a
 * point) and thrown away, because a caller that is cut off while it sends never sees the answer.
 */
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip, inflate } from "node:zlib";
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
const inflaters = new Map([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
]);

/**
 * The bytes as they came. They count towards the load: where they are given back, until the caller takes them off.
 * Throws BodyTooLarge, NoRoomForBody and BodyAborted.
 */
export function readBody(request: IncomingMessage, limit: number, load: Load): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let [length, kept, hasRoom, isOver] = [0, 0, true, false];
    const letGo = (): void => {
      chunks.length = 0;
      load.bytes -= kept;
      kept = 0;
    };
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      hasRoom &&= load.hasRoomFor(chunk.length, length);
      if (length <= limit && hasRoom) {
        chunks.push(chunk);
        kept += chunk.length;
        load.bytes += chunk.length;
      } else {
        letGo();
        if (length > limit * DRAINED_LIMITS) reject(new BodyTooLarge());
      }
    });
    request.on("end", () => {
      isOver = true;
      if (length > limit) reject(new BodyTooLarge());
      else if (!hasRoom) reject(new NoRoomForBody());
      else
        resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length));
    });
    request.on("error", () => {
      // After its end a body is the caller's.
      if (!isOver) letGo();
      reject(new BodyAborted());
    });
  });
}

/** The bytes that were meant. Throws BodyTooLarge and BodyNotReadable. */
export async function inflateBody(raw: Buffer, contentEncoding: string, limit: number): Promise<Buffer> {
  const encoding = contentEncoding.trim().toLowerCase();
  if (encoding === "" || encoding === "identity") return raw;
  const inflater = inflaters.get(encoding);
  if (inflater === undefined)
    throw new BodyNotReadable(
      `The Content-Encoding "${encoding.slice(0, 100)}" is not known. Use gzip, deflate or none.`,
    );
  try {
    return await inflater(raw, { maxOutputLength: limit });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw new BodyTooLarge();
    throw new BodyNotReadable(`The body is not valid ${encoding}.`);
  }
}
