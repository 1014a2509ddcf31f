/** What is kept of somebody who was erased, and by what a text is known to name them. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { parseAddress } from "../../src/domain/address.ts";
import { erasureHash, keptWhenErased, newErasureKey } from "../../src/domain/erasure.ts";
import { mentions } from "../../src/domain/refusal.ts";
import { noFacts } from "../../src/domain/subscriber.ts";

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

test("what holds goes on holding, but a block of the whole domain holds by itself", () => {
  const known = { since: 1, facts: { ...noFacts, unsubscribed: 2, blocked: 3 } };
  const state = { known, ownBlockAt: null, erased: null };
  assert.deepEqual(keptWhenErased(state), { ...noFacts, unsubscribed: 2 });
  assert.deepEqual(keptWhenErased({ ...state, ownBlockAt: 4 }), { ...noFacts, unsubscribed: 2, blocked: 4 });
  const active = { since: 1, facts: noFacts };
  const erased = { ...noFacts, bounced: 5 };
  assert.equal(keptWhenErased({ ...state, known: active }), null);
  assert.equal(keptWhenErased({ ...state, known: active, erased }), null, "lifted since");
  assert.deepEqual(keptWhenErased({ ...state, known: null, erased }), erased);
  assert.deepEqual(keptWhenErased({ known: null, ownBlockAt: 6, erased: null }), { ...noFacts, blocked: 6 });
  assert.equal(keptWhenErased({ known: null, ownBlockAt: null, erased: null }), null);
});

test("arguments name an address in any spelling, by itself or within a text, and not a part of another", () => {
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
  for (const args of naming) assert.ok(mentions(JSON.stringify(args), ada), JSON.stringify(args));
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
  for (const EMail of others) assert.ok(!mentions(JSON.stringify({ EMail }), ada), EMail);
});

test("arguments of any length and kind are looked through", () => {
  const ada = address("ada@example.org");
  for (const piece of ["@", "a", "a@", "ada@", "ada@example.orgx ", "\\", "'", "."]) {
    const args = piece.repeat(32_768 / piece.length);
    assert.ok(!mentions(args, ada), piece);
    assert.ok(mentions(`${args} ada@example.org`, ada), piece);
  }
});
