/** What a search text means, and the spellings of a name. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddressSearch, spellingsOf } from "#domain/subscriber/search.ts";

test("the form of a text decides between an address, a domain and a beginning", () => {
  for (const [text, expected] of [
    [" Ada@Example.ORG ", { is: "ada@example.org" }],
    ["ada@bücher.example", { is: "ada@xn--bcher-kva.example" }],
    ["@Example.org", { domain: "example.org" }],
    ["@bücher.example", { domain: "xn--bcher-kva.example" }],
    ["Ada.L", { startsWith: "ada.l" }],
    ["ada@", { startsWith: "ada@" }],
    ["ada@example.", { startsWith: "ada@example." }],
    ["%_*'", { startsWith: "%_*'" }],
  ] as const)
    assert.deepEqual(parseAddressSearch(text), expected, text);
});

test("a text that no address begins with is none of them", () => {
  for (const text of ["", " ", "@", "@@", "a b", "a@b@", "\\", '"', "å", "ada@bü.", "a\0", "\u{1f600}"])
    assert.equal(parseAddressSearch(text), null, JSON.stringify(text));
});

test("a name is spelt as given, in lower and upper case and capitalised, with ASCII in lower case", () => {
  assert.deepEqual(spellingsOf("Ada"), ["ada"]);
  assert.deepEqual(spellingsOf("åse é"), ["åse é", "Åse É"]);
  assert.deepEqual(spellingsOf("анна"), ["анна", "АННА", "Анна"]);
  assert.deepEqual(spellingsOf("e\u0301"), ["é", "É"]);
});

test("a spelling of another length is left out", () => {
  assert.deepEqual(spellingsOf("strauß"), ["strauß"]);
  assert.deepEqual(spellingsOf("ß"), ["ß"]);
});
