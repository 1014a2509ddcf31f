import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyRate } from "#auth/authenticator.ts";
import { Fault } from "#contract/faults.ts";

test("limits the calls of a key in a minute, says when the next begins, and then allows them again", () => {
  let now = 1_000_000;
  const rate = new KeyRate(3, () => now);
  const call = (key: number, times = 1): void => {
    for (let n = 0; n < times; n += 1) rate.count(key);
  };
  const isThrottledFor =
    (seconds: number) =>
    (error: unknown): boolean =>
      error instanceof Fault && error.code === "Throttled" && error.retryAfterSeconds === seconds;
  call(1, 3);
  now += 20_500;
  assert.throws(() => call(1), isThrottledFor(40));
  call(2, 3);
  assert.throws(() => call(2), isThrottledFor(40));
  now += 39_499;
  assert.throws(() => call(1), isThrottledFor(1));
  now += 1;
  call(1, 3);
  assert.throws(() => call(1), isThrottledFor(60));
});
