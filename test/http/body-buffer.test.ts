/** Buffered bodies: the same bytes in chunks of one size, whatever the sizes of the chunks received. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BodyBuffer, CHUNK_BYTES } from "#http/body/body.ts";

const buffered = (received: readonly Buffer[]): readonly Buffer[] => {
  const buffer = new BodyBuffer();
  for (const chunk of received) buffer.add(chunk);
  return buffer.chunks();
};

test("copies chunks of any size into full chunks and a remainder, in order", () => {
  const size = fc.oneof(fc.nat(20), fc.integer({ min: CHUNK_BYTES - 2, max: 2 * CHUNK_BYTES + 2 }));
  fc.assert(
    fc.property(fc.array(size, { maxLength: 8 }), (sizes) => {
      let next = 0;
      const received = sizes.map((length) =>
        Buffer.from(Array.from({ length }, () => (next = (next + 1) % 251))),
      );
      const chunks = buffered(received);
      assert.ok(Buffer.concat(chunks).equals(Buffer.concat(received)));
      for (const chunk of chunks.slice(0, -1)) assert.equal(chunk.length, CHUNK_BYTES);
      assert.ok((chunks.at(-1)?.length ?? 0) <= CHUNK_BYTES);
    }),
    { numRuns: 60 },
  );
});

test("keeps a small body that came in one chunk without copying it", () => {
  const chunk = Buffer.from("<a/>");
  assert.equal(buffered([chunk])[0], chunk);
});

test("stores chunks of one byte in no more memory than their bytes", () => {
  const held = new Set(
    buffered(Array.from({ length: 3 * CHUNK_BYTES }, () => Buffer.from("x"))).map(({ buffer }) => buffer),
  );
  assert.equal(
    [...held].reduce((sum, { byteLength }) => sum + byteLength, 0),
    3 * CHUNK_BYTES,
  );
});
