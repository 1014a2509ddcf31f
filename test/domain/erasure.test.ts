/** What is kept of somebody who was erased, and by what a text is known to name them. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { parseAddress } from "#domain/address.ts";
import { containsAddress } from "#domain/find-address.ts";
import { decideErasure, type EraseState, erasureHash, newErasureKey } from "#domain/subscriber/erasure.ts";
import { noSuppressions, type State, type Suppressions } from "#domain/subscriber/subscriber.ts";
import { pieces } from "./argument-pieces.ts";

const address = (text: string) => {
  const found = parseAddress(text);
  assert.ok(found, text);
  return found;
};

test("the hash is the same for every spelling of an address, and another under another key", () => {
  const key = newErasureKey();
  const hash = erasureHash(key, address("Ada@Bücher.example"));
  assert.deepEqual(hash, createHash("sha3-256").update(key).update("ada@xn--bcher-kva.example").digest());
  assert.deepEqual(erasureHash(key, address("ada@XN--BCHER-KVA.example")), hash);
  assert.notDeepEqual(erasureHash(key, address("bob@bücher.example")), hash);
  assert.notDeepEqual(erasureHash(newErasureKey(), address("Ada@Bücher.example")), hash);
});

const keptWhenErased = (state: EraseState) => decideErasure(state, 9).kept;

test("an erasure deletes a known subscriber, who leaves the counters first", () => {
  const changesFor = (suppressions: Partial<Suppressions>) =>
    decideErasure(
      {
        known: { since: 1, suppressions: { ...noSuppressions, ...suppressions } },
        ownBlockAt: null,
        erased: null,
      },
      9,
    ).changes;
  const deleted = (from: State) => [
    { kind: "change-state", at: 9, from, to: null },
    { kind: "delete-subscriber" },
  ];
  assert.deepEqual(changesFor({}), deleted("active"));
  assert.deepEqual(changesFor({ bounced: 2 }), deleted("bounced"));
  assert.deepEqual(decideErasure({ known: null, ownBlockAt: null, erased: null }, 9).changes, []);
});

test("suppressions stay in force after an erasure, and a block of the whole domain is not copied", () => {
  const known = { since: 1, suppressions: { ...noSuppressions, unsubscribed: 2, blocked: 3 } };
  const state = { known, ownBlockAt: null, erased: null };
  assert.deepEqual(keptWhenErased(state), { ...noSuppressions, unsubscribed: 2 });
  assert.deepEqual(keptWhenErased({ ...state, ownBlockAt: 4 }), {
    ...noSuppressions,
    unsubscribed: 2,
    blocked: 4,
  });
  const active = { since: 1, suppressions: noSuppressions };
  const erased = { ...noSuppressions, bounced: 5 };
  assert.equal(keptWhenErased({ ...state, known: active }), null);
  assert.equal(keptWhenErased({ ...state, known: active, erased }), null, "cleared since");
  assert.deepEqual(keptWhenErased({ ...state, known: null, erased }), erased);
  assert.deepEqual(keptWhenErased({ known: null, ownBlockAt: 6, erased: null }), {
    ...noSuppressions,
    blocked: 6,
  });
  assert.equal(keptWhenErased({ known: null, ownBlockAt: null, erased: null }), null);
});

test("an address is found in arguments in any spelling, alone or within a text, but not as part of another one", () => {
  const ada = address("ada.l@bücher.example");
  const naming = [
    { EMail: "Ada.L@Bücher.example" },
    { EMail: " ada.l@xn--bcher-kva.EXAMPLE " },
    { EMail: "bob@example.org", Customs: [{ Value: "write to ada.l@bücher.example." }] },
    { Note: "first line\nada.l@bücher.example" },
    { Note: '"Ada" <ada.l@bücher.example>, "ada.l@bücher.example"' },
    { Note: "'ada.l@bücher.example'" },
    { Note: "mailto:ada.l@bücher.example?subject=x=ada.l@bücher.example" },
    { Note: "bob@example.org,ada.l@bücher.example" },
  ];
  for (const args of naming) assert.ok(containsAddress(JSON.stringify(args), ada), JSON.stringify(args));
  const others = [
    "l@bücher.example",
    "x.ada.l@bücher.example",
    "x-ada.l@bücher.example",
    "xada.l@bücher.example",
    "o'ada.l@bücher.example",
    "ada.l@bücher.example.org",
    "ada.l@bücher",
    "ada.l@mail.bücher.example",
    "ada.l",
    "@bücher.example",
    "",
  ];
  for (const EMail of others) assert.ok(!containsAddress(JSON.stringify({ EMail }), ada), EMail);
});

test("an address is found in arguments if it is encoded, in compatibility characters, or adjacent to other text", () => {
  const ada = address("ada.l@bücher.example");
  const naming = [
    "ada.l%40b%C3%BCcher.example",
    "ADA%2El%40B%c3%bCCHER.Example",
    "%61%64%61%2e%6c%40%62%c3%bc%63%68%65%72%2e%65%78%61%6d%70%6c%65",
    "https://example.org/?u=https%3A%2F%2Fx.example%2F%3Fmail%3Dada.l%2540b%25C3%25BCcher.example",
    "ada.l%25252540bücher.example".replace("252525", "2525"),
    "ａｄａ．ｌ＠bücher．ｅｘａｍｐｌｅ",
    "𝐚𝐝𝐚.l﹫bücher.example",
    "ａｄａ．ｌ％４０bücher.example",
    "ada.l\\u0040bücher.example",
    '{"mail":"ada.l\\u0040b\\u00fccher.example"}',
    "mailto:ada.l@xn--bcher-kva.example",
    "MAILTO:Ada.L%40BÜCHER.EXAMPLE?subject=x",
    "Ada <ada.l@bücher.example>",
    "Ada%20%3Cada.l%40xn--bcher-kva.example%3E",
    "「ada.l@bücher.example」です",
    "ada.l@bücher.example\u00a0or by telephone",
    "ada.l@bücher。example",
  ];
  for (const EMail of naming) assert.ok(containsAddress(JSON.stringify({ EMail }), ada), EMail);
  assert.ok(
    containsAddress(JSON.stringify({ EMail: "请写信到ada@example.org谢谢" }), address("ada@example.org")),
  );
  const others = [
    "x.ada.l%40b%C3%BCcher.example",
    "x%2Eada.l%40b%C3%BCcher.example",
    "ｘada.l@bücher.example",
    "ada.l%40b%C3%BCcher.example.org",
    "ada.l%40b%FCcher.example",
    "ada.l%4",
    "ada.l%zzbücher.example",
    "\tada.l@example.org",
  ];
  for (const EMail of others) assert.ok(!containsAddress(JSON.stringify({ EMail }), ada), EMail);
  assert.ok(
    !containsAddress(JSON.stringify("\tada@example.org"), address("tada@example.org")),
    "a tab is no letter",
  );
  const literal = address("a%41b@example.org");
  assert.ok(
    containsAddress(JSON.stringify("a%41b@example.org"), literal),
    "an address that looks encoded is found as it is",
  );
});

test("a value that is a different address does not match the address at its end", () => {
  const ada = address("ada@x.org");
  for (const before of ["list=", "sales/", "r&", ..."!#$*?^{|}~`", "_", "-", "+", "b.", ".b."])
    assert.ok(!containsAddress(JSON.stringify({ EMail: ` ${before}ada@x.org\n` }), ada), before);
  for (const before of ["list: ", "see (", "https://x.org/?to=", "a b/"])
    assert.ok(containsAddress(JSON.stringify({ Value: `${before}ada@x.org` }), ada), before);
  const odd = address(".list=ada@x.org");
  assert.ok(containsAddress(JSON.stringify({ EMail: ".LIST=ada@x.org" }), odd));
  assert.ok(containsAddress(JSON.stringify({ EMail: "%61da@x.org" }), ada), "encoded for no reason");
});

test("an address is found in form encoding, after punctuation, quoted, or with invisible characters", () => {
  const ada = address("ada@example.org");
  const naming = [
    "to=Ada+ada%40example.org&x=1",
    "https://x.example/?next=%2F%3Fto%3DAda%2Bada%2540example.org",
    "_ada@example.org_",
    "see __ada@example.org__",
    "...ada@example.org",
    "write to ...ada@example.org",
    '"ada"@example.org',
    'Ada <"Ada"@example.org>',
    "ada\u200b@example.org",
    "a\u00adda@exam\u2060ple.org",
    "ada%E2%80%8B%40example.org",
    "ada(at)example.org",
    "write to Ada [AT] example.org",
    "ada @example.org",
    "see ada @ example.org.",
    "ada&#64;example.org",
    "<a href='mailto:&#x61;da&#x40;example&#46;org'>",
    "ada&commat;example.org",
    "ada&amp;#64;example.org".replace("&amp;", "%26"),
  ];
  for (const Value of naming) assert.ok(containsAddress(JSON.stringify({ Value }), ada), Value);
  const others = [
    "write to b_ada@example.org",
    "write to b...ada@example.org",
    "write to bob+ada@example.org",
    "mailto:bob+ada%40example.org?subject=x",
    "note=bob+ada@example.org",
    'x"@example.org',
    "bob.ada (at) example.org",
    "ada at example.org",
    "ada(at)example.org.uk",
    "xada&#64;example.org",
    "ada&#65;example.org",
  ];
  for (const Value of others) assert.ok(!containsAddress(JSON.stringify({ Value }), ada), Value);
  const bob = address("bob+ada@example.org");
  assert.ok(
    containsAddress(JSON.stringify({ Value: "to=bob+ada%40example.org" }), bob),
    "a plus sign left as it is",
  );
  const joined = address("a@نامه\u200cای.example");
  assert.ok(
    containsAddress(JSON.stringify({ Value: "to a@نامه\u200cای.example" }), joined),
    "a joiner of the domain",
  );
});

test("arguments of any length and type are searched", () => {
  const ada = address("ada@example.org");
  for (const piece of pieces) {
    const args = piece.repeat(32_768 / piece.length);
    assert.ok(!containsAddress(args, ada), piece);
    assert.ok(containsAddress(`${args} ada@example.org`, ada), piece);
    const values = JSON.stringify([args, "ada@example.org"]);
    assert.ok(containsAddress(values, ada), piece);
  }
});
