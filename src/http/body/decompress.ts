/** Decompresses a request body, up to a limit and only while its client is connected. */
import { pipeline } from "node:stream/promises";
import { createGunzip, createInflate } from "node:zlib";
import { Fault } from "#contract/faults.ts";
import { BodyBuffer, type Chunks } from "./buffer.ts";

/** The client disconnected, so no response is needed. */
export class BodyAborted extends Error {
  override readonly name = "BodyAborted";
}

export const tooLarge = (limit: number): Fault =>
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
