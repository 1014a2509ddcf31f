/** How the pace of a relay is found, against relays of several kinds, with a clock of its own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AHEAD_MS,
  acceptsNothing,
  limitAsPace,
  type Pace,
  slowed,
  takePermits,
  triedPerSecond,
} from "#domain/sending/pace.ts";

/** Whether a relay accepts the message that comes now. */
type Relay = (now: number) => boolean;

function bucket(rateAt: (now: number) => number): Relay {
  let [tokens, last] = [rateAt(0), 0];
  return (now) => {
    const rate = rateAt(now);
    tokens = Math.min(rate, tokens + ((now - last) / 1000) * rate);
    last = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
/** Counts by the period of the clock. */
function counting(most: number, ms: number): Relay {
  let [period, count] = [-1, 0];
  return (now) => {
    const current = Math.floor(now / ms);
    count = current === period ? count + 1 : 1;
    period = current;
    return count <= most;
  };
}

interface Attempt {
  readonly at: number;
  readonly isAccepted: boolean;
}
const LATENCY_MS = 20;
/** Sends for so many seconds with one process, and has the pace of the end. */
function send(relay: Relay, seconds: number): { attempts: readonly Attempt[]; pace: Pace } {
  const attempts: Attempt[] = [];
  // Nothing is known: as fast as it goes, and 40 more before the first refusal has arrived.
  let now = 0;
  for (let more = 40; more > 0; now += 0.5) {
    const isAccepted = relay(now);
    attempts.push({ at: now, isAccepted });
    if (!isAccepted) more -= 1;
  }
  let pace = slowed(null, attempts.filter(({ isAccepted, at }) => isAccepted && at > now - 1000).length, now);
  while (now < seconds * 1000) {
    const taken = takePermits(pace, AHEAD_MS, now);
    pace = taken.pace;
    const { from, everyMs, count } = taken.permits;
    for (let index = 0; index < count; index += 1) {
      now = Math.max(now, from + index * everyMs);
      const isAccepted = relay(now);
      attempts.push({ at: now, isAccepted });
      pace = isAccepted ? { ...pace, accepted: pace.accepted + 1 } : slowed(pace, 0, now + LATENCY_MS);
      if (!isAccepted) break;
    }
  }
  return { attempts, pace };
}
function shares(attempts: readonly Attempt[], from: number, to: number) {
  const some = attempts.filter(({ at }) => at >= from * 1000 && at < to * 1000);
  const accepted = some.filter(({ isAccepted }) => isAccepted).length;
  return { perSecond: accepted / (to - from), refused: 1 - accepted / some.length };
}

test("sends nine tenths of what a relay accepts, with few refusals, twenty seconds after the first ones", () => {
  for (const rate of [3, 14, 90, 400]) {
    const { attempts, pace } = send(
      bucket(() => rate),
      300,
    );
    const { perSecond, refused } = shares(attempts, 20, 300);
    assert.ok(perSecond >= 0.9 * rate, `${rate}: ${perSecond}`);
    assert.ok(refused <= 0.02, `${rate}: ${refused}`);
    assert.ok(Math.abs(triedPerSecond(pace) / rate - 1) < 0.25, `${rate}`);
  }
});

test("follows a relay that becomes slower within seconds, and one that becomes quicker within minutes", () => {
  const { attempts } = send(
    bucket((now) => (now < 100_000 ? 14 : now < 300_000 ? 3 : 14)),
    600,
  );
  const before = shares(attempts, 20, 100);
  const change = shares(attempts, 100, 120);
  const slow = shares(attempts, 120, 300);
  const quick = shares(attempts, 480, 600);
  assert.ok(before.perSecond >= 0.9 * 14, JSON.stringify(before));
  assert.ok(change.refused <= 0.1, JSON.stringify(change));
  assert.ok(slow.perSecond >= 0.9 * 3 && slow.refused <= 0.02, JSON.stringify(slow));
  assert.ok(quick.perSecond >= 0.85 * 14 && quick.refused <= 0.02, JSON.stringify(quick));
});

test("a relay that counts by the second or the minute gets no message for ever, and is not given up", () => {
  for (const [relay, rate] of [
    [counting(14, 1000), 14],
    [counting(30, 60_000), 0.5],
  ] as const) {
    const { perSecond, refused } = shares(send(relay, 900).attempts, 60, 900);
    assert.ok(perSecond >= 0.5 * rate, `${rate}: ${perSecond}`);
    assert.ok(refused * rate <= 0.25, `${rate}: ${refused}`);
  }
});

test("refusals that come together count as one", () => {
  const first = slowed(null, 14, 1000);
  assert.deepEqual(slowed(first, 14, 1999), first);
  assert.notDeepEqual(slowed(first, 14, 2000), first);
});

test("gives up a relay that accepts nothing, after some attempts", () => {
  let pace = slowed(null, 0, 0);
  let [now, attempts] = [0, 0];
  while (!acceptsNothing(pace)) {
    const taken = takePermits(pace, AHEAD_MS, now);
    now = taken.permits.from;
    pace = slowed(taken.pace, 0, now);
    attempts += 1;
    assert.ok(attempts < 20);
  }
});

test("a clock that was wrong when the next permit was stored stops nobody for long", () => {
  const pace = { ...slowed(null, 14, 0), nextAt: 1e15 };
  assert.equal(takePermits(pace, AHEAD_MS, 5000).permits.from, 5000);
});

test("a limit holds for hundreds of processes that have a permit each", () => {
  for (const [perSecond, processes] of [
    [1, 3],
    [1, 256],
    [10, 16],
  ] as const) {
    let pace = limitAsPace(perSecond, null);
    const times: number[] = [];
    for (let index = 0; index < processes; index += 1) {
      const taken = takePermits(pace, AHEAD_MS, 1000);
      pace = limitAsPace(perSecond, taken.pace);
      const { from, everyMs, count } = taken.permits;
      times.push(...Array.from({ length: count }, (_, at) => from + at * everyMs));
    }
    for (const [index, time] of times.entries())
      assert.ok(
        Math.abs(time - 1000 - (index * 1000) / (0.95 * perSecond)) < 1,
        `${perSecond} ${processes} ${index}`,
      );
  }
});

test("a first guess that is too low is found out within seconds", () => {
  const pace = slowed(null, 0, 0);
  let [current, now] = [pace, 0];
  while (triedPerSecond(current) < 14) {
    const taken = takePermits(current, AHEAD_MS, now);
    current = taken.pace;
    now = taken.permits.from + taken.permits.everyMs * taken.permits.count;
  }
  assert.ok(now < 12_000, `${now}`);
});
