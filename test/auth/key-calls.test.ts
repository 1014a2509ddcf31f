/** Counting the calls of keys in memory, and writing them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyCalls, MAX_PAIRS } from "#auth/key-calls.ts";
import { dayOf } from "#domain/calendar.ts";
import { CommitUnknown, StoreUnavailable } from "#domain/ports/errors.ts";
import type { Statistics } from "#domain/ports/statistics.ts";
import { MAX_PROGRAMS } from "#domain/statistics.ts";

const NOW = Date.UTC(2026, 10, 14, 23, 59, 59);
const DAY = dayOf(NOW);
type Written = Parameters<Statistics["addCalls"]>[0];

/** Where calls are written to, unless it fails. */
function target() {
  const written: Written[] = [];
  let failure: Error | null = null;
  const write: Statistics["addCalls"] = async (given) => {
    if (failure !== null) throw failure;
    written.push(given);
    return null;
  };
  return {
    write,
    calls: () => written.flatMap(({ calls }) => calls),
    quirks: () => written.flatMap(({ quirks }) => quirks),
    batches: written,
    fail: (error: Error | null) => {
      failure = error;
    },
  };
}

test("adds up calls, refusals and faults by key, program and day, and writes each only once", async () => {
  const { write, calls } = target();
  let now = NOW;
  const counts = new KeyCalls(write, () => now);
  counts.count(1, "PHP-SOAP/7.4.3", "done");
  counts.count(1, "PHP-SOAP/7.4.9", "refused");
  counts.count(1, undefined, "fault");
  counts.count(2, "curl/8.1", "done");
  now += 1000;
  counts.count(1, "PHP-SOAP/7.4.3", "done");
  await counts.flush();
  await counts.flush();
  const php = { key: 1, program: "PHP-SOAP 7.4" };
  assert.deepEqual(calls(), [
    { ...php, day: DAY, calls: 2, refusals: 1, faults: 0 },
    { key: 1, day: DAY, program: "(none)", calls: 1, refusals: 0, faults: 1 },
    { key: 2, day: DAY, program: "curl 8.1", calls: 1, refusals: 0, faults: 0 },
    { ...php, day: DAY + 1, calls: 1, refusals: 0, faults: 0 },
  ]);
});

test("keeps what could not be written, with what is counted meanwhile", async () => {
  const { write, calls, quirks, fail } = target();
  const counts = new KeyCalls(write, () => NOW);
  fail(new StoreUnavailable("down"));
  for (let n = 0; n < 3; n += 1) {
    counts.count(1, "curl/8.1", "done");
    counts.noteQuirk(1, "http-1.0", "curl/8.1");
    await assert.rejects(counts.flush(), StoreUnavailable);
  }
  fail(null);
  await counts.flush();
  assert.deepEqual(calls(), [{ key: 1, day: DAY, program: "curl 8.1", calls: 3, refusals: 0, faults: 0 }]);
  assert.deepEqual(quirks(), [{ key: 1, quirk: "http-1.0", program: "curl 8.1", seenAt: NOW }]);
});

test("counts nothing twice if it is not known whether a write was committed", async () => {
  const { write, calls, fail } = target();
  const counts = new KeyCalls(write, () => NOW);
  counts.count(1, "curl/8.1", "done");
  fail(new CommitUnknown("lost", null));
  await assert.rejects(counts.flush(), CommitUnknown);
  fail(null);
  counts.count(1, "curl/8.1", "done");
  await counts.flush();
  assert.deepEqual(
    calls().map((one) => one.calls),
    [1],
  );
});

test("counts further programs of a key together, and writes in batches", async () => {
  const { write, calls, batches } = target();
  const counts = new KeyCalls(write, () => NOW);
  for (let key = 1; key <= 20; key += 1)
    for (let n = 0; n < MAX_PROGRAMS + 10; n += 1) counts.count(key, `P${n}/1`, "done");
  await counts.flush();
  assert.equal(calls().length, 20 * (MAX_PROGRAMS + 1));
  const others = calls().filter(({ program }) => program === "(other)");
  assert.deepEqual(new Set(others.map((one) => one.calls)), new Set([10]));
  for (const batch of batches) assert.ok(batch.calls.length <= 500);
});

test("remembers a bounded number of keys and programs while nothing can be written, whatever the day", async () => {
  const { write, calls, fail } = target();
  let now = NOW;
  const counts = new KeyCalls(write, () => now);
  const countMany = (from: number): void => {
    for (let key = from; key < from + MAX_PAIRS + 50; key += 1) counts.count(key, `P${key}/1`, "done");
  };
  fail(new StoreUnavailable("down"));
  countMany(1);
  for (const from of [20_000, 40_000]) {
    now += 86_400_000;
    const flushed = counts.flush();
    countMany(from);
    await assert.rejects(flushed, StoreUnavailable);
    assert.equal(counts.sizes.pairs, MAX_PAIRS);
  }
  fail(null);
  await counts.flush();
  assert.equal(calls().length, MAX_PAIRS);
});

test("remembers 500 User-Agents, and none of more than 300 characters", () => {
  const counts = new KeyCalls(target().write, () => NOW);
  const namesAfter = (userAgent: string): number => {
    counts.count(1, userAgent, "done");
    return counts.sizes.names;
  };
  assert.deepEqual(["P/1", `P/2 ${"x".repeat(297)}`].map(namesAfter), [1, 1]);
  const names = Array.from({ length: 1200 }, (_, n) => namesAfter(`Q${n}/1`));
  assert.equal(Math.max(...names), 500);
});
