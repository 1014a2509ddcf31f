/** Which campaigns are sent now: accounts share the runs, and one that only waits is preempted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_RUNS, planRuns, type Running, TIME_SLICE_MS, type Waiting } from "#delivery/runner/scheduler.ts";

const NOW = 1_000_000;
const waits = (account: number, campaign: number, servedAt = 0): Waiting => ({ account, campaign, servedAt });
const runs = (account: number, campaign: number, more: Partial<Running> = {}): Running => ({
  ...{ account, campaign, began: NOW - 1000, isEnding: false, waitsForLimit: false },
  ...more,
});
const many = <One>(count: number, make: (n: number) => One): readonly One[] =>
  Array.from({ length: count }, (_, n) => make(n + 1));
const plan = (
  waiting: readonly Waiting[],
  running: readonly Running[] = [],
  served: Readonly<Record<number, number>> = {},
) => {
  const { begin, preempt } = planRuns({
    waiting,
    running,
    accountServedAt: (account) => served[account] ?? 0,
    now: NOW,
  });
  const numbers = (all: typeof begin) => all.map(({ campaign }) => campaign);
  return { begin: numbers(begin), preempt: numbers(preempt) };
};

test("accounts share free runs evenly, whoever has more campaigns", () => {
  const { begin } = plan([...many(50, (n) => waits(1, n)), waits(2, 101), waits(3, 102), waits(3, 103)]);
  assert.equal(begin.length, MAX_RUNS);
  assert.deepEqual(
    begin.filter((campaign) => campaign > 100),
    [101, 102, 103],
  );
});

test("an account without a run preempts one of the account with the most at once", () => {
  const running = [...many(7, (n) => runs(1, n, { began: NOW - n })), runs(2, 8)];
  assert.deepEqual(plan([waits(3, 9)], running), { begin: [9], preempt: [7] });
});

test("nothing is preempted within its time slice if the runs are shared evenly", () => {
  const running = many(MAX_RUNS, (n) => runs(n, n));
  assert.deepEqual(plan([waits(9, 9)], running), { begin: [], preempt: [] });
  assert.deepEqual(
    plan(
      [waits(1, 9)],
      many(MAX_RUNS, (n) => runs(1, n)),
    ),
    { begin: [], preempt: [] },
  );
});

test("after their time slice, only as many are preempted as wait, and the account that waited longest is next", () => {
  const running = many(MAX_RUNS, (n) => runs(n, n, { began: NOW - TIME_SLICE_MS - n }));
  const { begin, preempt } = plan([waits(11, 11), waits(12, 12)], running, { 11: 5, 12: 4 });
  assert.deepEqual(
    [begin, preempt],
    [
      [12, 11],
      [8, 7],
    ],
  );
});

test("an account does not preempt one that has fewer runs", () => {
  const running = [...many(7, (n) => runs(1, n)), runs(2, 8, { began: NOW - 2 * TIME_SLICE_MS })];
  assert.deepEqual(plan([waits(1, 9)], running), { begin: [], preempt: [] });
});

test("a campaign that only waits for a limit is preempted for any other one, and only then", () => {
  const running = many(MAX_RUNS, (n) => runs(1, n, { waitsForLimit: n === 3 }));
  assert.deepEqual(plan([waits(1, 9), waits(1, 10)], running), { begin: [9], preempt: [3] });
  assert.deepEqual(plan([], running), { begin: [], preempt: [] });
});

test("a campaign that waits for its last results is not counted as a run, but an account has only so many", () => {
  const ending = many(2 * MAX_RUNS, (n) => runs(1, n, { isEnding: true }));
  assert.deepEqual(plan([waits(1, 101), waits(2, 102)], ending), { begin: [102], preempt: [] });
});

test("campaigns of an account take turns", () => {
  const running = many(MAX_RUNS, (n) => runs(1, n, { began: NOW - TIME_SLICE_MS }));
  const { begin, preempt } = plan([waits(1, 9, 50), waits(1, 10, 40)], running);
  assert.deepEqual(begin, [10, 9]);
  assert.equal(preempt.length, 2);
});
