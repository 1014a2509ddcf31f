/** Authentication failures are counted per client. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BruteForceGuard, FREE_FAILURES, MAX_CLIENTS, SLOW_FAILURES } from "#auth/brute-force-guard.ts";
import { Fault } from "#contract/faults.ts";

function counting() {
  const clock = { now: 5_000_000 };
  const refused: string[] = [];
  let paused = 0;
  const guard = new BruteForceGuard({
    clock: () => clock.now,
    onRefused: (client) => refused.push(client),
    pause: async () => {
      paused += 1;
    },
  });
  const fail = async (client: string, times: number): Promise<void> => {
    for (let n = 0; n < times; n += 1) await guard.failed(client);
  };
  return { clock, refused, guard, fail, paused: () => paused };
}
const throttledFor =
  (seconds: number) =>
  (error: unknown): boolean =>
    error instanceof Fault && error.code === "Throttled" && error.retryAfterSeconds === seconds;

test("answers twenty failures in a minute at once, delays the next twenty, and then refuses for a minute", async () => {
  const { clock, refused, guard, fail, paused } = counting();
  await fail("a", FREE_FAILURES);
  assert.equal(paused(), 0);
  await fail("a", SLOW_FAILURES - 1);
  assert.equal(paused(), SLOW_FAILURES - 1);
  clock.now += 50_000;
  assert.deepEqual(refused, []);
  await fail("a", 1);
  assert.deepEqual(refused, ["a"]);
  await assert.rejects(guard.failed("a"), throttledFor(60));
  clock.now += 59_001;
  await assert.rejects(guard.failed("a"), throttledFor(1));
  clock.now += 999;
  await fail("a", FREE_FAILURES);
  assert.equal(paused(), SLOW_FAILURES, "it begins anew");
  assert.deepEqual(refused, ["a"], "said once");
});

test("never rate-limits occasional failures", async () => {
  const { clock, fail, paused } = counting();
  for (let minute = 0; minute < 100; minute += 1) {
    await fail("a", FREE_FAILURES);
    clock.now += 60_000;
  }
  assert.equal(paused(), 0);
});

test("counts clients separately", async () => {
  const { guard, fail, paused } = counting();
  await fail("a", FREE_FAILURES + SLOW_FAILURES);
  await assert.rejects(guard.failed("a"), throttledFor(60));
  const before = paused();
  await fail("b", FREE_FAILURES);
  assert.equal(paused(), before);
});

test("bounds the number of clients, and forgets the oldest first", async () => {
  const { guard, fail } = counting();
  await fail("early", FREE_FAILURES);
  await fail("refused", 1);
  await fail("early", SLOW_FAILURES);
  for (let n = 0; n < MAX_CLIENTS - 1; n += 1) await guard.failed(`client ${n}`);
  assert.equal(guard.size, MAX_CLIENTS);
  await assert.rejects(guard.failed("early"), throttledFor(60));
  await guard.failed("one more");
  assert.equal(guard.size, MAX_CLIENTS);
});

test("delays a limited number of answers at a time, and refuses the others at once", async () => {
  const gate = Promise.withResolvers<void>();
  const guard = new BruteForceGuard({
    clock: () => 0,
    onRefused: () => {},
    pause: () => gate.promise,
  });
  let [waiting, told] = [0, 0];
  const calls: Promise<void>[] = [];
  for (let client = 0; client < 20; client += 1)
    for (let n = 0; n < FREE_FAILURES + SLOW_FAILURES; n += 1) {
      const call = guard.failed(`client ${client}`);
      if (n >= FREE_FAILURES)
        calls.push(
          call.then(
            () => {
              waiting += 1;
            },
            (error: unknown) => {
              assert.ok(throttledFor(1)(error));
              told += 1;
            },
          ),
        );
      else await call;
    }
  gate.resolve();
  await Promise.all(calls);
  assert.equal(waiting, 200);
  assert.equal(told, 200);
});

test("counts look-ups in progress as failures, even into the next minute", async () => {
  const { clock, guard } = counting();
  const ends = Array.from({ length: FREE_FAILURES + SLOW_FAILURES }, () => guard.beginLookUp("a"));
  assert.throws(() => guard.beginLookUp("a"), throttledFor(1));
  guard.beginLookUp("b")();
  clock.now += 60_000;
  assert.throws(() => guard.beginLookUp("a"), throttledFor(1));
  for (const end of ends) end();
  guard.beginLookUp("a")();
  assert.equal(guard.failures, 2);
  assert.equal(guard.refusals, 2);
});

test("allows a rate-limited client no look-up until its minute is over", async () => {
  const { clock, guard, fail } = counting();
  await fail("a", FREE_FAILURES + SLOW_FAILURES);
  assert.throws(() => guard.beginLookUp("a"), throttledFor(60));
  clock.now += 60_000;
  guard.beginLookUp("a")();
});
