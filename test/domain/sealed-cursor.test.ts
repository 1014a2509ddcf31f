/** Cursors as clients get them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { keyFor, newInstallationSecret } from "#domain/access/key.ts";
import { InvalidCursor } from "#domain/ports/errors.ts";
import { cursorKey, decryptCursor, encryptCursor } from "#web/cursors.ts";

const secret = newInstallationSecret();
const key = cursorKey(secret);
const place = { listing: "subscriber.list", account: 1 };
const cursor = Buffer.from(JSON.stringify(["ada@example.org", 7])).toString("base64url");

test("opens what it has sealed", () => {
  for (const text of [cursor, "", "ä😀\0", "x".repeat(2000)])
    assert.equal(decryptCursor(key, place, encryptCursor(key, place, text)), text);
});

test("shows nothing of a cursor, and never the same text twice", () => {
  const sealed = [encryptCursor(key, place, cursor), encryptCursor(key, place, cursor)];
  assert.notEqual(sealed[0], sealed[1]);
  for (const text of sealed) {
    assert.match(text, /^[\w-]+$/, "a URL can contain it");
    assert.doesNotMatch(Buffer.from(text, "base64url").toString("latin1"), /ada|example/);
    assert.ok(!text.includes(cursor));
  }
});

test("refuses a cursor of another listing, account or installation", () => {
  const sealed = encryptCursor(key, place, cursor);
  for (const other of [
    { ...place, account: 2 },
    { ...place, account: null },
    { ...place, listing: "list.list" },
    { listing: "subscriber.list,1", account: null },
  ])
    assert.throws(() => decryptCursor(key, other, sealed), InvalidCursor, JSON.stringify(other));
  assert.throws(() => decryptCursor(cursorKey(newInstallationSecret()), place, sealed), InvalidCursor);
});

test("refuses everything that it has not sealed", () => {
  const sealed = encryptCursor(key, place, cursor);
  const bytes = Buffer.from(sealed, "base64url");
  for (const index of bytes.keys()) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    assert.throws(() => decryptCursor(key, place, changed.toString("base64url")), InvalidCursor);
  }
  const hostile = ["", "x", cursor, sealed.slice(0, -4), `${sealed}AAAA`, ` ${sealed}`, `${sealed}=`, "é"];
  for (const text of [...hostile, "A".repeat(100_000), Buffer.alloc(28).toString("base64url")])
    assert.throws(() => decryptCursor(key, place, text), InvalidCursor, text.slice(0, 40));
});

test("derives a different key for each purpose", () => {
  const keys = [keyFor(secret, "cursors"), keyFor(secret, "links"), Uint8Array.from(secret)];
  assert.equal(new Set(keys.map((one) => Buffer.from(one).toString("hex"))).size, 3);
  assert.deepEqual(keyFor(secret, "cursors"), key);
});
