/** For which campaign the delivery thread makes the next message. All times are given by the tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SLOW_MS } from "#delivery/threads/campaign-queue.ts";
import { MakingOrder, type OrderedQueue } from "#delivery/threads/delivery.ts";

interface Campaign extends OrderedQueue {
  readonly costMs: number;
  made: number;
}
let turns = 0;
function campaign(account: number, costMs: number): Campaign {
  turns += 1;
  return {
    ...{ account, runId: turns, costMs, made: 0, isSlow: false, isActive: true },
    took(ms) {
      Object.assign(this, { isSlow: ms > SLOW_MS });
    },
  };
}

/** Makes messages for all until the clock has advanced by `ms`; counts those of each. */
function run(
  order: MakingOrder,
  clock: { now: number },
  campaigns: readonly Campaign[],
  ms: number,
): readonly number[] {
  for (const one of campaigns) one.made = 0;
  const end = clock.now + ms;
  while (clock.now < end) {
    const next = order.next(campaigns, campaigns);
    assert.ok(next !== null);
    if (typeof next === "number") clock.now += next;
    else {
      clock.now += next.costMs;
      next.made += 1;
      order.made(next, next.costMs);
    }
  }
  return campaigns.map(({ made }) => made);
}
function world() {
  const clock = { now: 0 };
  return { clock, order: new MakingOrder(() => clock.now) };
}

test("gives a slow campaign its share of time, not its share of turns", () => {
  const { clock, order } = world();
  const [slow = 0, quick = 0] = run(order, clock, [campaign(1, 400), campaign(2, 1)], 40_000);
  assert.ok(Math.abs(slow - 50) <= 1, `${slow}`);
  assert.ok(Math.abs(quick - 20_000) <= 400, `${quick}`);
});

test("shares the time between accounts, then between the campaigns of an account", () => {
  const { clock, order } = world();
  const [one = 0, two = 0, three = 0] = run(
    order,
    clock,
    [campaign(1, 1), campaign(1, 2), campaign(2, 1)],
    40_000,
  );
  assert.ok(Math.abs(one - 10_000) < 10, `${one}`);
  assert.ok(Math.abs(two - 5000) < 10, `${two}`);
  assert.ok(Math.abs(three - 20_000) < 10, `${three}`);
});

test("lets a campaign neither save up time while it is idle nor pay for what it used alone", () => {
  const { clock, order } = world();
  const [early, late] = [campaign(1, 1), campaign(2, 1)];
  run(order, clock, [early], 5000);
  const [first = 0, second = 0] = run(order, clock, [early, late], 100);
  assert.ok(Math.abs(first - second) <= 2, `${first} and ${second}: a new one starts level`);
  run(order, clock, [late], 5000);
  const [third = 0, fourth = 0] = run(order, clock, [early, late], 100);
  assert.ok(Math.abs(third - fourth) <= 2, `${third} and ${fourth}: an idle one returns level`);
});

test("leaves half of the time to quick campaigns, however many are slow", () => {
  const { clock, order } = world();
  const slow = Array.from({ length: 7 }, (_, index) => campaign(index + 2, 400));
  const quick = campaign(1, 1);
  // It waits for its connections, and wants no message.
  const all = [...slow, quick];
  for (const one of slow) order.made(one, 400);
  const began = clock.now;
  const pause = order.next(slow, all);
  assert.equal(pause, 400);
  clock.now = began + 400;
  assert.ok(typeof order.next(slow, all) === "object");
});

test("never pauses slow campaigns if no quick one could go on", () => {
  const { clock, order } = world();
  const one = campaign(1, 400);
  assert.deepEqual(run(order, clock, [one], 40_000), [100]);
  const idle = { ...campaign(2, 1), isActive: false };
  assert.equal(order.next([one], [one, idle]), one);
  assert.deepEqual(run(order, clock, [campaign(3, 400), campaign(4, 400)], 40_000), [50, 50]);
});
