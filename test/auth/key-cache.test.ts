import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyCache, MAX_CACHED_KEYS } from "#auth/authenticator.ts";
import { MAX_KEY_LENGTH, storedForm } from "#domain/access/key.ts";

const named = (text: string) => {
  const { hint, length } = storedForm(text);
  const key = {
    id: 1,
    account: 1,
    hint,
    length,
    label: "",
    scope: "full",
    createdAt: 0,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
  } as const;
  return { key, hash: "", client: "a" };
};

test("holds 10,000 keys, and drops the one that expires first for the next", () => {
  const cache = new KeyCache();
  const text = (n: number): string => String(n).padStart(MAX_KEY_LENGTH, "K");
  for (let n = 0; n < MAX_CACHED_KEYS + 50; n += 1) cache.put(text(n), named(text(n)), 0);
  assert.equal(cache.size, MAX_CACHED_KEYS);
  assert.equal(cache.get(text(49), 0), null);
  assert.ok(cache.get(text(50), 0));
  assert.ok(cache.get(text(MAX_CACHED_KEYS + 49), 0));
});

test("keeps a key that is put again as long as the newer one", () => {
  const cache = new KeyCache();
  cache.put("FIRST KEY", named("FIRST KEY"), 0);
  cache.put("SECOND KEY", named("SECOND KEY"), 100);
  cache.put("FIRST KEY", named("FIRST KEY"), 200);
  cache.sweep(600);
  assert.equal(cache.size, 1);
  assert.ok(cache.get("FIRST KEY", 699));
  assert.equal(cache.get("FIRST KEY", 700), null);
});
