/** Relays as they are: TLS, logins, SMTPUTF8, sizes, and that a message arrives byte by byte. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openRelay, tryRelay } from "#delivery/smtp/relays.ts";
import type { SmtpOptions } from "#delivery/smtp/settings.ts";
import type { HandOver, OutgoingMessage } from "#domain/sending/hand-over.ts";
import { classify } from "#domain/sending/smtp-reply.ts";
import { newPair } from "../../certificate-files.ts";
import { startFaultyRelay } from "./faulty-relay.ts";
import { messageTo, text } from "./messages.ts";
import { startServer } from "./smtp-server.ts";

let folder: string;
let pem: { readonly cert: string; readonly key: string };
before(() => {
  folder = mkdtempSync(join(tmpdir(), "mailroll-smtp-"));
  const pair = newPair(folder, "localhost");
  pem = { cert: readFileSync(pair.cert, "utf8"), key: readFileSync(pair.key, "utf8") };
});
after(() => rmSync(folder, { recursive: true }));

const plain = { disabledCommands: ["STARTTLS", "AUTH"] };

async function sendOne(
  url: string,
  message: OutgoingMessage = messageTo("b@example.com"),
  options: SmtpOptions = {},
): Promise<HandOver> {
  const transport = openRelay(url, { allowsInnerAddresses: true, ...options });
  const outcome = await transport.send(message);
  await transport.close();
  return outcome;
}

test("hands over a message unchanged: dots, long lines, empty lines, and no line end at the end", async () => {
  await using server = await startServer(plain);
  const bodies = [
    ".\r\n..\r\n.hidden\r\n\r\n.\r\nend\r\n",
    `${"x".repeat(998)}\r\n${"y".repeat(997)}.\r\n.${"z".repeat(997)}\r\n`,
    `${"x".repeat(65_536)}\r\n`,
    "\r\n\r\n\r\n",
    ".",
  ].map((body) => `Subject: Lines\r\n\r\n${body}`);
  for (const body of bodies) {
    const outcome = await sendOne(`smtp://localhost:${server.port}`, messageTo("b@example.com", body));
    assert.equal(outcome.kind, "accepted");
  }
  const arrived = server.delivered.map(({ bytes }) => bytes.toString());
  assert.deepEqual(
    arrived,
    bodies.map((body) => (body.endsWith("\r\n") ? body : `${body}\r\n`)),
  );
});

test("does not let a bare CR or LF end a message early", async () => {
  await using server = await startServer(plain);
  const body = "Subject: x\r\n\r\none\n.\nMAIL FROM:<evil@example.com>\r.\rtwo\r\n";
  await sendOne(`smtp://localhost:${server.port}`, messageTo("b@example.com", body));
  assert.equal(server.delivered.length, 1);
  assert.equal(
    server.delivered[0]?.bytes.toString(),
    "Subject: x\r\n\r\none\r\n.\r\nMAIL FROM:<evil@example.com>\r\n.\r\ntwo\r\n",
  );
});

test("sends a part of a larger buffer only", async () => {
  await using server = await startServer(plain);
  const bytes = Buffer.from(`secret${text}secret`).subarray(6, 6 + text.length);
  await sendOne(`smtp://localhost:${server.port}`, messageTo("b@example.com", "", { bytes }));
  assert.equal(server.delivered[0]?.bytes.toString(), text);
});

test("uses STARTTLS if it is offered, with a certificate that is verified by the given authority", async () => {
  await using server = await startServer(pem);
  const outcome = await sendOne(`smtp://localhost:${server.port}`, messageTo("b@example.com"), {
    ca: pem.cert,
  });
  assert.equal(outcome.kind, "accepted");
  assert.equal(server.delivered[0]?.isSecure, true);
});

test("logs in over STARTTLS and over TLS", async () => {
  const onAuth: NonNullable<Parameters<typeof startServer>[0]["onAuth"]> = (auth, _session, done) => {
    if (auth.username === "news@example.org" && auth.password === "p:ss/w@rd%") done(null, { user: "news" });
    else done(new Error("Invalid username or password"));
  };
  const login = "news%40example.org:p%3Ass%2Fw%40rd%25";
  for (const secure of [false, true]) {
    await using server = await startServer({ ...pem, secure, authOptional: false, onAuth });
    const scheme = secure ? "smtps" : "smtp";
    const options = { ca: pem.cert };
    const url = `${scheme}://${login}@localhost:${server.port}`;
    assert.equal((await sendOne(url, messageTo("b@example.com"), options)).kind, "accepted");
    assert.equal(server.delivered[0]?.user, "news");
    assert.equal(server.delivered[0].isSecure, true);

    const wrong = await sendOne(`${scheme}://news:wrong@localhost:${server.port}`, undefined, options);
    assert.equal(wrong.kind, "rejected");
    assert.equal(wrong.stage, "login");
    assert.equal(wrong.code, 535);
    assert.match(classify(wrong).relayFailure ?? "", /refuses the login: 535 .*Invalid username or password/);

    const nobody = await sendOne(`${scheme}://localhost:${server.port}`, undefined, options);
    assert.equal(nobody.kind, "rejected");
    assert.equal(nobody.code, 530);
    assert.notEqual(classify(nobody).relayFailure, null);
  }
});

test("masks the password in what the relay says, in each form in which it was sent", async () => {
  for (const [user, password] of [
    ["shop", "TopSecretPw"],
    ["shop@example.org", "p:ss/w@rd %+ü.*"],
    ["shop", "key-Top-Secret"],
    ["shop", "ab"],
  ] as const) {
    const base64 = (words: string): string => Buffer.from(words).toString("base64");
    const forms = [
      password,
      encodeURIComponent(password),
      base64(password),
      base64(`\0${user}\0${password}`),
      base64(`\0${user}\0${password}`).replace(/=+$/, ""),
      base64(`user=${user}\x01auth=Bearer ${password}\x01\x01`),
    ];
    await using server = await startServer({
      ...plain,
      disabledCommands: ["STARTTLS"],
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) =>
        done(
          new Error(
            `5.7.8 Grab ${user}, not ${forms.join(" nor ")} ${"x".repeat(300)} (${forms.join(")(")})`,
          ),
        ),
    });
    const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
    const url = `smtp://${login}@127.0.0.1:${server.port}`;
    const outcome = await sendOne(url);
    const { problem } = await tryRelay(url, { allowsInnerAddresses: true });
    assert.equal(outcome.kind, "rejected");
    assert.equal(outcome.code, 535);
    for (const words of [JSON.stringify(outcome), classify(outcome).relayFailure ?? "", problem ?? ""]) {
      assert.match(words, /5\.7\.8 Grab .*, not <password> nor <password>/);
      for (const form of forms.filter(({ length }) => length > 2))
        assert.ok(!words.includes(form), `${form}: ${words}`);
      assert.doesNotMatch(words, /\bab\b/);
    }
  }
});

test("masks the password in replies to messages, and leaves their codes as they are", async () => {
  for (const step of ["rcpt", "dot"] as const) {
    await using server = await startServer({
      disabledCommands: ["STARTTLS"],
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(null, { user: "shop" }),
      ...(step === "rcpt"
        ? {
            onRcptTo: (_to, _session, done) =>
              done(Object.assign(new Error("5.1.1 550 TopSecretPw"), { responseCode: 550 })),
          }
        : {
            onData: (stream, _session, done) => {
              stream.resume();
              stream.on("end", () => done(null, "250 TopSecretPw"));
            },
          }),
    });
    const outcome = await sendOne(`smtp://shop:TopSecretPw@127.0.0.1:${server.port}`);
    assert.equal(outcome.kind, step === "rcpt" ? "rejected" : "accepted", JSON.stringify(outcome));
    assert.ok("code" in outcome && outcome.code === (step === "rcpt" ? 550 : 250));
    assert.match(outcome.text, /550 <password>|250 <password>/);
  }
});

test("does not send a login to a relay whose certificate cannot be verified", async () => {
  const seen: string[] = [];
  await using server = await startServer({
    ...pem,
    authOptional: true,
    onAuth: (auth, _session, done) => {
      seen.push(auth.username ?? "");
      done(null, { user: "x" });
    },
  });
  const outcome = await sendOne(`smtp://news:secret@localhost:${server.port}`);
  assert.equal(outcome.kind, "relay failed");
  assert.match(outcome.text, /self-signed certificate/);
  assert.deepEqual(seen, []);
  assert.deepEqual(server.delivered, []);
});

test("does not accept a certificate for another name", async () => {
  await using server = await startServer(pem);
  const options = { ca: pem.cert };
  const outcome = await sendOne(`smtp://a:b@127.0.0.1:${server.port}`, undefined, options);
  assert.equal(outcome.kind, "relay failed");
  assert.match(outcome.text, /does not match certificate/);
});

test("accepts an unknown certificate on loopback if there is no login", async () => {
  await using server = await startServer(pem);
  assert.equal((await sendOne(`smtp://127.0.0.1:${server.port}`)).kind, "accepted");
  assert.equal(server.delivered[0]?.isSecure, true);
});

test("reports a relay that speaks no TLS where TLS is expected", async () => {
  await using server = await startServer(plain);
  const outcome = await sendOne(`smtps://127.0.0.1:${server.port}`, undefined, {
    timeouts: { greeting: 1000 },
  });
  assert.equal(outcome.kind, "relay failed");
});

test("uses SMTPUTF8 only where it is needed", async () => {
  await using server = await startServer(plain);
  const url = `smtp://localhost:${server.port}`;
  const messages = [
    messageTo("b@example.com"),
    messageTo("jürgen@example.com"),
    messageTo("b@bücher.example"),
    messageTo("c@example.com", "Subject: Grüße\r\n\r\nHello.\r\n", { needsSmtpUtf8: true }),
    messageTo("d@example.com"),
  ];
  const transport = openRelay(url, { allowsInnerAddresses: true, connections: 1 });
  for (const message of messages) assert.equal((await transport.send(message)).kind, "accepted");
  await transport.close();
  assert.deepEqual(
    server.delivered.map(({ to, parameters }) => [to, "SMTPUTF8" in parameters]),
    [
      ["b@example.com", false],
      ["jürgen@example.com", true],
      ["b@bücher.example", false],
      ["c@example.com", true],
      ["d@example.com", false],
    ],
  );
  assert.match(server.delivered[3]?.bytes.toString() ?? "", /Grüße/);
});

test("writes a domain that is not ASCII in its ASCII form", async () => {
  await using relay = await startFaultyRelay({});
  assert.equal((await sendOne(relay.url, messageTo("b@Bücher.example"))).kind, "accepted");
  assert.deepEqual(relay.complete, ["b@xn--bcher-kva.example"]);
});

test("hands nothing over that needs SMTPUTF8 if it is not offered", async () => {
  await using server = await startServer({ ...plain, hideSMTPUTF8: true });
  const url = `smtp://localhost:${server.port}`;
  for (const message of [
    messageTo("jürgen@example.com"),
    messageTo("c@example.com", text, { needsSmtpUtf8: true }),
  ]) {
    const outcome = await sendOne(url, message);
    assert.deepEqual(outcome, { kind: "needs SMTPUTF8" });
    assert.deepEqual(classify(outcome).result, { state: "skipped", reason: "needs SMTPUTF8", reply: null });
  }
  assert.deepEqual(server.delivered, []);
  assert.equal((await sendOne(url, messageTo("b@bücher.example"))).kind, "accepted");
});

test("skips a message that is larger than the relay takes, and no other", async () => {
  await using server = await startServer({ ...plain, size: 100 });
  const url = `smtp://localhost:${server.port}`;
  const outcome = await sendOne(url, messageTo("b@example.com", `Subject: x\r\n\r\n${"x".repeat(200)}\r\n`));
  const { result, relayFailure } = classify(outcome);
  assert.equal(relayFailure, null);
  assert.equal(result.state, "skipped");
  assert.equal(result.reason, "message too large");
  assert.equal((await sendOne(url)).kind, "accepted");
  assert.equal(server.delivered.length, 1);
});

test("does not send an address that would end the command", async () => {
  await using server = await startServer(plain);
  const url = `smtp://localhost:${server.port}`;
  const recipient = await sendOne(url, messageTo("a@example.com>\r\nRCPT TO:<evil@example.com"));
  assert.ok(recipient.kind === "rejected" && recipient.stage === "rcpt");
  assert.equal(classify(recipient).result.state, "failed");
  const from = "a@example.com>\r\nDATA";
  const sender = await sendOne(
    url,
    messageTo("b@example.com", text, { envelope: { from, to: "b@example.com" } }),
  );
  assert.ok(sender.kind === "rejected" && sender.stage === "mail");
  assert.deepEqual(server.delivered, []);
});
