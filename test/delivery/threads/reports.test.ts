/** What the delivery thread reports together. */
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { setImmediate as nextRound } from "node:timers/promises";
import type { Report } from "#delivery/threads/protocol.ts";
import { Reports } from "#delivery/threads/protocol.ts";

function collect(connections: number) {
  const posted: Report[] = [];
  let onPost: () => void = () => {};
  const reports = new Reports({
    connections,
    used: () => 4,
    post(report) {
      posted.push(report);
      onPost();
    },
  });
  const post = (): Promise<void> =>
    new Promise((resolve) => {
      onPost = resolve;
    });
  const results = (count: number): void => {
    for (let subscriber = 1; subscriber <= count; subscriber += 1)
      reports.result({ runId: 1, result: { subscriber, state: "queued", isAttempt: false, afterMs: 0 } });
  };
  return { reports, posted, results, post };
}

test("posts half of the connections together, with what else happened", async () => {
  // So that waiting never ends.
  mock.timers.enable({ apis: ["setTimeout"] });
  const { reports, posted, results } = collect(20);
  results(9);
  reports.ready({ runId: 1, batch: 1, subscriber: 9, slot: 3 });
  await nextRound();
  assert.equal(posted.length, 0);
  results(1);
  assert.equal(posted.length, 0);
  await nextRound();
  assert.deepEqual(
    posted.map(({ results: { length }, ready, connections }) => ({ length, ready, connections })),
    [{ length: 10, ready: [{ runId: 1, batch: 1, subscriber: 9, slot: 3 }], connections: 4 }],
  );
  mock.timers.reset();
});

test("posts fewer after a moment, and nothing twice", async () => {
  const { posted, results, post } = collect(20);
  for (const count of [1, 2]) {
    const isPosted = post();
    results(count);
    await isPosted;
  }
  assert.deepEqual(
    posted.map(({ results: { length } }) => length),
    [1, 2],
  );
});

test("posts a failure at once, and with one connection every result", async () => {
  const failing = collect(20);
  failing.results(1);
  failing.reports.relayFailed({ runId: 1, reason: "away", isQuota: false });
  const single = collect(1);
  single.results(1);
  await nextRound();
  assert.deepEqual(
    [failing, single].map(({ posted }) => posted.map(({ results: { length } }) => length)),
    [[1], [1]],
  );
});
