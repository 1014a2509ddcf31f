/**
 * Buffers a request body in chunks of a fixed size, however small the received chunks are: a million chunks
 * of one byte, kept as they are, would take a hundred times their size. A small body is one chunk. A large
 * one is never joined, because its readers go chunk by chunk.
 */

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
