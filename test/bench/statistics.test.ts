import assert from "node:assert/strict";
import { test } from "node:test";
import { median, spread } from "../../bench/statistics.ts";

test("the middle of an odd number of values is one of them, of an even number between two", () => {
  assert.equal(median([30, 10, 20]), 20);
  assert.equal(median([10, 40, 20, 30]), 25);
  assert.equal(median([100, 9]), 54.5);
});
test("the spread is the distance of the extremes as a share of the middle", () => {
  assert.equal(spread([90, 100, 120]), 0.3);
  assert.equal(spread([7]), 0);
  assert.equal(spread([0, 0, 0]), 0);
});
test("nothing has no middle", () => {
  assert.throws(() => median([]), /nothing was measured/);
});
