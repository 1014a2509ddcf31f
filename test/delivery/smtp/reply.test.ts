/** What is kept of a relay's words. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanText, parseReply } from "#delivery/smtp/reply.ts";

test("reads code, status and text of a reply", () => {
  assert.deepEqual(parseReply("250 2.0.0 Ok"), { code: 250, status: "2.0.0", text: "2.0.0 Ok" });
  assert.deepEqual(parseReply("550 No such user"), { code: 550, status: null, text: "No such user" });
  assert.deepEqual(parseReply("550-5.1.1 No\n550-5.1.1 such\n550 5.1.1 user"), {
    code: 550,
    status: "5.1.1",
    text: "5.1.1 No such user",
  });
  assert.deepEqual(parseReply("421"), { code: 421, status: null, text: "" });
  assert.deepEqual(parseReply("550 5.1.10 RESOLVER"), {
    code: 550,
    status: "5.1.10",
    text: "5.1.10 RESOLVER",
  });
});

test("does not take an address or a version for a status", () => {
  assert.equal(parseReply("550 5.6.7.8 is listed")?.status, null);
  assert.equal(parseReply("550 192.0.2.1 is listed")?.status, null);
});

test("does not take other text for a reply", () => {
  for (const text of ["", "hello", "25 x", "2500 x", "150 x", "650 x", "250x"])
    assert.equal(parseReply(text), null, text);
});

test("does not read a reply whose lines have different codes", () => {
  for (const text of ["450-x\n250 ok", "250-ok\n550 no", "250-a\n250-b\n251 c", "250-ok\nhello", "250-ok\n"])
    assert.equal(parseReply(text), null, text);
  for (const text of ["250-ok\n2500 x", "250-ok\n250x"]) assert.equal(parseReply(text), null, text);
  assert.equal(parseReply("250-ok\n250")?.code, 250);
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
