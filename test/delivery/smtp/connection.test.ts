/** The SMTP client and relays that it must not trust: what they send too early, too long, or before TLS. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { describe, test } from "node:test";
import { dotStuffed } from "#delivery/smtp/exchange.ts";
import { openRelay } from "#delivery/smtp/relays.ts";
import type { HandOver } from "#domain/sending/hand-over.ts";
import { classify } from "#domain/sending/smtp-reply.ts";
import {
  type Behaviour,
  type FaultyOptions,
  type FaultyRelay,
  type Step,
  startFaultyRelay,
} from "./faulty-relay.ts";
import { hugeBody, messageTo } from "./messages.ts";
import { startServer } from "./smtp-server.ts";

interface Sent {
  readonly outcomes: readonly HandOver[];
  readonly relay: FaultyRelay;
}
async function sendTo(options: FaultyOptions, { login = "", messages = 1 } = {}): Promise<Sent> {
  await using relay = await startFaultyRelay(options);
  const url = relay.url.replace("//", `//${login}`);
  const transport = openRelay(url, { connections: 1, allowsInnerAddresses: true });
  const outcomes: HandOver[] = [];
  for (let sent = 0; sent < messages; sent += 1)
    outcomes.push(await transport.send(messageTo("b@example.com")));
  await transport.close();
  return { outcomes, relay };
}
const at =
  (step: Step, behaviour: Behaviour): NonNullable<FaultyOptions["at"]> =>
  (now) =>
    now === step ? behaviour : undefined;

test("ends each line of a message with CRLF, and doubles a dot at its beginning", () => {
  const asTheyAre = ["a\r\n", "\r\n", "a.\r\n\r\nb\r\n", "a. .b\r\n", "\xff\0\r\n"];
  for (const [text, sent] of [
    ...asTheyAre.map((text) => [text, text] as const),
    ["", "\r\n"],
    ["a", "a\r\n"],
    [".", "..\r\n"],
    [".\r\n", "..\r\n"],
    ["a\r\n.b\r\n", "a\r\n..b\r\n"],
    ["a\r\n.\r\n", "a\r\n..\r\n"],
    ["a\n.\nb", "a\r\n..\r\nb\r\n"],
    ["a\r.\rb\r\n", "a\r\n..\r\nb\r\n"],
    ["a\r\r\n.b\n\r", "a\r\n\r\n..b\r\n\r\n"],
    ["\r", "\r\n"],
    ["\xff\n", "\xff\r\n"],
  ] as const) {
    const bytes = Buffer.from(text, "latin1");
    assert.equal(Buffer.from(dotStuffed(bytes)).toString("latin1"), sent, JSON.stringify(text));
  }
  const bytes = Buffer.from("a\r\n");
  assert.equal(dotStuffed(bytes), bytes, "without a copy");
});

describe("A relay that", { concurrency: true }, () => {
  for (const [what, reply] of [
    ["sends a line without an end", { part: `250 ${"x".repeat(10_000)}` }],
    ["sends lines without an end", { part: "250-x\r\n".repeat(200) }],
  ] as const) {
    test(`${what} before the final dot fails`, async () => {
      for (const offers of [[], ["PIPELINING"]])
        for (const step of ["greeting", "ehlo", "mail", "rcpt", "data"] as const) {
          const { outcomes, relay } = await sendTo({ at: at(step, reply), offers });
          const [outcome] = outcomes;
          assert.ok(outcome?.kind === "relay failed", `${step} ${JSON.stringify(outcome)}`);
          assert.match(outcome.text, /^the reply of the relay is too long: 250/);
          assert.deepEqual(relay.complete, []);
        }
    });
    test(`${what} after the final dot may have the message`, async () => {
      const { outcomes } = await sendTo({ at: at("dot", reply) });
      assert.ok(outcomes[0]?.kind === "lost" && outcomes[0].mayBeHandedOver);
    });
  }

  test("replies before it is asked fails, at each step before messages", async () => {
    for (const [step, offers, replies] of [
      ["greeting", [], "220 hello\r\n250 forged"],
      ["ehlo", [], "250 hello\r\n250 ok"],
      ["auth", ["AUTH LOGIN"], "334 VXNlcm5hbWU6\r\n334 UGFzc3dvcmQ6"],
      ["auth", ["AUTH PLAIN"], "235 ok\r\n250 ok"],
    ] as const) {
      const { outcomes, relay } = await sendTo({ at: at(step, replies), offers }, { login: "shop:secret@" });
      const shown = replies.replace("\r\n", " ");
      assert.deepEqual(outcomes, [
        { kind: "relay failed", stage: "greeting", text: `the relay replied before it was asked: ${shown}` },
      ]);
      assert.ok(!relay.commands.some((line) => line.startsWith("MAIL")), step);
    }
  });

  test("replies more than once to a message gets the next one on another connection", async () => {
    for (const replies of ["250 ok\r\n250 ok\r\n", "250 ok\r\n421 bye\r\n", "250 ok\r\n250 "]) {
      const { outcomes, relay } = await sendTo({ at: at("dot", { part: replies }) }, { messages: 2 });
      assert.deepEqual(
        outcomes.map(({ kind }) => kind),
        ["accepted", "accepted"],
      );
      assert.equal(relay.connections(), 2, replies);
    }
  });

  test("says 421 gets no further message on that connection, also if it does not close it", async () => {
    const { outcomes, relay } = await sendTo({ at: at("dot", "421 4.3.2 Bye") }, { messages: 2 });
    assert.ok(outcomes.every((outcome) => outcome.kind === "rejected" && outcome.stage === "dot"));
    assert.equal(relay.connections(), 2);
  });

  test("refuses a message in the middle gets the next one on another connection", async () => {
    let refusals = 0;
    await using relay = await startFaultyRelay({
      at: (step) => {
        if (step !== "body" || refusals > 0) return undefined;
        refusals += 1;
        return "552 5.3.4 Too much";
      },
    });
    const timeouts = { envelope: 5000 };
    const transport = openRelay(relay.url, { connections: 1, allowsInnerAddresses: true, timeouts });
    const refused = await transport.send(messageTo("b@example.com", hugeBody));
    const accepted = await transport.send(messageTo("c@example.com"));
    await transport.close();
    assert.deepEqual([refused.kind, accepted.kind], ["rejected", "accepted"]);
    assert.deepEqual(relay.complete, ["c@example.com"]);
  });

  test("takes DATA after it refused the recipient gets not a byte more", async () => {
    const steps: Step[] = [];
    const { outcomes } = await sendTo({
      at: (step) => {
        steps.push(step);
        return step === "rcpt" ? "550 5.1.1 No such user" : undefined;
      },
      offers: ["PIPELINING"],
      needsNoRecipient: true,
    });
    assert.equal(outcomes[0]?.kind, "rejected");
    assert.deepEqual(steps, ["greeting", "ehlo", "mail", "rcpt", "data"]);
  });

  test("does not reply to pipelined commands may be silent because of the recipient", async () => {
    await using relay = await startFaultyRelay({ at: at("mail", "stall"), offers: ["PIPELINING"] });
    const timeouts = { envelope: 200 };
    const transport = openRelay(relay.url, { allowsInnerAddresses: true, timeouts });
    const outcome = await transport.send(messageTo("b@example.com"));
    await transport.close();
    assert.ok(outcome.kind === "relay failed" && outcome.stage === "rcpt", JSON.stringify(outcome));
  });

  test("announces its limit gets no command of a larger message", async () => {
    const { outcomes, relay } = await sendTo({ offers: ["SIZE 10"] });
    assert.deepEqual(outcomes, [
      {
        ...{ kind: "rejected", stage: "mail", code: 552, status: "5.3.4" },
        text: "Message size larger than allowed 10",
      },
    ]);
    assert.ok(!relay.commands.some((line) => line.startsWith("MAIL")));
  });

  test("adds anything to its reply to STARTTLS fails: it may be forged, and is not read", async () => {
    for (const reply of [
      "220 go\r\n250-forged\r\n250 AUTH PLAIN",
      { part: "220 go\r\n250-forged" },
      { part: "220 go\r\n2" },
    ]) {
      const { outcomes, relay } = await sendTo({ at: at("auth", reply), offers: ["STARTTLS"] });
      const [outcome] = outcomes;
      assert.ok(outcome?.kind === "relay failed" && outcome.stage === "greeting");
      assert.match(outcome.text, /^the relay replied before it was asked: 220 go 2/);
      assert.equal(relay.commands.length, 2, "nothing is sent after EHLO and STARTTLS");
    }
    const later = { first: "220 go", next: "250 forged\r\n" };
    const { outcomes } = await sendTo({ at: at("auth", later), offers: ["STARTTLS"] });
    assert.equal(outcomes[0]?.kind, "relay failed", "it is no TLS");
  });

  test("refuses a recipient and drops the connection has refused the recipient", async () => {
    for (const offers of [[], ["PIPELINING"]]) {
      const { outcomes } = await sendTo({ at: at("rcpt", { bye: "550 5.1.1 No such user" }), offers });
      const [outcome] = outcomes;
      assert.ok(outcome?.kind === "rejected" && outcome.stage === "rcpt" && outcome.code === 550);
    }
    const { outcomes } = await sendTo({ at: at("rcpt", { cut: "550 5.1.1 No such user" }) });
    assert.equal(outcomes[0]?.kind, "rejected", "also without the end of its line");
  });

  test("does not know EHLO gets HELO, and no extension is used", async () => {
    const { outcomes, relay } = await sendTo({ at: at("ehlo", "502 5.5.2 What?") });
    assert.equal(outcomes[0]?.kind, "accepted");
    assert.deepEqual(relay.commands.map((line) => line.split(" ")[0]).slice(0, 2), ["EHLO", "HELO"]);
    assert.ok(relay.commands.includes("MAIL FROM:<news@example.org>"));
  });

  test("only mentions an extension does not offer it", async () => {
    const ehlo = "250-PIPELINING SIZE\r\n250-XPIPELINING\r\n250-X-SIZE 10\r\n250 HELP PIPELINING SIZE";
    const { outcomes, relay } = await sendTo({
      at: (step) => {
        if (step === "ehlo") return ehlo;
        return step === "rcpt" ? "550 5.1.1 No" : undefined;
      },
    });
    assert.equal(outcomes[0]?.kind, "rejected");
    assert.equal(relay.commands.includes("DATA"), false);
    assert.ok(relay.commands.includes("MAIL FROM:<news@example.org>"));
  });
});

describe("A login", { concurrency: true }, () => {
  test("uses the first of PLAIN, LOGIN, CRAM-MD5 and XOAUTH2 that is offered, in any spelling", async () => {
    for (const [offers, command] of [
      [["AUTH XOAUTH2 CRAM-MD5 LOGIN PLAIN"], "AUTH PLAIN AHNob3AAc2VjcmV0"],
      [["auth=login cram-md5"], "AUTH LOGIN"],
      [["AUTH CRAM-MD5", "AUTH=XOAUTH2"], "AUTH CRAM-MD5"],
      [["AUTH XOAUTH2"], "AUTH XOAUTH2 dXNlcj1zaG9wAWF1dGg9QmVhcmVyIHNlY3JldAEB"],
      [["AUTH GSSAPI"], "AUTH PLAIN AHNob3AAc2VjcmV0"],
      [[], "AUTH PLAIN AHNob3AAc2VjcmV0"],
    ] as const) {
      const { relay } = await sendTo({ offers, at: at("auth", "535 No") }, { login: "shop:secret@" });
      assert.equal(relay.commands[1], command);
    }
  });

  for (const mechanism of ["PLAIN", "LOGIN", "CRAM-MD5", "XOAUTH2"])
    test(`by ${mechanism} is understood by a server, and its refusal is understood here`, async () => {
      await using server = await startServer({
        disabledCommands: ["STARTTLS"],
        ...{ allowInsecureAuth: true, authOptional: false, authMethods: [mechanism] },
        onAuth: (auth, _session, done) => {
          const { username, password, accessToken } = auth;
          const isRight =
            mechanism === "CRAM-MD5"
              ? auth.validatePassword("sécret")
              : (password ?? accessToken) === "sécret";
          if (username === "shop" && isRight) return done(null, { user: "shop" });
          if (mechanism !== "XOAUTH2") return done(new Error("Wrong"));
          done(null, { data: { status: "401", schemes: "bearer" } });
        },
      });
      const url = (password: string): string => `smtp://shop:${password}@127.0.0.1:${server.port}`;
      const options = { connections: 1, allowsInnerAddresses: true };
      for (const [password, kind] of [
        ["s%C3%A9cret", "accepted"],
        ["wrong-password", "rejected"],
      ] as const) {
        const transport = openRelay(url(password), options);
        const outcome = await transport.send(messageTo("b@example.com"));
        await transport.close();
        assert.equal(outcome.kind, kind, JSON.stringify(outcome));
        if (kind === "rejected") assert.match(classify(outcome).relayFailure ?? "", /refuses the login: 5/);
      }
      assert.deepEqual(
        server.delivered.map(({ user }) => user),
        ["shop"],
      );
    });
});
