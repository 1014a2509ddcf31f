/** Messages that once cost far more than their bytes; `npm run test:fuzz` searches for others. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { PLAINEST, type Shape } from "../fuzz/long-shapes.ts";
import { ReadingCost, tooMuch } from "../fuzz/reading-cost.ts";

const SIZE = 128 * 1024;

const shapes: Readonly<Record<string, Partial<Shape>>> = {
  "attributes of two prefixes whose namespaces are half of the message": {
    attributes: 2,
    attributePrefix: "several",
    namespaces: 2,
    namespaceLength: 1 / 2,
  },
  "attributes of eight prefixes with long namespaces": {
    attributes: 9,
    attributePrefix: "several",
    namespaces: 8,
    namespaceLength: 1000,
  },
  "parameters in a namespace of 16,000 characters that ends in a slash": {
    prefix: "one",
    namespaces: 1,
    namespaceLength: 16_000,
    namespaceEnd: "/",
  },
  "parameters in two long namespaces that end in a slash": {
    prefix: "several",
    namespaces: 2,
    namespaceLength: 1000,
    namespaceEnd: "/",
  },
};

describe("reading takes processor time in proportion to the bytes, for", {
  concurrency: 1,
}, () => {
  for (const [name, genes] of Object.entries(shapes))
    test(`reads ${name} in linear CPU time`, async () => {
      const reading = new ReadingCost();
      const plain = await reading.of(PLAINEST, SIZE);
      assert.equal(tooMuch(await reading.of({ ...PLAINEST, ...genes }, SIZE), plain.msPerMib), null);
    });
});
