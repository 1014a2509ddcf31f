/** From the bytes of a relay to its replies, whatever they are, and what is kept of them. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { describe, test } from "node:test";
import { cleanText, keptOf, type Reply, ReplyReader, withoutLogin } from "#delivery/smtp/reply.ts";
import type { SmtpReply } from "#domain/sending/hand-over.ts";

const DIFFERENT = "the lines of a reply have different codes";
const TOO_LONG = "the reply of the relay is too long";

/** What is sent, the codes of the replies in it, the problem of the last one, and what is left unread. */
const cases: readonly (readonly [
  string,
  { readonly codes: readonly number[]; readonly problem?: string; readonly unread?: string },
])[] = [
  ["250 ok\r\n", { codes: [250] }],
  ["250\r\n", { codes: [250] }],
  ["250-a\r\n250-b\r\n250 c\r\n", { codes: [250] }],
  ["250-a\r\n250\r\n", { codes: [250] }],
  ["250 a\r\n250 b\r\n354 c\r\n", { codes: [250, 250, 354] }],
  ["250 a\n421 b\n", { codes: [250, 421] }],
  // An empty line between replies is none.
  ["\r\n \r\n250 ok\r\n\r\n", { codes: [250] }],
  // No replies.
  ...["hello", "25 x", "2500 x", "2500-x", "150 x", "650 x", "250x", "250\tx", "-250 x", " 250 x", "\0"].map(
    (line) => [`${line}\r\n`, { codes: [0] }] as const,
  ),
  // Not complete.
  ["250 ok", { codes: [], unread: "250 ok" }],
  ["250 ok\r", { codes: [], unread: "250 ok" }],
  ["250-a\r\n25", { codes: [], unread: "250-a\n25" }],
  ["354 a\r\n250-b\r\n", { codes: [354], unread: "250-b" }],
  // Nobody knows which code counts.
  ...[
    "450-x\r\n250 ok",
    "250-ok\r\n550 no",
    "250-a\r\n250-b\r\n251 c",
    "250-ok\r\nhello",
    "250-ok\r\n2500 x",
    "250-ok\r\n250x",
    "250-ok\r\n",
  ].map((text) => [`${text}\r\n`, { codes: [0], problem: DIFFERENT }] as const),
  ["250-ok\r\n550-no\r\n250 ok\r\n250 next\r\n", { codes: [0], problem: DIFFERENT }],
  ["250 a\r\n450-x\r\n250 ok\r\n", { codes: [250, 0], problem: DIFFERENT }],
  // Up to 8 KiB in a line, and 128 lines.
  [`250 ${"x".repeat(8187)}\r\n`, { codes: [250] }],
  [`250 ${"x".repeat(8188)}\r\n`, { codes: [0], problem: TOO_LONG }],
  ["x".repeat(100_000), { codes: [0], problem: TOO_LONG }],
  [`${"250-x\r\n".repeat(127)}250 x\r\n`, { codes: [250] }],
  ["250-x\r\n".repeat(100_000), { codes: [0], problem: TOO_LONG }],
  [`250-${"x".repeat(100_000)}`, { codes: [0], problem: TOO_LONG }],
];

const short = (text: string): string =>
  text.length > 60 ? `${JSON.stringify(text.slice(0, 20))}… of ${text.length} bytes` : JSON.stringify(text);
function readAll(
  text: string,
  size: number,
): { readonly replies: readonly Reply[]; readonly unread: string } {
  const reader = new ReplyReader();
  const bytes = Buffer.from(text, "latin1");
  const replies: Reply[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    replies.push(...reader.read(bytes.subarray(at, at + size)));
    if (replies.at(-1)?.problem != null) return { replies, unread: "" };
  }
  return { replies, unread: reader.unread };
}

describe("The reader of replies", () => {
  for (const [text, { codes, problem = null, unread = "" }] of cases)
    test(`reads ${short(text)}, however it is split`, () => {
      for (const size of [1, 7, text.length]) {
        const read = readAll(text, size);
        assert.deepEqual(
          read.replies.map(({ code }) => code),
          codes,
        );
        assert.equal(read.replies.at(-1)?.problem ?? null, problem);
        assert.equal(read.unread, unread);
      }
    });

  test("keeps little of a line or a reply without an end", () => {
    for (const part of ["x", "250-x\r\n"]) {
      const reader = new ReplyReader();
      let sent = 0;
      while (reader.read(Buffer.from(part)).length === 0) sent += part.length;
      assert.ok(sent <= 8192, String(sent));
    }
  });

  test("decodes UTF-8 that is split anywhere, and keeps each byte of anything else", () => {
    const utf8 = Buffer.from("550 Grüße 😀\0\r\n").toString("latin1");
    for (const size of [1, 2, 3, utf8.length])
      assert.equal(readAll(utf8, size).replies[0]?.words, "550 Grüße 😀\0");
    assert.equal(readAll("550 Gr\xfc\xdfe\r\n", 1).replies[0]?.words, "550 Gr\xfc\xdfe");
  });

  test("reads a refusal whose line has no end only if it is the whole of it", () => {
    for (const [text, code] of [
      ["554 5.7.1 No", 554],
      ["250 ok\r\n421 bye", 421],
      ["250 ok", null],
      ["55", null],
      ["5540 x", null],
      ["450-4.2.0 x\r\n450 4.2.0 y", null],
    ] as const) {
      const reader = new ReplyReader();
      reader.read(Buffer.from(text));
      assert.equal(reader.readRefusal()?.code ?? null, code, text);
    }
  });
});

