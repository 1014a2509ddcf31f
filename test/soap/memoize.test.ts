/** What is cached of texts that a client may send in any number. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_ENTRIES, MAX_LENGTH, memoize } from "#soap/memoize.ts";

/** Counts how often each text was computed. */
function counting() {
  const computed = new Map<string, number>();
  const find = memoize((text) => {
    computed.set(text, (computed.get(text) ?? 0) + 1);
    return { text };
  });
  return { find, times: (text: string): number => computed.get(text) ?? 0 };
}

test("computes a value once for the same text", () => {
  const { find, times } = counting();
  assert.equal(find("text/xml"), find("text/xml"));
  assert.equal(times("text/xml"), 1);
});

test("keeps no text that is longer than the limit", () => {
  const { find, times } = counting();
  const [longest, tooLong] = ["x".repeat(MAX_LENGTH), "x".repeat(MAX_LENGTH + 1)];
  for (const text of [longest, longest, tooLong, tooLong]) assert.equal(find(text).text, text);
  assert.equal(times(longest), 1);
  assert.equal(times(tooLong), 2);
});

test("forgets everything when it is full, and then learns again what is in use", () => {
  const { find, times } = counting();
  for (let n = 0; n < MAX_ENTRIES; n += 1) find(`stranger ${n}`);
  find("caller");
  find("stranger 0");
  find("caller");
  assert.equal(times("caller"), 1);
  assert.equal(times("stranger 0"), 2);
});
