/** What people are told about addresses that are not taken. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addressProblem, parseAddress } from "#domain/address.ts";
import { parsePattern, patternProblem } from "#domain/block.ts";

describe("an invalid address", () => {
  for (const [text, problem] of [
    ["  ", "it is empty"],
    ["ada", "it has no @"],
    [`${"x".repeat(300)}@example.org`, "it has 312 characters; at most 254 are allowed"],
    ["a\u200bda@example.org", "it contains an invisible character (U+200B)"],
    ["ada\u00a0@example.org", "it contains an invisible character (U+00A0)"],
    ["Ada <ada@example.org>", "it has other text around it; give the address alone"],
    ["ada love@example.org", "it contains a space"],
    ["ada@example.org,bob@example.org", "it contains a comma or a semicolon; give one address"],
    ["ada@example.org, bob@example.org", "it contains a comma or a semicolon; give one address"],
    ["ada@@example.org", "it has more than one @"],
    ["@example.org", "there is nothing before the @"],
    ["josé@example.org", "a character before the @ is not ASCII"],
    ['"ada"@example.org', "a character before the @ is not allowed there"],
    ["ada@", "there is nothing after the @"],
    ["ada@.example.org", "its domain begins with a dot"],
    ["ada@example.org.", "its domain ends with a dot"],
    ["ada@example..org", "its domain has two dots in a row"],
    ["ada@exa_mple.org", "its domain contains a character that is not allowed in domains"],
    ["ada@-example.org", "a part of its domain begins or ends with a hyphen"],
    [`ada@${"x".repeat(64)}.org`, "a part of its domain has more than 63 characters"],
    ["ada@xn--a.example\u0300", "its domain is not a domain name"],
    [
      `${"l".repeat(190)}@${"ü".repeat(50)}.example`,
      "with its domain in ASCII it has more than 254 characters",
    ],
  ] as const)
    test(`${JSON.stringify(text.slice(0, 40))} is explained: ${problem}`, () => {
      assert.equal(parseAddress(text), null);
      assert.equal(addressProblem(text), problem);
    });
});

test("every ASCII character that is not allowed before the @ is reported", () => {
  for (let code = 0x21; code < 0x7f; code += 1) {
    const text = `a${String.fromCharCode(code)}b@example.org`;
    if (parseAddress(text) === null) assert.doesNotMatch(addressProblem(text), /domain/, text);
  }
});

test("a domain to block is explained as a domain", () => {
  assert.equal(parsePattern("@exa_mple.org"), null);
  assert.equal(
    patternProblem("@exa_mple.org"),
    "its domain contains a character that is not allowed in domains",
  );
  assert.equal(patternProblem("ada"), "it has no @");
});