const keptFrom = (text: string): SmtpReply => {
  const [reply] = readAll(`${text}\n`, text.length + 1).replies;
  assert.ok(reply !== undefined);
  return keptOf(reply);
};

test("keeps code, status and text of a reply", () => {
  assert.deepEqual(keptFrom("250 2.0.0 Ok"), { code: 250, status: "2.0.0", text: "2.0.0 Ok" });
  assert.deepEqual(keptFrom("550 No such user"), { code: 550, status: null, text: "No such user" });
  assert.deepEqual(keptFrom("550-5.1.1 No\n550-5.1.1 such\n550 5.1.1 user"), {
    code: 550,
    status: "5.1.1",
    text: "5.1.1 No such user",
  });
  assert.deepEqual(keptFrom("421"), { code: 421, status: null, text: "" });
  assert.deepEqual(keptFrom("550 5.1.10 RESOLVER"), { code: 550, status: "5.1.10", text: "5.1.10 RESOLVER" });
});

test("does not take an address or a version for a status", () => {
  assert.equal(keptFrom("550 5.6.7.8 is listed").status, null);
  assert.equal(keptFrom("550 192.0.2.1 is listed").status, null);
});

test("removes control characters and line ends, and bounds the text", () => {
  assert.equal(cleanText("a\u0000b\u001b[31mc\r\nd\u202ee\u0085f"), "a b [31mc d e f");
  assert.equal(cleanText("x".repeat(10_000)).length, 500);
  assert.equal(cleanText(`${" ".repeat(600)}x`), "x");
});

test("does not cut a character in half", () => {
  const text = cleanText(`${"x".repeat(499)}😀 and more`);
  assert.equal(text, "x".repeat(499));
  assert.equal(cleanText(`${"x".repeat(498)}😀 and more`), `${"x".repeat(498)}😀`);
});

const user = "shop";
const split = (form: string, at: number, between: string): string =>
  form.slice(0, at) + between + form.slice(at);

test("masks a password that a relay splits over two lines, wherever it splits it", () => {
  for (const password of ["TopSecretPw", "key-Top-Secret", "p:ss/w@rd %+ü.*"]) {
    const hide = withoutLogin({ user, password });
    const login = Buffer.from(`\0${user}\0${password}`).toString("base64").replace(/=+$/, "");
    for (const form of [password, login])
      for (let at = 1; at < form.length; at += 1)
        for (const [first, next] of [
          ["535-5.7.8 ", "535 5.7.8 "],
          ["535-", "535-"],
          ["Invalid login: 535-", "535 "],
        ] as const)
          assert.equal(
            hide(`${first}not ${split(form, at, `\n${next}`)}, sorry\n535 bye`),
            `${first}not <password>\n${next}, sorry\n535 bye`,
            `${form} after ${at}`,
          );
  }
});

test("masks a password that a relay splits at its space, and one over three lines", () => {
  const hide = withoutLogin({ user, password: "correct horse battery" });
  assert.equal(
    hide("535-5.7.8 (correct\n535-5.7.8   horse\n535 5.7.8 battery)"),
    "535-5.7.8 (<password>\n535-5.7.8 \n535 5.7.8 )",
  );
});

test("leaves other lines as they are", () => {
  const reply = "550-5.1.1 Top\n550-5.1.1 secret\n550 5.1.1 Pw";
  assert.equal(withoutLogin({ user, password: "TopSecretWord" })(reply), reply);
  assert.equal(withoutLogin({ user, password: "ab" })("550-a bad\n550 band"), "550-a bad\n550 band");
  assert.equal(withoutLogin({ user, password: "550" })("550-no\n550 no"), "550-no\n550 no");
});

test("reads a long reply quickly, whatever the password is", () => {
  const replies = [" ", " \n", "\n--", "\n535--", "a", "a \n", "a\n\n"].map(
    (part) => `535 a${part.repeat(20_000)}c`,
  );
  for (const password of [" ".repeat(60), `a${" ".repeat(60)}b`, "-".repeat(60), `${"a".repeat(60)}b`]) {
    const hide = withoutLogin({ user, password });
    for (const reply of replies) assert.ok(hide(reply).startsWith("535 "));
  }
});
