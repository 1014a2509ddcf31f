import assert from "node:assert/strict";
import { test } from "node:test";
import { median, spread } from "../../bench/statistics.ts";

test("takes the middle value as the median, or the mean of two", () => {
  assert.equal(median([30, 10, 20]), 20);
  assert.equal(median([10, 40, 20, 30]), 25);
  assert.equal(median([100, 9]), 54.5);
});
test("computes the spread as the range divided by the median", () => {
  assert.equal(spread([90, 100, 120]), 0.3);
  assert.equal(spread([7]), 0);
  assert.equal(spread([0, 0, 0]), 0);
});
test("rejects an empty list of values", () => {
  assert.throws(() => median([]), /nothing was measured/);
});
