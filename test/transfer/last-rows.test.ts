/** Which row of a file counts where an address stands in several. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LastRows, MAX_DUPLICATES } from "#transfer/table/importers.ts";

test("the last row of each address counts, whatever is in between", () => {
  const names = ["a@x.org", "b@x.org", "ab@x.org", "ba@x.org", "", "ä@x.org"];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...names)), (keys) => {
      const rows = new LastRows();
      for (const [line, key] of keys.entries()) rows.see(key, line);
      const found = keys.map((key, line) => rows.isLast(key, line));
      assert.deepEqual(
        found,
        keys.map((key, line) => keys.lastIndexOf(key) === line),
      );
    }),
    { numRuns: 50 },
  );
});

test("no row is lost to a false positive among a hundred thousand", () => {
  const rows = new LastRows();
  const keyOf = (n: number): string => `person${n}@example.org`;
  for (let n = 0; n < 100_000; n += 1) rows.see(keyOf(n), n);
  for (let n = 0; n < 100_000; n += 1) assert.ok(rows.isLast(keyOf(n), n), keyOf(n));
});

test("a file with more than a million addresses that stand twice is refused: they are kept in memory", () => {
  const rows = new LastRows();
  for (let n = 0; n < MAX_DUPLICATES; n += 1) for (const line of [0, 1]) rows.see(`p${n}`, line);
  rows.see("one more", 2);
  assert.throws(
    () => rows.see("one more", 3),
    /at most 1,000,000 may be in several rows, .*; split the file$/,
  );
});
