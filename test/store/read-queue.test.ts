/** The order of queued reads. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import { PageLimiter } from "#store/reads/page-limiter.ts";
import { ReadQueue } from "#store/reads/read-queue.ts";

test("takes accounts in turn, however much one of them reads", () => {
  const queue = new ReadQueue<string>();
  for (const item of ["a1", "a2", "a3"]) queue.add(item, 1, false);
  queue.add("b1", 2, false);
  queue.add("none", null, false);
  assert.deepEqual(
    Array.from({ length: 6 }, () => queue.take()),
    ["a1", "b1", "none", "a2", "a3", undefined],
  );
});

test("continues lists of an account that have begun before it starts others", () => {
  const queue = new ReadQueue<string>();
  for (const item of ["first of 1", "first of 2"]) queue.add(item, 1, false);
  queue.add("second of 0", 1, true);
  assert.equal(queue.take(), "second of 0");
  assert.equal(queue.take(), "first of 1");
});

describe("the gate in front of the connections for pages", () => {
  /** Reads that end when the test says so, in the order in which they began. */
  function held(gate: PageLimiter) {
    const began: string[] = [];
    const ends: (() => void)[] = [];
    const read = (name: string, owner: number): Promise<string> =>
      gate.run(owner, false, async () => {
        began.push(name);
        await new Promise<void>((end) => ends.push(end));
        return name;
      });
    const end = async (): Promise<void> => {
      ends.shift()?.();
      await new Promise(setImmediate);
    };
    return { began, read, end };
  }

  test("admits as many reads as there are connections, and then accounts in turn", async () => {
    const { began, read, end } = held(new PageLimiter(2, 1000));
    const all = [read("a1", 1), read("a2", 1), read("a3", 1), read("a4", 1), read("b1", 2)];
    assert.deepEqual(began, ["a1", "a2"]);
    await end();
    await end();
    assert.deepEqual(began, ["a1", "a2", "a3", "b1"]);
    for (let left = 0; left < 3; left += 1) await end();
    assert.deepEqual(await Promise.all(all), ["a1", "a2", "a3", "a4", "b1"]);
  });

  test("refuses reads that have waited longer than the timeout", async () => {
    const { began, read, end } = held(new PageLimiter(1, 0));
    const first = read("a1", 1);
    const refused = assert.rejects(read("a2", 1), StoreUnavailable);
    await end();
    await Promise.all([first, refused]);
    assert.deepEqual(began, ["a1"]);
    const next = read("a3", 1);
    await end();
    assert.equal(await next, "a3");
  });

  test("lets operators wait after a page while calls are written, and only then", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    let areCallsWritten = true;
    const { began, read, end } = held(PageLimiter.forOperators(() => areCallsWritten)(false));
    const all = [read("a1", 1), read("a2", 1), read("a3", 1)];
    await end();
    assert.deepEqual(began, ["a1"]);
    areCallsWritten = false;
    t.mock.timers.tick(1000);
    await new Promise(setImmediate);
    assert.deepEqual(began, ["a1", "a2"]);
    await end();
    assert.deepEqual(began, ["a1", "a2", "a3"]);
    await end();
    await Promise.all(all);
  });
});
