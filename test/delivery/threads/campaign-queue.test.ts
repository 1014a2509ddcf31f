/** Messages that are made later, because another thread signs them, and limits. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextRound, setTimeout as sleep } from "node:timers/promises";
import { CampaignQueue, type Reserved, Slots } from "#delivery/threads/campaign-queue.ts";
import type { MadeOrNot } from "#delivery/threads/composition.ts";
import type { MergeData } from "#domain/ports/sending/mailings.ts";

const person = (subscriber: number): MergeData => ({
  ...{ subscriber, address: `p${subscriber}@example.org`, firstName: "Ada", lastName: "" },
  ...{ gender: null, birthday: null, country: null, fields: {} },
});
const message: MadeOrNot = {
  name: "1-1",
  envelope: { from: "news@example.org", to: "p@example.org" },
  bytes: Buffer.from("x\r\n"),
  needsSmtpUtf8: false,
};

/** A queue whose messages are made when the test says so. */
function signedQueue(count: number, pace = { waitMs: 0 }) {
  const signatures: ((made: MadeOrNot) => void)[] = [];
  const transport = {
    connections: 5,
    waitMs: () => pace.waitMs,
    reserve: () => null,
    refusal: null,
    send: () => Promise.reject(new Error("nothing is sent")),
    close: async () => {},
  };
  const queue = new CampaignQueue(
    1,
    { account: 1, campaign: 1, fromAddress: "news@example.org" },
    { transport, slots: new Slots([7, 8]), users: 1 },
    () => () => new Promise((resolve) => signatures.push(resolve)),
  );
  queue.prepare();
  const made: number[] = [];
  const unmade: number[] = [];
  queue.add(
    3,
    Array.from({ length: count }, (_, index) => person(index + 1)),
  );
  while (queue.makeNext(({ subscriber }, notMade) => (notMade === null ? made : unmade).push(subscriber)));
  return { queue, signatures, made, unmade };
}

function reserved(queue: CampaignQueue): Reserved | null {
  const one = queue.reserve();
  assert.ok(typeof one !== "number");
  return one;
}

test("keeps a message and its slot for later while the relay has no permit for it", async () => {
  const pace = { waitMs: 40 };
  const { queue, signatures } = signedQueue(1, pace);
  assert.equal(queue.reserve(), null, "nothing is made, so no permit is asked for");
  signatures[0]?.(message);
  await nextRound();
  assert.deepEqual([queue.reserve(), queue.relays.slots.used, queue.ahead], [40, 0, 1]);
  pace.waitMs = 0;
  assert.deepEqual([reserved(queue)?.slot, queue.relays.slots.used], [7, 1]);
});

test("counts messages that are being signed as made ahead, and takes them in the order of signing", async () => {
  const { queue, signatures, made } = signedQueue(3);
  assert.equal(queue.ahead, 3);
  assert.equal(queue.reserve(), null);
  signatures[1]?.(message);
  signatures[0]?.(message);
  await nextRound();
  assert.deepEqual(made, [2, 1]);
  assert.equal(queue.ahead, 3);
  assert.deepEqual(reserved(queue)?.person, { ...person(2), batch: 3 });
  assert.equal(queue.takeReserved(2)?.slot, 7);
  assert.equal(queue.ahead, 2);
});

test("forgets messages that are being signed", async () => {
  const { queue, signatures, made } = signedQueue(3);
  queue.drop(2);
  assert.equal(queue.ahead, 2);
  signatures[1]?.(message);
  await nextRound();
  assert.deepEqual(made, []);
  queue.halt();
  signatures[0]?.(message);
  signatures[2]?.(message);
  await nextRound();
  assert.deepEqual([queue.ahead, queue.reserve(), queue.isActive, made], [0, null, false, []]);
});

test("reports who cannot be sent to", async () => {
  const { queue, signatures, made, unmade } = signedQueue(1);
  signatures[0]?.({ reason: "cannot be rendered", reply: "the key is unusable" });
  await nextRound();
  assert.deepEqual([queue.ahead, made, unmade], [0, [], [1]]);
});

test("a limit ends also if the clock of the system is set back meanwhile", async (t) => {
  const { queue, signatures } = signedQueue(2);
  for (const sign of signatures) sign(message);
  await nextRound();
  assert.deepEqual([reserved(queue)?.slot, reserved(queue)?.slot, queue.relays.slots.used], [7, 8, 2]);
  const LIMIT_MS = 200;
  queue.delay(1, null, LIMIT_MS);
  queue.delay(2, "example.org", LIMIT_MS);
  assert.equal(queue.relays.slots.used, 0);
  const ends = queue.waitsUntil ?? 0;
  assert.ok(ends > performance.now() && ends <= performance.now() + LIMIT_MS, `${ends}`);
  assert.equal(queue.mayStart, false);
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() - 3_600_000 });
  await sleep(LIMIT_MS + 10);
  assert.deepEqual([queue.mayStart, queue.waitsUntil], [true, null]);
});
