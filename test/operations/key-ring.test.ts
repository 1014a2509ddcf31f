import assert from "node:assert/strict";
import { mock, type TestContext, test } from "node:test";
import { type ApiKey, hashKey } from "../../src/domain/key.ts";
import { KeyRing } from "../../src/operations/key-ring.ts";
import { startService } from "../service.ts";

const TEXT = "ABCDEFGH12345678";

/** A key ring over a real store, with a clock that the test moves. */
async function ring(t: TestContext) {
  const service = await startService();
  t.after(() => service.close());
  const clock = { now: 1_000_000 };
  const keys = new KeyRing(service.store, () => clock.now);
  const create = async (expiresAt: number | null = null): Promise<ApiKey> => {
    const key = {
      account: 1,
      hash: hashKey(TEXT),
      hint: "ABCD",
      label: "",
      scope: "full",
      expiresAt,
      at: 0,
    } as const;
    const made = await service.store.write("createKey", key);
    assert.ok(made);
    return made;
  };
  return { service, clock, keys, create };
}

test("a key that was unknown works as soon as it exists", async (t) => {
  const { keys, create } = await ring(t);
  assert.equal(await keys.find(TEXT), null);
  const { id } = await create();
  assert.equal((await keys.find(` ${TEXT.toLowerCase()} `))?.id, id);
});

test("a revoked key stops within half a second", async (t) => {
  const { service, clock, keys, create } = await ring(t);
  const { id } = await create();
  assert.ok(await keys.find(TEXT));
  await service.store.write("revokeKey", { account: 1, id, at: clock.now });
  clock.now += 501;
  assert.equal(await keys.find(TEXT), null);
});

test("a key that expires stops at that moment, remembered or not", async (t) => {
  const { clock, keys, create } = await ring(t);
  await create(clock.now + 100);
  assert.ok(await keys.find(TEXT));
  clock.now += 100;
  assert.equal(await keys.find(TEXT), null);
});

test("when a key was last used is written down now and then", async (t) => {
  const { service, clock, keys, create } = await ring(t);
  const { id } = await create();
  await keys.find(TEXT);
  await keys.noteUses();
  const kept = (await service.store.read("keys", { account: 1 })).find((key) => key.id === id);
  assert.equal(kept?.lastUsedAt, clock.now);
});

test("many calls with a key that has to be looked up ask once", async (t) => {
  const { service, keys, create } = await ring(t);
  const { id } = await create();
  const read = mock.method(service.store, "read");
  const found = await Promise.all(Array.from({ length: 20 }, () => keys.find(TEXT)));
  assert.deepEqual(new Set(found.map((key) => key?.id)), new Set([id]));
  assert.equal(read.mock.callCount(), 1);
});

test("what is no key at all is not even looked up", async (t) => {
  const { keys } = await ring(t);
  for (const text of [null, "", "short", "x".repeat(5000)]) assert.equal(await keys.find(text), null);
});
