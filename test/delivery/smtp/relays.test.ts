/** Several relays of a sender. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type PaceAnswer, type PaceReport, Pacer, Pacers } from "#delivery/smtp/pacer.ts";
import { chooseRelay, newStanding, noteFailure, noteSuccess, openRelays } from "#delivery/smtp/relays.ts";
import { classify } from "#domain/sending/smtp-reply.ts";
import { startFaultyRelay } from "./faulty-relay.ts";
import { messageTo } from "./messages.ts";

const chosen = (
  relays: readonly { readonly name: string }[],
  names: readonly (string | undefined)[],
): number[] => relays.map(({ name }) => names.filter((other) => other === name).length);

test("chooses relays by their weights, in turn", () => {
  const relays = [
    { ...newStanding(5), name: "a" },
    { ...newStanding(1), name: "b" },
    { ...newStanding(1), name: "c" },
  ];
  const names = Array.from({ length: 7 }, () => chooseRelay(relays, 0)?.name);
  assert.deepEqual(names.join(""), "aabacaa");
  const many = Array.from({ length: 700 }, () => chooseRelay(relays, 0)?.name);
  assert.deepEqual(chosen(relays, many), [500, 100, 100]);
});

test("leaves out a relay that fails while another one works, for a growing time", () => {
  const relays = [
    { ...newStanding(1), name: "a" },
    { ...newStanding(1), name: "b" },
  ];
  const [a, b] = relays;
  assert.ok(a !== undefined && b !== undefined);
  noteFailure(a, 1000);
  const until = a.failsUntil;
  assert.ok(until > 1000);
  noteFailure(a, 1001);
  assert.equal(a.failsUntil, until, "what was on its way does not count again");
  assert.deepEqual(
    new Set(Array.from({ length: 10 }, () => chooseRelay(relays, until - 1)?.name)),
    new Set(["b"]),
  );
  assert.deepEqual(
    new Set(Array.from({ length: 10 }, () => chooseRelay(relays, until)?.name)),
    new Set(["a", "b"]),
  );
  noteFailure(a, until);
  assert.ok(a.failsUntil - until > until - 1000);
  noteFailure(b, until);
  assert.equal(chooseRelay(relays, until + 1)?.name, "b", "of two that fail, the one that is due first");
  noteSuccess(a);
  assert.equal(chooseRelay(relays, until + 1)?.name, "a");
});

test("uses a relay with weight 0 only if no other one works", () => {
  const spare = { ...newStanding(0), name: "spare" };
  const main = { ...newStanding(1), name: "main" };
  assert.deepEqual(
    new Set(Array.from({ length: 10 }, () => chooseRelay([spare, main], 0)?.name)),
    new Set(["main"]),
  );
  noteFailure(main, 0);
  assert.equal(chooseRelay([spare, main], 1)?.name, "spare");
});

test("has nothing to choose from an empty list", () => {
  assert.equal(chooseRelay([], 0), null);
});

test("hands a message to another relay if one is away, and to nobody twice", async () => {
  await using first = await startFaultyRelay({});
  await using second = await startFaultyRelay({
    at: (step, { message }) => (step === "mail" && message > 2 ? { bye: "421 4.3.2 Busy" } : undefined),
  });
  const away = await startFaultyRelay({});
  await away[Symbol.asyncDispose]();
  const relays = openRelays(
    [
      { url: first.url, weight: 1 },
      { url: second.url, weight: 1 },
      { url: away.url, weight: 5 },
    ],
    { connections: 2, allowsInnerAddresses: true },
  );
  const to = Array.from({ length: 40 }, (_, index) => `p${index}@example.com`);
  const outcomes = await Promise.all(to.map((address) => relays.send(messageTo(address))));
  await relays.close();
  assert.ok(outcomes.every(({ kind }) => kind === "accepted"));
  assert.deepEqual([...first.complete, ...second.complete].sort(), to.toSorted());
  assert.ok(first.complete.length > 0 && second.complete.length > 0);
});

test("does not hand a message to another relay after it may have been handed over", async () => {
  await using dropping = await startFaultyRelay({ at: (step) => (step === "dot" ? "drop" : undefined) });
  await using working = await startFaultyRelay({});
  const options = { connections: 1, allowsInnerAddresses: true };
  const relays = openRelays(
    [
      { url: dropping.url, weight: 1 },
      { url: working.url, weight: 0 },
    ],
    options,
  );
  const outcome = await relays.send(messageTo("a@example.com"));
  await relays.close();
  assert.ok(outcome.kind === "lost" && outcome.mayBeHandedOver);
  assert.deepEqual(working.complete, []);
});

test("fails if no relay works, and tries each of them once", async () => {
  let greetings = 0;
  const refusing = (): ReturnType<typeof startFaultyRelay> =>
    startFaultyRelay({
      at: (step) => {
        if (step !== "greeting") return undefined;
        greetings += 1;
        return "554 5.7.1 Not you";
      },
    });
  await using one = await refusing();
  await using other = await refusing();
  const relays = openRelays(
    [
      { url: one.url, weight: 1 },
      { url: other.url, weight: 1 },
    ],
    { allowsInnerAddresses: true },
  );
  const outcome = await relays.send(messageTo("a@example.com"));
  assert.equal(outcome.kind, "rejected");
  assert.equal(greetings, 2);
  await relays.close();
});

test("reaches inside the network only for a relay that an administrator has set", async () => {
  await using relay = await startFaultyRelay({});
  const kinds: string[] = [];
  for (const allowsInner of [false, true]) {
    const relays = openRelays([{ url: relay.url, weight: 1, allowsInner }]);
    kinds.push((await relays.send(messageTo("a@example.com"))).kind);
    await relays.close();
  }
  assert.deepEqual(kinds, ["relay failed", "accepted"]);
});

test("a relay that refuses messages because they come too fast gets no more than permitted, and keeps its share", async () => {
  let mayAccept = false;
  await using slow = await startFaultyRelay({
    at: (step) =>
      step === "dot" && !mayAccept ? "454 Throttling failure: Maximum sending rate exceeded" : undefined,
  });
  await using other = await startFaultyRelay({});
  const asked: Pacer[] = [];
  const pacers = new Pacers((pacer) => asked.push(pacer));
  const relays = openRelays(
    [slow.url, other.url].map((url) => ({ url, weight: 1, allowsInner: true })),
    { connections: 1 },
    pacers,
  );
  const send = async (to: string) => {
    assert.equal(relays.waitMs(), 0);
    assert.equal((await relays.send(messageTo(to), undefined, relays.reserve())).kind, "accepted");
  };
  await send("a@example.com");
  assert.deepEqual(
    [slow.complete.length, other.complete],
    [1, ["a@example.com"]],
    "in place of the slow one",
  );
  await send("b@example.com");
  assert.equal(relays.waitMs(), Number.POSITIVE_INFINITY, "it is the turn of the slow one");
  const [pacer] = asked;
  assert.ok(pacer);
  const { question, refusedAfter, key } = pacer.takeReport();
  assert.deepEqual([asked.length, refusedAfter, key], [1, 0, `relay 127.0.0.1:${slow.port} `]);
  const permits = { inMs: 0, everyMs: 100, count: 1 };
  pacer.answer({ key, question: question + 1, permits, acceptsNothing: false });
  assert.equal(relays.waitMs(), Number.POSITIVE_INFINITY, "an answer to another question");
  pacer.answer({ key, question, permits, acceptsNothing: false });
  mayAccept = true;
  await send("c@example.com");
  await send("d@example.com");
  assert.deepEqual([slow.complete.length, other.complete.length], [2, 3]);
  assert.equal(relays.waitMs(), Number.POSITIVE_INFINITY);
  await relays.close();
  assert.equal(pacers.get(key), undefined, "forgotten with its relays");
});

test("a relay that is away does not stop messages while another one only waits for a permit", async () => {
  const away = await startFaultyRelay({});
  await away[Symbol.asyncDispose]();
  await using slow = await startFaultyRelay({});
  const pacers = new Pacers(() => {});
  const relays = openRelays(
    [away.url, slow.url].map((url) => ({ url, weight: 1, allowsInner: true })),
    { connections: 1 },
    pacers,
  );
  const pacer = pacers.get(`relay 127.0.0.1:${slow.port} `);
  pacer?.pace();
  const outcome = await relays.send(messageTo("a@example.com"), undefined, relays.reserve());
  const { result, relayFailure } = classify(outcome);
  assert.deepEqual([result, relayFailure], [{ state: "queued", isAttempt: false, afterMs: 0 }, null]);
  assert.equal(relays.waitMs(), Number.POSITIVE_INFINITY, "from now on it is left out");
  pacer?.answer({
    ...{ key: pacer.key, question: 1, acceptsNothing: false },
    permits: { inMs: 0, everyMs: 1000, count: 1 },
  });
  assert.equal(relays.waitMs(), 0);
  assert.equal((await relays.send(messageTo("a@example.com"), undefined, relays.reserve())).kind, "accepted");
  await relays.close();
});

test("a relay that refuses every connection because there are too many is noticed each time", async () => {
  await using relay = await startFaultyRelay({
    at: (step) => (step === "greeting" ? { bye: "421 Too many connections, try again later" } : undefined),
  });
  const reports: PaceReport[] = [];
  const pacers = new Pacers((pacer) => reports.push(pacer.takeReport()));
  const relays = openRelays([{ url: relay.url, weight: 1, allowsInner: true }], { connections: 1 }, pacers);
  for (let attempt = 0; attempt < 3; attempt += 1) await relays.send(messageTo("a@example.com"));
  assert.deepEqual(
    reports.map(({ refusedAfter }) => refusedAfter),
    [0, 0, 0],
  );
  await relays.close();
});

test("permits that nobody used in time are lost, and are asked for again before the last one is used", () => {
  const asked: number[] = [];
  const pacer = new Pacer("relay", null, () => asked.push(pacer.takeReport().question));
  assert.equal(pacer.waitMs(0), 0, "nothing was refused");
  pacer.refused("too fast", 0, 0);
  pacer.refused("too fast", 0, 5);
  assert.deepEqual(asked, [1], "what had begun before is the same refusal");
  const answer = (permits: PaceAnswer["permits"], now: number): void =>
    pacer.answer({ key: "relay", question: asked.length, permits, acceptsNothing: false }, now);
  answer({ inMs: 1000, everyMs: 50, count: 5 }, 10);
  assert.equal(pacer.waitMs(510), 500);
  pacer.use();
  assert.deepEqual([pacer.waitMs(1010), asked], [50, [1]]);
  assert.equal(pacer.waitMs(1200), 0);
  assert.deepEqual(asked, [1, 2]);
  assert.equal(pacer.waitMs(1600), Number.POSITIVE_INFINITY, "the four others were not used");
  answer(null, 1700);
  assert.equal(pacer.waitMs(1700), 0, "none are needed any more");
});
