/** What is known about a message when its relay refuses, stalls or drops the connection, at each step. */
import assert from "node:assert/strict";
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openRelay } from "#delivery/smtp/relays.ts";
import type { SmtpTimeouts } from "#delivery/smtp/settings.ts";
import type { HandOver, OutgoingMessage } from "#domain/sending/hand-over.ts";
import { classify } from "#domain/sending/smtp-reply.ts";
import { type Behaviour, type FaultyRelay, type Step, startFaultyRelay } from "./faulty-relay.ts";
import { hugeBody, hugeDottedBody, messageTo } from "./messages.ts";

/** Short only for the step at which the relay keeps us waiting, so that a busy machine changes nothing. */
const timeoutsFor = (step: Step, behaviour: Behaviour): Partial<SmtpTimeouts> => {
  if (behaviour !== "stall" && behaviour !== "drip") return {};
  if (step === "greeting" || step === "ehlo") return { greeting: 200 };
  if (step === "body") return { data: 700 };
  return step === "dot" ? { dot: 600 } : { envelope: 200 };
};

const variant = (offers: readonly string[]): string =>
  offers.length > 0 ? ", with pipelining and added dots" : "";

interface Ended {
  readonly outcome: HandOver;
  readonly relay: FaultyRelay;
}
async function sendWith(
  step: Step,
  behaviour: Behaviour,
  offers: readonly string[] = [],
  message: OutgoingMessage = messageTo("b@example.com"),
): Promise<Ended> {
  await using relay = await startFaultyRelay({
    at: (now) => (now === step ? behaviour : undefined),
    offers,
  });
  const transport = openRelay(relay.url, {
    connections: 1,
    allowsInnerAddresses: true,
    timeouts: timeoutsFor(step, behaviour),
  });
  const outcome = await transport.send(message);
  await transport.close();
  return { outcome, relay };
}

for (const offers of [[], ["PIPELINING"]])
  describe(offers.length === 0 ? "Without pipelining" : "With pipelining", { concurrency: true }, () => {
    test("accepts a message with the relay's words", async () => {
      const { outcome, relay } = await sendWith("dot", "250 2.0.0 Ok: queued as 4X\u0007", offers);
      assert.deepEqual(outcome, {
        kind: "accepted",
        code: 250,
        status: "2.0.0",
        text: "2.0.0 Ok: queued as 4X",
      });
      assert.deepEqual(relay.complete, ["b@example.com"]);
    });

    for (const [step, stage] of [
      ["greeting", "greeting"],
      ["mail", "mail"],
      ["rcpt", "rcpt"],
      ["data", "data"],
      ["dot", "dot"],
    ] as const) {
      test(`reports a refusal at ${step} with code, status and text`, async () => {
        const { outcome } = await sendWith(step, "554-5.7.0 No\r\n554 5.7.0 thanks", offers);
        assert.deepEqual(outcome, {
          kind: "rejected",
          stage,
          code: 554,
          status: "5.7.0",
          text: "5.7.0 No thanks",
        });
      });

      test(`takes 421 at ${step} for a failure of the relay, not of the recipient`, async () => {
        const { outcome } = await sendWith(step, { bye: "421 4.3.2 Shutting down" }, offers);
        assert.equal(outcome.kind, "rejected");
        const { result, relayFailure } = classify(outcome);
        assert.equal(result.state, "queued");
        assert.match(relayFailure ?? "", /421 4\.3\.2 Shutting down/);
      });
    }

    for (const step of ["greeting", "ehlo"] as const)
      for (const behaviour of ["stall", "drop"] as const)
        test(`reports a failing relay if it does ${behaviour} at ${step}`, async () => {
          const { outcome } = await sendWith(step, behaviour, offers);
          assert.equal(outcome.kind, "relay failed", JSON.stringify(outcome));
        });

    for (const step of ["mail", "rcpt", "data"] as const) {
      test(`hands nothing over if the connection is dropped at ${step}`, async () => {
        const { outcome, relay } = await sendWith(step, "drop", offers);
        assert.equal(outcome.kind, "lost");
        assert.equal(outcome.mayBeHandedOver, false);
        assert.equal(classify(outcome).result.state, "queued");
        assert.deepEqual(relay.complete, []);
      });
      test(`reports a failing relay if it does not reply at ${step}`, async () => {
        const { outcome, relay } = await sendWith(step, "stall", offers);
        assert.equal(outcome.kind, "relay failed");
        assert.match(outcome.text, /within 0\.2 s/);
        assert.deepEqual(relay.complete, []);
      });
    }
    test("lets others go first if the relay does not reply to a recipient", async () => {
      const { outcome } = await sendWith("rcpt", "stall", offers);
      assert.equal("stage" in outcome && outcome.stage, "rcpt");
      assert.deepEqual(classify(outcome).result, { state: "queued", isAttempt: true, afterMs: 60_000 });
    });

    for (const behaviour of ["drop", "stall"] as const)
      test(`does not know what became of a message if the relay does ${behaviour} after its end`, async () => {
        const { outcome, relay } = await sendWith("dot", behaviour, offers);
        assert.equal(outcome.kind, "lost");
        assert.equal(outcome.mayBeHandedOver, true);
        assert.equal(outcome.stage, "dot");
        assert.equal(classify(outcome).result.state, "unknown");
        assert.deepEqual(relay.complete, ["b@example.com"]);
      });
  });

