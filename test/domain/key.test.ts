/** API keys as callers write them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { hashKey, isShort, isUsable, newKey, parseKey } from "#domain/access/key.ts";

const NOW = Date.UTC(2026, 10, 14, 9, 30);

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const heapInUse = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

describe("a key", () => {
  test("that is generated has 32 upper-case hexadecimal digits, and is unique", () => {
    assert.match(newKey(), /^[0-9A-F]{32}$/);
    assert.notEqual(newKey(), newKey());
  });
  test("is compared ignoring case and the white space around it", () => {
    assert.equal(parseKey("  abcdef12\n"), parseKey("ABCDEF12"));
    assert.ok(hashKey("ABCDEF12").equals(hashKey(parseKey(" abcdef12 ") ?? "")));
  });
  test("is 8 to 128 printable characters", () => {
    for (const text of [null, "", "1234567", "x".repeat(129), "with space", "umlaut-ü"])
      assert.equal(parseKey(text), null, String(text));
    assert.equal(parseKey("x".repeat(128))?.length, 128);
  });
  test("may have white space around it, up to 1,024 characters in all", () => {
    assert.equal(parseKey(`${"\n".repeat(1000)}ABCDEF12`), "ABCDEF12");
    assert.equal(parseKey(`ABCDEF12${" ".repeat(1016)}`), "ABCDEF12");
    assert.equal(parseKey(`ABCDEF12${" ".repeat(1017)}`), null);
  });
  test("does not keep its message in memory", () => {
    const before = heapInUse();
    const kept = Array.from({ length: 64 }, (_, n) => {
      const message = `${"x".repeat(1024 ** 2)}${n}-0123456789ABCDEF0123456789ABCDEF`;
      // Read once, so that it is one text and not a tree of them.
      assert.equal(message.at(-1), "F");
      return parseKey(message.slice(1024 ** 2));
    });
    assert.ok(heapInUse() - before < 16 * 1024 ** 2);
    assert.equal(kept[63], "63-0123456789ABCDEF0123456789ABCDEF");
  });
  test("of fewer than 16 characters is short; one of unknown length is not", () => {
    assert.equal(isShort({ length: 15 }), true);
    assert.equal(isShort({ length: 16 }), false);
    assert.equal(isShort({ length: null }), false);
  });
  test("works until it expires or is revoked", () => {
    const key = {
      id: 1,
      account: 1,
      hint: "ABCD",
      length: 32,
      label: "",
      scope: "full",
      createdAt: 0,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    } as const;
    assert.equal(isUsable(key, NOW), true);
    assert.equal(isUsable({ ...key, expiresAt: NOW + 1 }, NOW), true);
    assert.equal(isUsable({ ...key, expiresAt: NOW }, NOW), false);
    assert.equal(isUsable({ ...key, revokedAt: NOW - 1 }, NOW), false);
  });
});
