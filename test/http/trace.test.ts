/** The examples and rules of W3C Trace Context §3.2. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { traceIdOf } from "#app/calls/call.ts";

const ID = "4bf92f3577b34da6a3ce929d0e0e4736";

test("takes the second part of traceparent as the trace id", () => {
  assert.equal(traceIdOf(`00-${ID}-00f067aa0ba902b7-01`), ID);
  assert.equal(traceIdOf(`00-${ID}-00f067aa0ba902b7-00`), ID);
});

test("accepts additional parts in later versions of traceparent, but not in the first", () => {
  assert.equal(traceIdOf(`cc-${ID}-00f067aa0ba902b7-01-what-the-future-holds`), ID);
  assert.equal(traceIdOf(`cc-${ID}-00f067aa0ba902b7-01`), ID);
  assert.equal(traceIdOf(`cc-${ID}-00f067aa0ba902b7-01.x`), undefined);
  assert.equal(traceIdOf(`00-${ID}-00f067aa0ba902b7-01-more`), undefined);
});

for (const [what, header] of [
  ["nothing", undefined],
  ["an empty header", ""],
  ["the forbidden version", `ff-${ID}-00f067aa0ba902b7-01`],
  ["a trace id of zeros", `00-${"0".repeat(32)}-00f067aa0ba902b7-01`],
  ["a parent id of zeros", `00-${ID}-${"0".repeat(16)}-01`],
  ["capital letters", `00-${ID.toUpperCase()}-00f067aa0ba902b7-01`],
  ["a short id", `00-${ID.slice(1)}-00f067aa0ba902b7-01`],
  ["no flags", `00-${ID}-00f067aa0ba902b7`],
  ["two headers, which node joins", `00-${ID}-00f067aa0ba902b7-01, 00-${ID}-00f067aa0ba902b7-01`],
  ["an injected log line", `00-${ID}-00f067aa0ba902b7-01\n{"level":"error"}`],
] as const)
  test(`ignores ${what}`, () => {
    assert.equal(traceIdOf(header), undefined);
  });