// One after the other: they keep the event loop busy.
describe("A long message", () => {
  for (const [offers, body] of [
    [[], hugeBody],
    [["PIPELINING"], hugeDottedBody],
  ] as const) {
    test(`is known to be incomplete if the connection is dropped in the middle of it${variant(offers)}`, async () => {
      const { outcome, relay } = await sendWith("body", "drop", offers, messageTo("b@example.com", body));
      assert.equal(outcome.kind, "lost");
      assert.equal(outcome.mayBeHandedOver, false);
      assert.deepEqual(relay.complete, []);
    });

    test(`is known to be incomplete if the relay stops reading it${variant(offers)}`, async () => {
      const { outcome, relay } = await sendWith(
        "body",
        "stall",
        offers,
        messageTo("b@example.com", hugeBody),
      );
      assert.equal(outcome.kind, "relay failed");
      assert.equal(outcome.stage, "data");
      assert.deepEqual(relay.complete, []);
    });
  }

  test("is never completed after it was given up, even if the relay reads on", async () => {
    await using relay = await startFaultyRelay({ at: (step) => (step === "body" ? "stall" : undefined) });
    const transport = openRelay(relay.url, {
      connections: 1,
      allowsInnerAddresses: true,
      timeouts: { data: 700 },
    });
    const outcome = await transport.send(messageTo("b@example.com", hugeBody));
    assert.equal(outcome.kind, "relay failed");
    relay.resume();
    for (let left = 500; left > 0 && relay.open() > 0; left -= 1) await delay(5);
    await transport.close();
    assert.deepEqual(relay.complete, []);
  });

  for (const body of [hugeBody, hugeDottedBody])
    test(`is handed over to a relay that reads slowly${body === hugeBody ? "" : ", with added dots"}`, async () => {
      let reads = 0;
      await using relay = await startFaultyRelay({
        at: (step) => {
          if (step !== "body" || reads > 0) return undefined;
          reads += 1;
          setTimeout(() => relay.resume(), 100);
          return "stall";
        },
      });
      const transport = openRelay(relay.url, { connections: 1, allowsInnerAddresses: true });
      const outcome = await transport.send(messageTo("b@example.com", body));
      await transport.close();
      assert.equal(outcome.kind, "accepted");
      assert.equal(relay.messages.length, 1);
      assert.ok(relay.messages[0]?.replace("\r\n..", "\r\n.") === body, "the message arrived unchanged");
    });

  test("is not taken for accepted if the reply comes before its end", async () => {
    const { outcome, relay } = await sendWith(
      "body",
      "250 2.0.0 Ok",
      [],
      messageTo("b@example.com", hugeBody),
    );
    assert.deepEqual(outcome, {
      kind: "relay failed",
      stage: "data",
      text: "the relay replied before the end of the message: 250 2.0.0 Ok",
    });
    assert.equal(classify(outcome).result.state, "queued");
    assert.deepEqual(relay.complete, []);
  });

  for (const body of [hugeBody, hugeDottedBody])
    test(`is not completed if a reply begins before its end${body === hugeBody ? "" : ", with added dots"}`, async () => {
      let begun = false;
      await using relay = await startFaultyRelay({
        at: (step) => {
          if (step === "dot") return "0 2.0.0 Ok";
          if (step !== "body" || begun) return undefined;
          begun = true;
          return { part: "25" };
        },
      });
      const transport = openRelay(relay.url, { connections: 1, allowsInnerAddresses: true });
      const outcome = await transport.send(messageTo("b@example.com", body));
      await transport.close();
      assert.deepEqual(outcome, {
        kind: "relay failed",
        stage: "data",
        text: "the relay replied before the end of the message: 25",
      });
      while (relay.open() > 0) await delay(5);
      assert.deepEqual(relay.complete, []);
    });

  test("stays incomplete if it is refused in the middle", async () => {
    const refusal = "552 5.3.4 Too much";
    const { outcome, relay } = await sendWith("body", refusal, [], messageTo("b@example.com", hugeBody));
    assert.equal(outcome.kind, "rejected");
    assert.equal(outcome.code, 552);
    assert.deepEqual(relay.complete, []);
  });
});

