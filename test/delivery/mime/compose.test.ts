/** The headers, parts and envelope of a message. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readBounceToken } from "#delivery/mime/compose.ts";
import { type ProviderName, providerOf, relayHeaders, relayOfProvider } from "#domain/sending/providers.ts";
import { composed, decodeBody, decodeWords, identity, outgoing, partsOf, readPart } from "./sample.ts";

const longestLineIn = (bytes: Buffer): number =>
  Math.max(
    ...bytes
      .toString("latin1")
      .split("\r\n")
      .map(({ length }) => length),
  );

/** Any, also half of a pair. */
const character = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

test("composes both parts with all headers", () => {
  const { bytes, envelope, needsSmtpUtf8, messageId, size } = composed({}, { replyTo: "office@example.org" });
  const message = readPart(bytes.toString("latin1"));
  assert.deepEqual(Object.fromEntries(message.headers), {
    from: "Garden Club <news@example.org>",
    to: "Ada Lovelace <ada@example.com>",
    "reply-to": "<office@example.org>",
    subject: "News",
    date: "Sun, 01 Mar 2026 09:30:00 +0000",
    "message-id": messageId,
    "list-unsubscribe": `<${outgoing.unsubscribeUrl}>`,
    "list-unsubscribe-post": "List-Unsubscribe=One-Click",
    "list-id": "Garden Club <account-3.example.org>",
    "feedback-id": "c12:a3:campaign:mailroll",
    precedence: "bulk",
    "mime-version": "1.0",
    "content-type": 'multipart/alternative; boundary="=_mailroll"',
  });
  const parts = partsOf(message);
  assert.deepEqual(
    parts.map((part) => [part.headers.get("content-type"), decodeBody(part).trimEnd()]),
    [
      ["text/plain; charset=utf-8", "Hello"],
      ["text/html; charset=utf-8", "<p>Hello</p>"],
    ],
  );
  assert.deepEqual(envelope, { from: "news@example.org", to: "ada@example.com" });
  assert.equal(needsSmtpUtf8, false);
  assert.equal(size, bytes.length);
});

test("composes a message of text only as one part", () => {
  const { bytes } = composed({ rendered: { subject: "x", html: null, text: "Grüße\n" } });
  const message = readPart(bytes.toString("latin1"));
  assert.equal(message.headers.get("content-type"), "text/plain; charset=utf-8");
  assert.equal(decodeBody(message), "Grüße\r\n");
});

test("gives each message an id of its own that stays the same", () => {
  const { messageId } = composed();
  assert.match(messageId, /^<c12\.s345\.[0-9a-f]{20}@example\.org>$/);
  assert.equal(composed({ date: 0 }).messageId, messageId);
  const others = [
    composed({ subscriber: 346 }),
    composed({}, { campaign: 13 }),
    composed({}, { secret: Buffer.alloc(32, 8) }),
  ];
  assert.equal(
    new Set([messageId, ...others.map((other) => other.messageId.replace(/^<c\d+\.s\d+/, ""))]).size,
    4,
  );
});

test("uses an envelope sender that names campaign and subscriber where there is a bounce domain", () => {
  const { envelope } = composed({}, { bounceDomain: "bounce.bücher.example" });
  assert.match(envelope.from, /^b-c-9l-[0-9a-f]{20}@bounce\.xn--bcher-kva\.example$/);
  assert.deepEqual(readBounceToken(identity.secret, envelope.from), { campaign: 12, subscriber: 345 });
});

test("gives the provider the token of the message, so that its events name campaign and subscriber", () => {
  const relays = [
    "ses",
    "sendgrid",
    "mailgun",
    "postmark",
    "brevo",
    "mailjet",
    "sparkpost",
    "smtp2go",
  ] as const;
  for (const name of relays) {
    const made = relayOfProvider(name, { region: name === "ses" ? "eu-west-1" : "", ...login(name) });
    assert.ok("url" in made, name);
    const headers = relayHeaders([made.url]);
    const { bytes } = composed({}, { headers });
    const text = bytes.toString("latin1");
    const [token = ""] = /b-c-9l-[0-9a-f]{20}/.exec(text) ?? [];
    assert.deepEqual(readBounceToken(identity.secret, token), { campaign: 12, subscriber: 345 }, name);
    const metadata = [...readPart(text).headers.values()].filter((value) => value.includes(token));
    assert.equal(metadata.length, 1);
    if (metadata[0]?.startsWith("{")) assert.ok(JSON.stringify(JSON.parse(metadata[0])).includes(token));
    const test = composed({ testId: "1" }, { headers }).bytes.toString("latin1");
    assert.ok(!/b-c-9l|{token}/.test(test), "an event of a test message is of no campaign");
  }
  const smtpapi = relayHeaders(["smtp://apikey:x@smtp.sendgrid.net:587"]).filter(
    ([name]) => name === "X-SMTPAPI",
  );
  assert.deepEqual(Object.keys(JSON.parse(smtpapi[0]?.[1] ?? "{}") as object), ["filters", "unique_args"]);
});
const login = (name: ProviderName) =>
  providerOf(name).asks.includes("user") ? { user: "u", password: "x" } : { password: "x" };

