/** Addresses as people copy them from mail programs and pages. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bareAddress, readMailbox } from "#transfer/values/mailbox.ts";

describe("an address is found", () => {
  for (const text of [
    "ada@example.org",
    " <ada@example.org> ",
    "Ada Lovelace <ada@example.org>",
    '"Lovelace, Ada <the first>" <ada@example.org>',
    "Lovelace, Ada < ada@example.org >",
    "ada@example.org <ada@example.org>",
    "'Ada@Example.org' <ada@example.org>",
    "mailto:ada@example.org",
    "MAILTO:ada%40example.org?subject=Hello",
    "Ada <mailto:ada@example.org>",
  ])
    test(`in ${text}`, () => {
      const found = readMailbox(text);
      if (typeof found === "string") assert.fail(found);
      assert.equal(found.key, "ada@example.org");
    });
});

test("a text with two addresses is rejected", () => {
  for (const text of [
    "Ada <ada@example.org>, Bob <bob@example.org>",
    "ada@example.org, Bob <bob@example.org>",
    "ada@example.org; <bob@example.org>",
    "ada@example.org <bob@example.org>",
    '"ada@example.org" <bob@example.org>',
    "'ada@example.org' <mailto:bob@example.org>",
    "mailto:ada@example.org,bob@example.org",
  ])
    assert.equal(typeof readMailbox(text), "string", text);
});

test("the error is about the address, not about the text around it", () => {
  assert.equal(readMailbox("Ada <ada>"), "it has no @");
  assert.equal(readMailbox("mailto:"), "it is empty");
  assert.equal(bareAddress("mailto:%zz@example.org"), "%zz@example.org");
});

test("a long text without an address is read in linear time", () => {
  for (const text of ["<".repeat(1e6), '"'.repeat(1e6), `${'\\"'.repeat(5e5)}<a>`, `${"@".repeat(1e6)}<a>`])
    assert.equal(typeof readMailbox(text), "string");
});