describe("In particular", { concurrency: true }, () => {
  test("does not know what became of a message if the reply to it is not one", async () => {
    for (const reply of ["hello", "354 go on", "999 what", "2500 ok", "25 ok", "250ok", "5500 no"]) {
      const { outcome } = await sendWith("dot", `${reply}\u0007`);
      assert.deepEqual(outcome, {
        kind: "lost",
        stage: "dot",
        mayBeHandedOver: true,
        text: `the reply to the message cannot be read: ${reply}`,
      });
    }
  });

  test("does not know what became of a message if the lines of the reply have different codes", async () => {
    for (const [reply, shown] of [
      ["450-4.2.0 x\r\n250 ok queued", "450-4.2.0 x 250 ok queued"],
      ["250-ok\r\n550 5.7.1 rejected", "250-ok 550 5.7.1 rejected"],
      ["550-5.1.1 No\r\n450 4.2.0 Later", "550-5.1.1 No 450 4.2.0 Later"],
      ["250-ok\r\nhello", "250-ok hello"],
    ] as const) {
      const { outcome, relay } = await sendWith("dot", reply);
      assert.deepEqual(outcome, {
        kind: "lost",
        stage: "dot",
        mayBeHandedOver: true,
        text: `the lines of a reply have different codes: ${shown}`,
      });
      assert.equal(classify(outcome).result.state, "unknown");
      assert.deepEqual(relay.complete, ["b@example.com"]);
    }
  });

  test("does not read the unfinished last line of a reply without the lines before it", async () => {
    const { outcome } = await sendWith("dot", { cut: "250-ok queued\r\n450 4.2.0 x" });
    assert.equal(outcome.kind, "lost", JSON.stringify(outcome));
    assert.equal(outcome.mayBeHandedOver, true);
  });

  test("reports a failing relay if the lines of a reply have different codes before the end", async () => {
    for (const offers of [[], ["PIPELINING"]])
      for (const step of ["greeting", "ehlo", "mail", "rcpt", "data", "body"] as const)
        for (const reply of ["250-ok\r\n550 5.1.1 No", "550-5.1.1 No\r\n250 ok", "354-go\r\n550 5.7.1 No"]) {
          const body = step === "body" ? hugeBody : undefined;
          const { outcome, relay } = await sendWith(step, reply, offers, messageTo("b@example.com", body));
          assert.equal(outcome.kind, "relay failed", `${step} ${reply} ${JSON.stringify(outcome)}`);
          assert.match(outcome.text, /^the lines of a reply have different codes: /);
          const { result } = classify(outcome);
          assert.equal(result.state, "queued");
          // After a reply that may be about this recipient only, others go first.
          if (["rcpt", "data", "body"].includes(step))
            assert.ok(result.isAttempt && result.afterMs >= 60_000, `${step} ${outcome.stage}`);
          assert.deepEqual(relay.complete, []);
        }
  });

  test("gives up a relay that replies without an end", async () => {
    for (const step of ["ehlo", "mail", "rcpt", "data"] as const) {
      const { outcome } = await sendWith(step, "drip");
      assert.equal(outcome.kind, "relay failed", step);
    }
    const { outcome } = await sendWith("dot", "drip");
    assert.equal(outcome.kind, "lost");
    assert.equal(outcome.mayBeHandedOver, true);
  });

  test("ends a login for which the relay wants more and more", async () => {
    for (const [mechanism, lines] of [
      ["PLAIN", 1],
      ["LOGIN", 3],
      ["CRAM-MD5", 2],
    ] as const) {
      let asked = 0;
      await using relay = await startFaultyRelay({
        // If nothing ends it, the relay does.
        at: (step) => {
          if (step !== "auth") return undefined;
          asked += 1;
          return asked > 9 ? "drop" : "334 VXNlcm5hbWU6";
        },
        offers: [`AUTH ${mechanism}`],
      });
      const url = relay.url.replace("//", "//shop:secret@");
      const transport = openRelay(url, { connections: 1, allowsInnerAddresses: true });
      const outcome = await transport.send(messageTo("b@example.com"));
      await transport.close();
      assert.match(classify(outcome).relayFailure ?? "", /^the relay refuses the login: /, mechanism);
      assert.equal(asked, lines, mechanism);
    }
  });

  test("never takes a wrong reply to the envelope for a right one", async () => {
    for (const step of ["mail", "rcpt"] as const)
      for (const reply of ["hello", "150 wait", "999 what", "354 go on"]) {
        const { outcome, relay } = await sendWith(step, reply);
        assert.equal(outcome.kind, "lost", `${step} ${reply}`);
        assert.equal(outcome.mayBeHandedOver, false, `${step} ${reply}`);
        assert.deepEqual(relay.complete, []);
      }
  });

  test("sends the message only after 354: without it, its lines would be commands", async () => {
    const smuggled = "Subject: x\r\n\r\nMAIL FROM:<evil@example.com>\r\nRCPT TO:<c@example.com>\r\nDATA\r\n";
    for (const offers of [[], ["PIPELINING"]])
      for (const reply of ["250 2.0.0 Ok", "334 go on", "3540 go on", "hello", "150 wait", "999 what"]) {
        const message = messageTo("b@example.com", smuggled);
        const { outcome, relay } = await sendWith("data", reply, offers, message);
        assert.equal(outcome.kind, "relay failed", reply);
        assert.equal(outcome.stage, "data");
        const { result, relayFailure } = classify(outcome);
        assert.deepEqual(result, { state: "queued", isAttempt: true, afterMs: 60_000 }, "others go first");
        assert.ok(relayFailure?.includes(reply), relayFailure ?? "");
        assert.deepEqual(
          relay.commands.map((command) => command.split(/[ :]/)[0]),
          ["EHLO", "MAIL", "RCPT", "DATA"],
        );
        assert.deepEqual(relay.complete, []);
      }
  });

  test("sends no message if the reply to it comes together with 354", async () => {
    for (const offers of [[], ["PIPELINING"]])
      for (const early of ["250 ok", "250-ok\r\n250 queued", "550 5.7.1 rejected", "\r\n250 ok"]) {
        await using relay = await startFaultyRelay({
          at: (step) => {
            if (step === "data") return `354 go\r\n${early}`;
            return step === "dot" ? "550 5.7.1 rejected" : undefined;
          },
          offers,
        });
        const transport = openRelay(relay.url, { connections: 1, allowsInnerAddresses: true });
        const outcome = await transport.send(messageTo("b@example.com"));
        await transport.close();
        const shown = early.trim().replaceAll("\r\n", " ");
        assert.deepEqual(outcome, {
          kind: "relay failed",
          stage: "data",
          text: `the relay replied before it was asked: 354 go ${shown}`,
        });
        assert.equal(classify(outcome).result.state, "queued");
        while (relay.open() > 0) await delay(5);
        assert.deepEqual([relay.complete, relay.messages], [[], []], early);
      }
  });

  test("sends no message if the reply to it comes in a packet of its own after 354", async () => {
    for (const offers of [[], ["PIPELINING"]])
      for (const early of ["250 ok\r\n", "25", "250-ok\r\n", "550 5.1.1 No such user\r\n", "354 go\r\n"]) {
        const { outcome, relay } = await sendWith("data", { first: "354 go", next: early }, offers);
        assert.equal(outcome.kind, "relay failed", JSON.stringify(outcome));
        assert.equal(outcome.stage, "data");
        // The replies to pipelined commands are looked at one after the other: it may be there by then.
        const when = /^the relay replied before (?:the end of the message:|it was asked: 354 go) /;
        assert.match(outcome.text, when);
        assert.ok(outcome.text.endsWith(` ${early.trim()}`), outcome.text);
        assert.equal(classify(outcome).result.state, "queued");
        assert.deepEqual([relay.complete, relay.messages], [[], []], early);
      }
  });

  test("sends no message if the beginning of a reply to it comes together with 354", async () => {
    const { outcome, relay } = await sendWith("data", { cut: "354 go\r\n25" });
    assert.equal(outcome.kind, "relay failed", JSON.stringify(outcome));
    assert.deepEqual(relay.complete, []);
  });

  test("sends no message if 354 comes before DATA", async () => {
    for (const [step, stage, replies] of [
      ["mail", "mail", "250 ok\r\n250 ok\r\n354 go"],
      ["rcpt", "rcpt", "250 ok\r\n354 go"],
    ] as const) {
      const { outcome, relay } = await sendWith(step, replies);
      assert.equal(outcome.kind, "relay failed", JSON.stringify(outcome));
      assert.equal(outcome.stage, stage);
      assert.equal(relay.commands.includes("DATA"), false);
    }
  });

  test("keeps a refusal of the recipient that 421 follows at once", async () => {
    const bye = "550 5.1.1 No\r\n421 4.7.0 Too many errors";
    const { outcome } = await sendWith("rcpt", { bye });
    assert.equal(classify(outcome).result.state, "failed", JSON.stringify(outcome));
  });

  test("sends a message if only an empty line follows 354", async () => {
    const { outcome, relay } = await sendWith("data", "354 go\r\n");
    assert.equal(outcome.kind, "accepted", JSON.stringify(outcome));
    assert.deepEqual(relay.complete, ["b@example.com"]);
  });

  test("hands over no empty message if the relay refuses the recipient and takes DATA", async () => {
    for (const [reply, state] of [
      ["550 5.1.1 No such user", "failed"],
      ["451 4.2.0 Later", "deferred"],
      ["wat", "queued"],
      ["354 go", "queued"],
    ] as const) {
      await using relay = await startFaultyRelay({
        at: (step) => (step === "rcpt" ? reply : undefined),
        offers: ["PIPELINING"],
        needsNoRecipient: true,
      });
      const transport = openRelay(relay.url, { connections: 1, allowsInnerAddresses: true });
      const outcome = await transport.send(messageTo("b@example.com"));
      await transport.close();
      assert.equal(classify(outcome).result.state, state, JSON.stringify(outcome));
      while (relay.open() > 0) await delay(5);
      assert.deepEqual([relay.complete, relay.messages], [[], []], reply);
    }
  });

  test("reports a relay that nobody runs", async () => {
    const relay = await startFaultyRelay({});
    await relay[Symbol.asyncDispose]();
    const transport = openRelay(relay.url, { allowsInnerAddresses: true });
    const outcome = await transport.send(messageTo("b@example.com"));
    assert.equal(outcome.kind, "relay failed");
    assert.equal(outcome.stage, "connect");
    assert.match(outcome.text, /ECONNREFUSED/);
  });

  test("reports a relay whose name does not exist", async () => {
    const transport = openRelay("smtp://relay.invalid:25", { timeouts: { connect: 5000 } });
    const outcome = await transport.send(messageTo("b@example.com"));
    assert.equal(outcome.kind, "relay failed");
    assert.equal(outcome.stage, "connect");
    assert.match(outcome.text, /relay\.invalid|within 5 s/);
  });

  test("does not connect to an inner address, by number or by name, unless it is allowed", async () => {
    await using relay = await startFaultyRelay({});
    for (const host of ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]"]) {
      const transport = openRelay(`smtp://${host}:${relay.port}`);
      const outcome = await transport.send(messageTo("b@example.com"));
      assert.equal(outcome.kind, "relay failed", host);
      assert.match(outcome.text, /inside the network of this installation/, host);
    }
    assert.equal(relay.connections(), 0);
  });
});

// Not beside other tests: it replaces the resolver of the process.
test("does not connect to an inner address of a name that has a public one, too, or had one before", async (t) => {
  await using relay = await startFaultyRelay({});
  const outer = { address: "192.0.2.1", family: 4 };
  const inner = { address: "127.0.0.1", family: 4 };
  const answers = [[inner, outer], [inner]];
  t.mock.method(dns, "lookup", (_host: string, _options: object, done: (...given: unknown[]) => void) =>
    done(null, answers.shift()),
  );
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const url = `smtp://relay.example:${relay.port}`;
  const transport = openRelay(url, { connections: 1, timeouts: { connect: 200 } });
  const texts: string[] = [];
  for (const to of ["b@example.com", "c@example.com"]) {
    const outcome = await transport.send(messageTo(to));
    assert.equal(outcome.kind, "relay failed");
    texts.push(outcome.text);
  }
  assert.match(texts[1] ?? "", /relay\.example has the address 127\.0\.0\.1, inside the network/);
  assert.equal(relay.connections(), 0);
});