test("writes international domains in Punycode, and says when SMTPUTF8 is needed", () => {
  const punycode = composed({ address: "ada@bücher.example" }, { fromAddress: "news@bücher.example" });
  assert.deepEqual(punycode.envelope, {
    from: "news@xn--bcher-kva.example",
    to: "ada@xn--bcher-kva.example",
  });
  assert.equal(punycode.needsSmtpUtf8, false);
  const local = composed({ address: "jürgen@bücher.example" });
  assert.equal(local.needsSmtpUtf8, true);
  assert.equal(local.envelope.to, "jürgen@xn--bcher-kva.example");
  assert.match(local.bytes.toString(), /^To: Ada Lovelace <jürgen@xn--bcher-kva\.example>\r$/m);
});

test("encodes names and subjects that are not ASCII, and folds long ones", () => {
  const subject = "Frühling 🌷 ".repeat(30).trim();
  const { bytes } = composed({
    name: "Zoë Ångström",
    rendered: { ...outgoing.rendered, subject },
  });
  const { headers } = readPart(bytes.toString("latin1"));
  assert.equal(decodeWords(headers.get("subject") ?? ""), subject);
  assert.equal(decodeWords(headers.get("to") ?? ""), "Zoë Ångström <ada@example.com>");
  assert.ok(longestLineIn(bytes) <= 76);
  assert.doesNotMatch(bytes.toString("latin1").split("\r\n\r\n")[0] ?? "", /[^\x20-\x7e\r\n]/);
});

test("quotes names with special characters", () => {
  const to = (name: string): string | undefined =>
    readPart(composed({ name }).bytes.toString("latin1")).headers.get("to");
  assert.equal(to('Ada "Countess" O\\L, Jr.'), '"Ada \\"Countess\\" O\\\\L, Jr." <ada@example.com>');
  assert.equal(to("<evil@example.org>,"), '"<evil@example.org>," <ada@example.com>');
  assert.equal(to(""), "<ada@example.com>");
  assert.equal(
    to("=?UTF-8?B?eA==?="),
    `=?UTF-8?B?${Buffer.from("=?UTF-8?B?eA==?=").toString("base64")}?= <ada@example.com>`,
  );
});

test("cannot be made to add a header, whatever names and subjects contain", () => {
  const odd = fc.constantFrom(
    "\r\n",
    "\n",
    "\r",
    "\0",
    "\u2028",
    "\u0085",
    "\u202e",
    "Bcc: x@example.org",
    '"',
    "\\",
    "<",
    ">",
    ",",
    ":",
    "=?",
    "?=",
    "\ud800",
    " ",
  );
  const text = fc
    .array(fc.oneof(odd, fc.string({ unit: character, maxLength: 20 })), { maxLength: 12 })
    .map((pieces) => pieces.join(""));
  const names = [
    ...readPart(composed({}, { replyTo: "a@example.org" }).bytes.toString("latin1")).headers.keys(),
  ];
  fc.assert(
    fc.property(text, text, text, (name, subject, fromName) => {
      const { bytes } = composed(
        { name, rendered: { ...outgoing.rendered, subject } },
        { fromName, replyTo: "a@example.org" },
      );
      const source = bytes.toString("latin1");
      const { headers } = readPart(source);
      assert.deepEqual([...headers.keys()], names);
      assert.match(headers.get("to") ?? "", / ?<ada@example\.com>$/);
      assert.doesNotMatch(source, /(?<!\r)\n|\r(?!\n)|\0/);
      assert.ok(longestLineIn(bytes) <= 78);
    }),
    { numRuns: 200 },
  );
});

test("shortens a name of 10,000 characters and folds such a subject", () => {
  const { bytes } = composed({
    name: "x".repeat(10_000),
    rendered: { ...outgoing.rendered, subject: "y".repeat(10_000) },
  });
  const { headers } = readPart(bytes.toString("latin1"));
  assert.equal(decodeWords(headers.get("to") ?? ""), `${"x".repeat(99)}… <ada@example.com>`);
  assert.equal(decodeWords(headers.get("subject") ?? ""), "y".repeat(10_000));
  assert.ok(longestLineIn(bytes) <= 78);
});

test("refuses addresses and links that would break a header", () => {
  for (const address of [
    "x",
    "",
    "a b@example.org",
    "a\r\nBcc: b@example.org",
    "<a@example.org>",
    "a@exa mple.org",
    "a,b@example.org",
  ])
    assert.throws(() => composed({ address }), /is not an e-mail address/, address);
  assert.throws(() => composed({}, { fromAddress: "x" }), /sender's address/);
  assert.throws(() => composed({}, { bounceDomain: "a b" }), /address for bounces/);
  assert.throws(() => composed({ unsubscribeUrl: "https://x.example/\r\nBcc: x" }), /is not a URL/);
});
