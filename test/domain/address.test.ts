import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddress } from "#domain/address.ts";
import { parsePattern } from "#domain/block.ts";

test("white space around an address is trimmed, and the spelling is kept", () => {
  assert.deepEqual(parseAddress(" \t Ada.Lovelace@Example.ORG\r\n"), {
    text: "Ada.Lovelace@Example.ORG",
    key: "ada.lovelace@example.org",
    domain: "example.org",
  });
});

test("two addresses are the same if they are equal ignoring case, with the domain in ASCII", () => {
  const key = parseAddress("ada@bücher.example")?.key;
  assert.equal(key, "ada@xn--bcher-kva.example");
  for (const spelling of ["ADA@BÜCHER.example", "ada@xn--bcher-kva.EXAMPLE", "ada@bu\u0308cher.example"])
    assert.equal(parseAddress(spelling)?.key, key, spelling);
});

test("an address that HTML's e-mail input accepts is accepted", () => {
  for (const text of [
    "a@b",
    "o'neil+list@sub.example.org",
    "a.b..c@example.org",
    "!#$%&'*+/=?^_`{|}~-@x.y",
    "1@2.3",
  ])
    assert.ok(parseAddress(text), text);
});

test("an address that HTML's e-mail input rejects is rejected", () => {
  for (const text of [
    null,
    "",
    "  ",
    "plain",
    "@example.org",
    "a@",
    "a b@example.org",
    "a@@example.org",
    "ñ@example.org",
    "a@-example.org",
    "a@example-.org",
    "a@example..org",
    "a@.example.org",
    "a@example.org.",
    "a@exa_mple.org",
    "a@bücher.example/path",
    "a@bücher.example:25",
    "Ada <ada@example.org>",
    "a@example.org, b@example.org",
    `a@${"x".repeat(64)}.org`,
  ])
    assert.equal(parseAddress(text), null, String(text));
});

test("an address has at most 254 characters", () => {
  const domain = `${"d".repeat(60)}.${"d".repeat(60)}.${"d".repeat(60)}.org`;
  const longest = `${"l".repeat(254 - domain.length - 1)}@${domain}`;
  assert.equal(longest.length, 254);
  assert.ok(parseAddress(longest));
  assert.equal(parseAddress(`l${longest}`), null);
  assert.equal(
    parseAddress(`${"l".repeat(190)}@${"ü".repeat(50)}.example`),
    null,
    "too long in its ASCII form",
  );
});

test("a block is an address or a domain", () => {
  assert.equal(parsePattern(" Ada@Example.org "), "ada@example.org");
  assert.equal(parsePattern("@BÜCHER.example"), "@xn--bcher-kva.example");
  for (const text of ["example.org", "@", "@a b", ""]) assert.equal(parsePattern(text), null, text);
});
