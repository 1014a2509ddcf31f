/**
 * Connections to a relay: how many there are, how they are reused, and that no message is handed over twice.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { RelayTransport } from "#delivery/smtp/pool.ts";
import { openRelay } from "#delivery/smtp/relays.ts";
import type { SmtpOptions } from "#delivery/smtp/settings.ts";
import type { HandOver } from "#domain/sending/hand-over.ts";
import { classify } from "#domain/sending/smtp-reply.ts";
import { startDeafServer } from "./deaf-server.ts";
import { type FaultyRelay, startFaultyRelay } from "./faulty-relay.ts";
import { hugeBody, messageTo } from "./messages.ts";
import { startServer } from "./smtp-server.ts";

const addresses = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `p${index + 1}@example.com`);
const open = ({ url }: FaultyRelay, options: SmtpOptions = {}): RelayTransport =>
  openRelay(url, { allowsInnerAddresses: true, ...options });
const sendAll = (transport: RelayTransport, to: readonly string[]): Promise<readonly HandOver[]> =>
  Promise.all(to.map((address) => transport.send(messageTo(address))));
const repeated = (values: readonly string[]): readonly string[] =>
  values.filter((value, index) => values.indexOf(value) !== index);
async function until(isTrue: () => boolean): Promise<void> {
  for (let left = 2000; left > 0 && !isTrue(); left -= 1) await sleep(2);
  assert.ok(isTrue(), "it did not happen within four seconds");
}

test("uses no more connections than it may, and reuses them", async () => {
  await using relay = await startFaultyRelay({});
  const transport = open(relay, { connections: 5 });
  assert.equal(transport.connections, 5);
  const outcomes = await sendAll(transport, addresses(50));
  assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(["accepted"]));
  assert.deepEqual(relay.complete.toSorted(), addresses(50).toSorted());
  assert.equal(relay.most(), 5);
  assert.equal(relay.connections(), 5);
  await transport.close();
  await until(() => relay.open() === 0);
  assert.equal(relay.commands.filter((line) => line === "QUIT").length, 5);
});

for (const step of ["mail", "rcpt", "data", "dot"] as const)
  test(`knows each of 50 messages exactly if a connection is dropped at ${step}`, async () => {
    let drops = 0;
    await using relay = await startFaultyRelay({
      at: (now, { message }) => {
        if (now !== step || message !== 4 || drops === 2) return undefined;
        drops += 1;
        return "drop";
      },
    });
    const transport = open(relay, { connections: 5 });
    const outcomes = await sendAll(transport, addresses(50));
    await transport.close();
    assert.equal(drops, 2);
    const by = (kind: string): number => outcomes.filter((outcome) => outcome.kind === kind).length;
    assert.deepEqual(repeated(relay.complete), []);
    if (step === "mail" || step === "rcpt")
      assert.equal(by("accepted"), 50, "a connection that ended between messages is replaced");
    else assert.deepEqual([by("accepted"), by("lost")], [48, 2]);
    outcomes.forEach((outcome, index) => {
      const isComplete = relay.complete.includes(addresses(50)[index] ?? "");
      if (outcome.kind === "accepted") assert.ok(isComplete);
      if (outcome.kind === "lost") {
        assert.equal(outcome.mayBeHandedOver, step === "dot");
        assert.equal(isComplete, step === "dot");
      }
    });
  });

test("the relay learns nothing of a message that may not begin any more when there is a connection", async () => {
  await using relay = await startFaultyRelay({});
  const transport = open(relay);
  const outcome = await transport.send(messageTo("a@example.com"), () => relay.connections() === 0);
  assert.deepEqual(classify(outcome), {
    result: { state: "queued", isAttempt: false, afterMs: 0 },
    ...{ relayFailure: null, isQuota: false, isTooFast: false },
  });
  assert.equal((await transport.send(messageTo("b@example.com"), () => true)).kind, "accepted");
  await transport.close();
  assert.deepEqual(relay.complete, ["b@example.com"]);
  assert.equal(relay.commands.filter((line) => line.startsWith("MAIL")).length, 1);
  assert.equal(relay.connections(), 1, "its connection is used for the next one");
});

test("a relay that ends each connection at MAIL fails, also on a connection that waited for its first message", async () => {
  await using relay = await startFaultyRelay({
    at: (step) => (step === "mail" ? { bye: "421 4.3.2 Closing" } : undefined),
  });
  const transport = open(relay, { timeouts: { idle: 0 } });
  await transport.send(messageTo("a@example.com"), () => false);
  await sleep(20);
  const outcome = await transport.send(messageTo("b@example.com"), () => true);
  assert.equal(relay.connections(), 1, "an unused connection is kept for longer than others");
  assert.match(classify(outcome).relayFailure ?? "", /421/);
  await transport.close();
});

for (const [size, body] of [
  ["short", undefined],
  ["long", hugeBody],
] as const)
  test(`a ${size} message stays incomplete if the process was suspended for longer than a lease`, async (t) => {
    let aheadMs = 0;
    const { now } = Date;
    t.mock.method(Date, "now", () => now() + aheadMs);
    await using relay = await startFaultyRelay({
      at: (step) => {
        if (step === (size === "short" ? "data" : "body")) aheadMs = 20_000;
        return undefined;
      },
    });
    const transport = open(relay);
    const outcome = await transport.send(messageTo("a@example.com", body));
    await transport.close();
    assert.deepEqual(outcome, {
      ...{ kind: "lost", stage: "data", mayBeHandedOver: false },
      text: "this process was suspended meanwhile",
    });
    assert.deepEqual(relay.complete, []);
  });

test("replaces a connection on which the relay takes no further message", async () => {
  await using relay = await startFaultyRelay({
    at: (step, { message }) =>
      step === "mail" && message > 3 ? { bye: "421 4.7.0 Too many messages" } : undefined,
  });
  const transport = open(relay, { connections: 2 });
  const outcomes = await sendAll(transport, addresses(20));
  await transport.close();
  assert.ok(outcomes.every(({ kind }) => kind === "accepted"));
  assert.deepEqual(relay.complete.toSorted(), addresses(20).toSorted());
});

test("replaces a connection that the relay closed while it was idle", async () => {
  await using relay = await startFaultyRelay({});
  const transport = open(relay, { connections: 1, timeouts: { idle: 60_000 } });
  await transport.send(messageTo("a@example.com"));
  relay.dropAll();
  assert.equal((await transport.send(messageTo("b@example.com"))).kind, "accepted");
  await transport.close();
  assert.deepEqual(relay.complete, ["a@example.com", "b@example.com"]);
});

test("makes do with fewer connections if the relay refuses further ones", async () => {
  await using relay = await startFaultyRelay({
    at: (step, { connection }) =>
      step === "greeting" && connection > 2 ? { bye: "421 4.7.0 Too many connections" } : undefined,
  });
  const transport = open(relay, { connections: 6 });
  // The first ones are there before a further one is tried.
  const first = sendAll(transport, addresses(2));
  await first;
  const outcomes = await sendAll(transport, addresses(30));
  await transport.close();
  assert.ok(
    outcomes.every(({ kind }) => kind === "accepted"),
    JSON.stringify(outcomes.find(({ kind }) => kind !== "accepted")),
  );
});

test("makes do with fewer connections also if none is ready when further ones are refused", async () => {
  let open = 0;
  await using server = await startServer({
    onConnect: (_, done) => {
      open += 1;
      if (open > 3) {
        open -= 1;
        return done(Object.assign(new Error("4.7.0 Too many connections"), { responseCode: 421 }));
      }
      // The others are refused before this one is greeted.
      setTimeout(done, 50);
    },
  });
  const transport = openRelay(`smtp://127.0.0.1:${server.port}`, {
    ...{ allowsInnerAddresses: true, connections: 10 },
  });
  const outcomes = [
    ...(await sendAll(transport, addresses(10))),
    ...(await sendAll(transport, addresses(30))),
  ];
  await transport.close();
  assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(["accepted"]));
  assert.deepEqual([open, server.delivered.length], [3, 40]);
});

test("reports a relay that refuses all connections once for each message, without trying one by one", async () => {
  let greetings = 0;
  await using relay = await startFaultyRelay({
    at: (step) => {
      if (step !== "greeting") return undefined;
      greetings += 1;
      return { bye: "421 4.3.2 Not now" };
    },
  });
  const transport = open(relay, { connections: 10 });
  const outcomes = await sendAll(transport, addresses(10));
  assert.deepEqual(
    outcomes.map((outcome) => outcome.kind === "rejected" && [outcome.stage, outcome.code]),
    addresses(10).map(() => ["greeting", 421]),
  );
  assert.equal(greetings, 10);
  await transport.close();
});

test("uses all connections again after the relay has refused every one", async () => {
  let isAway = true;
  await using relay = await startFaultyRelay({
    at: (step) => (step === "greeting" && isAway ? { bye: "421 4.3.2 Not now" } : undefined),
  });
  const transport = open(relay, { connections: 4 });
  await sendAll(transport, addresses(4));
  isAway = false;
  const outcomes = await sendAll(transport, addresses(20));
  await transport.close();
  assert.ok(outcomes.every(({ kind }) => kind === "accepted"));
  assert.equal(relay.most(), 4);
});

test("begins anew after a recipient was refused, on the same connection", async () => {
  for (const offers of [[], ["PIPELINING"]]) {
    await using relay = await startFaultyRelay({
      offers,
      at: (step, { recipient }) =>
        step === "rcpt" && recipient.startsWith("p2@") ? "550 5.1.1 Unknown" : undefined,
    });
    const transport = open(relay, { connections: 1 });
    const outcomes = await sendAll(transport, addresses(3));
    await transport.close();
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ["accepted", "rejected", "accepted"],
    );
    assert.equal(relay.connections(), 1);
    assert.equal(relay.commands.filter((line) => line === "RSET").length, 1);
  }
});

test("takes another connection if the relay does not reply to RSET", async () => {
  await using relay = await startFaultyRelay({
    at: (step, { recipient }) => {
      if (step === "rset") return "stall";
      return step === "rcpt" && recipient.startsWith("p1@") ? "550 5.1.1 Unknown" : undefined;
    },
  });
  const transport = open(relay, { connections: 1, timeouts: { envelope: 200 } });
  const outcomes = await sendAll(transport, addresses(2));
  await transport.close();
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ["rejected", "accepted"],
  );
  assert.equal(relay.connections(), 2);
});

test("closes a connection after a number of messages, and when it is idle", async () => {
  await using relay = await startFaultyRelay({});
  const transport = open(relay, { connections: 1, messagesPerConnection: 4, timeouts: { idle: 30 } });
  await sendAll(transport, addresses(10));
  assert.equal(relay.connections(), 3);
  await until(() => relay.open() === 0);
  assert.equal(relay.commands.filter((line) => line === "QUIT").length, 3);
  await transport.close();
});

test("waits for messages on their way when it is closed, and takes no more", async () => {
  await using relay = await startFaultyRelay({});
  const transport = open(relay, { connections: 2 });
  const outcomes = sendAll(transport, addresses(10));
  await until(() => relay.complete.length > 0);
  await transport.close();
  const kinds = (await outcomes).map(({ kind }) => kind);
  assert.equal(kinds.filter((kind) => kind === "accepted").length, relay.complete.length);
  const refused = await transport.send(messageTo("late@example.com"));
  assert.equal(refused.kind, "lost");
  assert.equal(refused.mayBeHandedOver, false);
  assert.ok(!relay.complete.includes("late@example.com"));
});

test("ends messages that take too long when it is closed", async () => {
  await using relay = await startFaultyRelay({
    at: (step, { recipient }) => {
      if (step === "body") return "stall";
      return step === "dot" && recipient.startsWith("p1@") ? "stall" : undefined;
    },
  });
  const transport = open(relay, { connections: 2, timeouts: { close: 300 } });
  const outcomes = Promise.all([
    transport.send(messageTo("p1@example.com")),
    transport.send(messageTo("p2@example.com", hugeBody)),
  ]);
  await until(() => relay.commands.filter((line) => line === "DATA").length === 2);
  await transport.close();
  const [atDot, inBody] = await outcomes;
  assert.ok(atDot.kind === "lost" && atDot.mayBeHandedOver);
  assert.ok(inBody.kind === "lost" && !inBody.mayBeHandedOver);
});

test("ends connections that are being opened when it is closed, and nothing was handed over", async () => {
  await using relay = await startFaultyRelay({
    at: (step, { connection }) => {
      if (step === "greeting" && connection === 1) return "stall";
      return step === "ehlo" ? "stall" : undefined;
    },
  });
  const transport = open(relay, { connections: 2, timeouts: { close: 100 } });
  // Two of them have no connection yet.
  const outcomes = sendAll(transport, addresses(4));
  await until(() => relay.commands.length === 1);
  await transport.close();
  for (const outcome of await outcomes)
    assert.ok(outcome.kind === "lost" && !outcome.mayBeHandedOver, JSON.stringify(outcome));
  await until(() => relay.open() === 0);
  assert.deepEqual([relay.connections(), relay.complete.length], [2, 0]);
});

test("ends connections to a relay that does not accept them when it is closed", async () => {
  await using relay = await startDeafServer();
  const url = `smtp://127.0.0.1:${relay.port}`;
  const transport = openRelay(url, {
    ...{ allowsInnerAddresses: true, connections: 8, timeouts: { close: 100 } },
  });
  const outcomes = sendAll(transport, addresses(10));
  // All are being dialled.
  await sleep(100);
  await transport.close();
  for (const outcome of await outcomes)
    assert.ok(outcome.kind === "lost" && !outcome.mayBeHandedOver, JSON.stringify(outcome));
});

test("reports every message if the relay goes away in the middle", async () => {
  const relay = await startFaultyRelay({});
  const transport = open(relay, { connections: 3 });
  const pending = sendAll(transport, addresses(60));
  await until(() => relay.complete.length >= 6);
  await relay[Symbol.asyncDispose]();
  const outcomes = await pending;
  await transport.close();
  const accepted = outcomes.filter(({ kind }) => kind === "accepted").length;
  const unknown = outcomes.filter((outcome) => outcome.kind === "lost" && outcome.mayBeHandedOver).length;
  assert.deepEqual(repeated(relay.complete), []);
  assert.ok(relay.complete.length >= accepted && relay.complete.length <= accepted + unknown);
  assert.ok(unknown <= 3, `${unknown} unknown with three connections`);
});
