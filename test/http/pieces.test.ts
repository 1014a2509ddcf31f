/** Bodies as they gather: the same bytes in pieces of one size, whatever chunks they came in. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Gathered, PIECE_BYTES } from "../../src/http/pieces.ts";

const gather = (chunks: readonly Buffer[]): readonly Buffer[] => {
  const gathered = new Gathered();
  for (const chunk of chunks) gathered.add(chunk);
  return gathered.pieces();
};

test("any chunks become full pieces and a rest, in order", () => {
  const size = fc.oneof(fc.nat(20), fc.integer({ min: PIECE_BYTES - 2, max: 2 * PIECE_BYTES + 2 }));
  fc.assert(
    fc.property(fc.array(size, { maxLength: 8 }), (sizes) => {
      let next = 0;
      const chunks = sizes.map((length) =>
        Buffer.from(Array.from({ length }, () => (next = (next + 1) % 251))),
      );
      const pieces = gather(chunks);
      assert.ok(Buffer.concat(pieces).equals(Buffer.concat(chunks)));
      for (const piece of pieces.slice(0, -1)) assert.equal(piece.length, PIECE_BYTES);
      assert.ok((pieces.at(-1)?.length ?? 0) <= PIECE_BYTES);
    }),
    { numRuns: 60 },
  );
});

test("a small body in one chunk is that chunk", () => {
  const chunk = Buffer.from("<a/>");
  assert.equal(gather([chunk])[0], chunk);
});

test("chunks of one byte take no more memory than their bytes", () => {
  const held = new Set(
    gather(Array.from({ length: 3 * PIECE_BYTES }, () => Buffer.from("x"))).map(({ buffer }) => buffer),
  );
  assert.equal(
    [...held].reduce((sum, { byteLength }) => sum + byteLength, 0),
    3 * PIECE_BYTES,
  );
});
