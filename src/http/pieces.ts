/**
 * The bytes of a body as they gather, in pieces of one size however small the chunks were that they came in: a million
 * chunks of one byte, kept as they are, take a hundred times their size. A small body is one piece; a large one is
 * never joined, because whoever reads it goes piece by piece.
 */

/** All but the last are full. */
export type Pieces = readonly Buffer[];

export function lengthOf(pieces: Pieces): number {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  return length;
}

export const PIECE_BYTES = 16_384;

export class Gathered {
  /** Most bodies come in one chunk, which is kept as it is. */
  #only: Buffer | null = null;
  readonly #pieces: Buffer[] = [];
  /** How much of the last piece is filled. */
  #filled = PIECE_BYTES;

  add(chunk: Buffer): void {
    if (this.#pieces.length > 0) return this.#copy(chunk);
    if (this.#only === null && chunk.length <= PIECE_BYTES) {
      this.#only = chunk;
      return;
    }
    if (this.#only !== null) this.#copy(this.#only);
    this.#only = null;
    this.#copy(chunk);
  }

  pieces(): Pieces {
    if (this.#only !== null) return [this.#only];
    const last = this.#pieces.at(-1);
    if (last !== undefined) this.#pieces[this.#pieces.length - 1] = last.subarray(0, this.#filled);
    return this.#pieces;
  }

  #copy(chunk: Buffer): void {
    for (let from = 0; from < chunk.length; ) {
      if (this.#filled === PIECE_BYTES) {
        this.#pieces.push(Buffer.allocUnsafeSlow(PIECE_BYTES));
        this.#filled = 0;
      }
      const copied = chunk.copy(this.#pieces.at(-1) as Buffer, this.#filled, from);
      this.#filled += copied;
      from += copied;
    }
  }
}
