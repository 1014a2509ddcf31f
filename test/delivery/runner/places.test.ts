/** Which campaigns are sent now: accounts share the places, and who only waits makes room. */
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
  const { begin, endTurn } = planRuns({
    waiting,
    running,
    accountServedAt: (account) => served[account] ?? 0,
    now: NOW,
  });
  const numbers = (all: typeof begin) => all.map(({ campaign }) => campaign);
  return { begin: numbers(begin), endTurn: numbers(endTurn) };
};

test("accounts share free places evenly, whoever has more campaigns", () => {
  const { begin } = plan([...many(50, (n) => waits(1, n)), waits(2, 101), waits(3, 102), waits(3, 103)]);
  assert.equal(begin.length, MAX_RUNS);
  assert.deepEqual(
    begin.filter((campaign) => campaign > 100),
    [101, 102, 103],
  );
});

test("an account without a place gets one at once from the account with the most", () => {
  const running = [...many(7, (n) => runs(1, n, { began: NOW - n })), runs(2, 8)];
  assert.deepEqual(plan([waits(3, 9)], running), { begin: [9], endTurn: [7] });
});

test("nobody loses a place before the turn is over if places are shared evenly", () => {
  const running = many(MAX_RUNS, (n) => runs(n, n));
  assert.deepEqual(plan([waits(9, 9)], running), { begin: [], endTurn: [] });
  assert.deepEqual(
    plan(
      [waits(1, 9)],
      many(MAX_RUNS, (n) => runs(1, n)),
    ),
    { begin: [], endTurn: [] },
  );
});

test("after a turn, only as many make room as wait, and the account that waited longest is next", () => {
  const running = many(MAX_RUNS, (n) => runs(n, n, { began: NOW - TIME_SLICE_MS - n }));
  const { begin, endTurn } = plan([waits(11, 11), waits(12, 12)], running, { 11: 5, 12: 4 });
  assert.deepEqual(
    [begin, endTurn],
    [
      [12, 11],
      [8, 7],
    ],
  );
});

test("an account does not get the place of one that has fewer", () => {
  const running = [...many(7, (n) => runs(1, n)), runs(2, 8, { began: NOW - 2 * TIME_SLICE_MS })];
  assert.deepEqual(plan([waits(1, 9)], running), { begin: [], endTurn: [] });
});

test("a campaign that only waits for a limit makes room for any other one, and only then", () => {
  const running = many(MAX_RUNS, (n) => runs(1, n, { waitsForLimit: n === 3 }));
  assert.deepEqual(plan([waits(1, 9), waits(1, 10)], running), { begin: [9], endTurn: [3] });
  assert.deepEqual(plan([], running), { begin: [], endTurn: [] });
});

test("a campaign that waits for its last results occupies no place, but an account has only so many", () => {
  const ending = many(2 * MAX_RUNS, (n) => runs(1, n, { isEnding: true }));
  assert.deepEqual(plan([waits(1, 101), waits(2, 102)], ending), { begin: [102], endTurn: [] });
});

test("campaigns of an account take turns", () => {
  const running = many(MAX_RUNS, (n) => runs(1, n, { began: NOW - TIME_SLICE_MS }));
  const { begin, endTurn } = plan([waits(1, 9, 50), waits(1, 10, 40)], running);
  assert.deepEqual(begin, [10, 9]);
  assert.equal(endTurn.length, 2);
});
