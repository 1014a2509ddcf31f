/** Background work gives way to calls: the order and the pauses, without a database. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { CallersFirst, type CallGroups, type CommittedStep } from "#store/writes/callers-first.ts";

/** So long that no test reaches the end of a pause by itself: the timers are mocked. */
const HELD_MS = 1e6;
const step =
  (value: unknown, more: Partial<CommittedStep> = {}) =>
  async (): Promise<CommittedStep> => ({ value, heldMs: HELD_MS, othersWrote: false, ...more });

/** Groups of calls that are committed when the test says so. */
class ControlledCalls implements CallGroups {
  groups = 0;
  isBusy = false;
  #awaited: (() => void)[] = [];
  nextGroup(): Promise<void> {
    return new Promise((resolve) => this.#awaited.push(resolve));
  }
  commit(): void {
    this.groups += 1;
    for (const resolve of this.#awaited.splice(0)) resolve();
  }
}

function controlled(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const calls = new ControlledCalls();
  const background = new CallersFirst(calls);
  const run = (next: () => Promise<CommittedStep>) => {
    const state = { isDone: false, value: background.run(next) };
    void state.value.then(() => {
      state.isDone = true;
    });
    return state;
  };
  return { calls, background, run, tick: (ms: number) => t.mock.timers.tick(ms) };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("runs step after step without a pause while nobody else writes", async (t) => {
  const { background } = controlled(t);
  for (const value of [1, 2, 3]) assert.equal(await background.run(step(value)), value);
});

test("waits for three groups of calls before a step while callers wait", async (t) => {
  const { calls, run } = controlled(t);
  calls.isBusy = true;
  const first = run(step(1));
  for (let n = 0; n < 3; n += 1) {
    await settled();
    assert.equal(first.isDone, false, `${n} groups`);
    calls.commit();
  }
  assert.equal(await first.value, 1);
});

test("waits three times as long as the last step kept others from writing", async (t) => {
  const { calls, run, tick } = controlled(t);
  await run(step(1)).value;
  for (let n = 0; n < 9; n += 1) calls.commit();
  const second = run(step(2));
  await settled();
  tick(2 * HELD_MS);
  await settled();
  assert.equal(second.isDone, false);
  tick(HELD_MS);
  assert.equal(await second.value, 2);
});

test("does not wait for more calls than there are", async (t) => {
  const { calls, run, tick } = controlled(t);
  await run(step(1)).value;
  calls.isBusy = true;
  const second = run(step(2));
  await settled();
  tick(3 * HELD_MS);
  await settled();
  assert.equal(second.isDone, false, "a group is being committed");
  calls.isBusy = false;
  calls.commit();
  assert.equal(await second.value, 2);
});

test("pauses for the calls of other processes", async (t) => {
  const { run, tick } = controlled(t);
  await run(step(1, { othersWrote: true })).value;
  const second = run(step(2));
  await settled();
  assert.equal(second.isDone, false);
  tick(3 * HELD_MS);
  assert.equal(await second.value, 2);
  assert.equal(await run(step(3)).value, 3, "nobody has written since");
});

test("runs the steps of several jobs one after the other, also after one has failed", async (t) => {
  const { background, run } = controlled(t);
  const failing = background.run(() => Promise.reject(new Error("the disk is full")));
  const next = run(step(2));
  await assert.rejects(failing, /the disk is full/);
  await background.drained();
  assert.equal(next.isDone, true);
});
