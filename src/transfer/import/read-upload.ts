/** The bytes of an upload. */
import { setImmediate } from "node:timers/promises";
import type { OneUpload, Uploads } from "#domain/ports/uploads.ts";

/** The upload was deleted while it was read. */
export class UploadGone extends Error {
  override readonly name = "UploadGone";
}

type Readable = Pick<Uploads, "part">;

/** What is yielded at a time, so that no reader blocks the event loop with a whole part. */
const CHUNK_BYTES = 65_536;

/** From a position to the end; a part of it is in memory at a time. */
export async function* readUpload(
  uploads: Readable,
  one: OneUpload,
  { size, from = 0 }: { readonly size: number; readonly from?: number },
): AsyncGenerator<Buffer> {
  for (let offset = from; offset < size; ) {
    const part = await uploads.part({ ...one, offset });
    if (part === null) throw new UploadGone(`the upload ${one.id} was deleted while it was being read`);
    const { buffer, byteOffset, length } = part.bytes;
    const bytes = Buffer.from(buffer, byteOffset, length);
    for (let at = offset - part.start; at < length; at += CHUNK_BYTES) {
      yield bytes.subarray(at, at + CHUNK_BYTES);
      await setImmediate();
    }
    offset = part.start + length;
  }
}
