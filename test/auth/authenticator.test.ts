/** Authentication: the key cache, look-ups and the brute-force guard together, over a real store. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Authenticator } from "#auth/authenticator.ts";
import { FREE_FAILURES, REFUSED_TRIES, SLOW_FAILURES } from "#auth/brute-force-guard.ts";
import { Fault } from "#contract/faults.ts";
import { type ApiKey, storedForm } from "#domain/access/key.ts";
import { collect } from "#domain/paging.ts";
import { changeFile } from "../cli/contents.ts";
import { startService } from "../service.ts";

const TEXT = "ABCDEFGH12345678";
const HOUR_MS = 3_600_000;
const ALLOWED = FREE_FAILURES + SLOW_FAILURES;

const from = (client: string) => ({ client, account: null, key: null });
const isThrottled = (error: unknown): boolean => error instanceof Fault && error.code === "Throttled";

const service = await startService();
after(() => service.close());
const { store } = service;

/** An authenticator over a real store without keys, with clocks that the test moves. */
async function start(t: TestContext, keyRate: number | null = null) {
  changeFile(join(service.folder, "m.db"), "DELETE FROM api_key");
  const clock = { wall: Date.UTC(2026, 0, 1), monotonic: 5000 };
  const pass = (ms: number): void => {
    clock.wall += ms;
    clock.monotonic += ms;
  };
  const failures: unknown[] = [];
  const restart = (): Authenticator =>
    new Authenticator({
      store,
      clocks: { wall: () => clock.wall, monotonic: () => clock.monotonic, pause: async () => {} },
      keyRate,
      onRefused: () => {},
      onLoadFailed: (error) => failures.push(error),
    });
  const authenticator = restart();
  const create = async (text = TEXT, expiresAt: number | null = null): Promise<ApiKey> => {
    const made = await store.keys.create({
      account: 1,
      ...storedForm(text),
      label: "",
      scope: "full",
      expiresAt,
      at: clock.wall,
    });
    assert.ok(made);
    return made;
  };
  const revoke = ({ id }: ApiKey) => store.keys.revoke({ account: 1, id, at: clock.wall });
  const find = (given: string | null, client = "a") => authenticator.authenticate(given, from(client));
  const exhaust = async (client = "a", of = authenticator): Promise<void> => {
    for (let n = 0; n < ALLOWED; n += 1) await of.authenticate("WRONG-KEY", from(client));
  };
  const byHash = t.mock.method(store.keys, "byHash");
  const recent = t.mock.method(store.keys, "recent");
  /** Look-ups in the database since the last time this was asked. */
  const lookUps = (): number => {
    const count = byHash.mock.callCount();
    byHash.mock.resetCalls();
    return count;
  };
  /** Resolves when the last read of recently used keys has been merged. */
  const recentKeysLoaded = async (): Promise<void> => {
    await recent.mock.calls.at(-1)?.result;
    await setImmediate();
  };
  return {
    clock,
    pass,
    recentKeysLoaded,
    authenticator,
    restart,
    create,
    revoke,
    find,
    exhaust,
    lookUps,
    failures,
  };
}

test("accepts a formerly unknown key as soon as it exists", async (t) => {
  const { find, create } = await start(t);
  assert.equal(await find(TEXT), null);
  const { id } = await create();
  assert.equal((await find(` ${TEXT.toLowerCase()} `))?.id, id);
});

test("rejects a revoked key within half a second", async (t) => {
  const { pass, find, create, revoke } = await start(t);
  const key = await create();
  assert.ok(await find(TEXT));
  await revoke(key);
  pass(501);
  assert.equal(await find(TEXT), null);
});

test("rejects a revoked key within half a second, even if the wall clock is set back an hour", async (t) => {
  const { clock, pass, find, create, revoke } = await start(t);
  const key = await create();
  assert.ok(await find(TEXT));
  await revoke(key);
  clock.wall -= HOUR_MS;
  pass(501);
  assert.equal(await find(TEXT), null);
});

test("rate-limits a client and a key for a minute, even if the wall clock is set back an hour", async (t) => {
  const { clock, pass, find, create, exhaust } = await start(t, 2);
  await create();
  for (let n = 0; n < 2; n += 1) assert.ok(await find(TEXT));
  await assert.rejects(find(TEXT), isThrottled);
  await exhaust();
  await assert.rejects(find("ANOTHER-WRONG-KEY"), isThrottled);
  clock.wall -= HOUR_MS;
  pass(60_000);
  assert.ok(await find(TEXT));
  assert.equal(await find("ANOTHER-WRONG-KEY"), null);
});

test("rejects an expired key from its expiry by the wall clock, cached or not", async (t) => {
  const { clock, find, create } = await start(t);
  await create(TEXT, clock.wall + 100);
  assert.ok(await find(TEXT));
  clock.wall += 100;
  assert.equal(await find(TEXT), null);
});

test("writes the last use of a key to the database by the wall clock, with its network, in one write", async (t) => {
  const { clock, authenticator, find, create } = await start(t);
  const { id } = await create();
  const touch = t.mock.method(store.keys, "touch");
  for (const client of ["203.0.113.5", "2001:db8:0:7::/64"]) {
    clock.wall += 1;
    for (let n = 0; n < 3; n += 1) await find(TEXT, client);
    await authenticator.usage.flush();
    await authenticator.usage.flush();
  }
  assert.equal(touch.mock.callCount(), 2);
  assert.deepEqual(
    touch.mock.calls.map(({ arguments: [{ uses }] }) => uses.map(({ network }) => network)),
    [["203.0.113.0/24"], ["2001:db8:0::/48"]],
  );
  const kept = (await collect(store.keys.all.pages({ account: 1 }))).find((key) => key.id === id);
  assert.equal(kept?.lastUsedAt, clock.wall);
});

test("looks up an uncached key once for many concurrent calls, however it is spelled", async (t) => {
  const { find, create, lookUps } = await start(t);
  const { id } = await create();
  lookUps();
  const spellings = [TEXT, ` ${TEXT}`, TEXT.toLowerCase(), `\n${TEXT}\t`];
  const found = await Promise.all(
    Array.from({ length: 20 }, (_, n) => find(spellings[n % spellings.length] ?? "")),
  );
  assert.deepEqual(new Set(found.map((key) => key?.id)), new Set([id]));
  assert.equal(lookUps(), 1);
});

test("looks up nothing that cannot be a key", async (t) => {
  const { find, lookUps } = await start(t);
  const hostile = [" ".repeat(4 * 1024 ** 2), `${" ".repeat(4 * 1024 ** 2)}${TEXT}`];
  for (const text of [null, "", "short", "x".repeat(5000), ...hostile]) assert.equal(await find(text), null);
  assert.equal(lookUps(), 0);
});

test("caches one entry for any number of spellings of a key, and none for a revoked one", async (t) => {
  const { authenticator, find, create, revoke, pass } = await start(t);
  const key = await create();
  const spellings = Array.from({ length: 20_000 }, (_, n) => {
    const cased = [...TEXT]
      .map((letter, at) => ((n >> (at % 8)) & 1 ? letter.toLowerCase() : letter))
      .join("");
    return `${" ".repeat(n % 800)}${cased}${"\n".repeat(n % 90)}`;
  });
  for (const spelling of spellings) assert.ok(await find(spelling));
  assert.deepEqual(authenticator.sizes, { cached: 1, recent: 1, lookUps: 0 });
  await revoke(key);
  pass(501);
  authenticator.sweep();
  for (const spelling of spellings.slice(0, 20)) assert.equal(await find(spelling), null);
  assert.deepEqual(authenticator.sizes, { cached: 0, recent: 0, lookUps: 0 });
});

test("drops an expired cache entry even if the key is never used again", async (t) => {
  const { authenticator, find, create, pass } = await start(t);
  await create();
  await find(TEXT);
  pass(499);
  authenticator.sweep();
  assert.equal(authenticator.sizes.cached, 1);
  pass(1);
  authenticator.sweep();
  assert.equal(authenticator.sizes.cached, 0);
});

test("looks up for a rate-limited client only keys that worked for it within the last 24 hours", async (t) => {
  const { pass, find, create, exhaust, lookUps } = await start(t);
  await create();
  await create("NEW-KEY-12345678");
  assert.ok(await find(TEXT));
  await exhaust();
  pass(501);
  lookUps();
  for (let n = 0; n < 500; n += 1) await assert.rejects(find(`WRONG-KEY-${n}`), isThrottled);
  assert.equal(lookUps(), 0);
  assert.ok(await find(TEXT));
  assert.equal(lookUps(), 1);
  pass(60_000);
  assert.equal(await find("WRONG-KEY-AGAIN"), null);
  pass(24 * HOUR_MS);
  await exhaust("b");
  await assert.rejects(find("WRONG-KEY-AGAIN", "b"), isThrottled);
});

test("gives a rate-limited client the same answer for a key in use elsewhere, cached or not", async (t) => {
  const { authenticator, pass, find, create, exhaust, lookUps } = await start(t);
  await create();
  assert.ok(await find(TEXT, "owner"));
  await exhaust("searcher");
  lookUps();
  assert.ok(await find(TEXT, "owner"));
  for (const spelling of [TEXT, TEXT.toLowerCase()])
    await assert.rejects(find(spelling, "searcher"), isThrottled);
  pass(501);
  const both = await Promise.allSettled([find(TEXT, "owner"), find(TEXT, "searcher")]);
  assert.deepEqual(
    both.map(({ status }) => status),
    ["fulfilled", "rejected"],
  );
  pass(501);
  await assert.rejects(find(TEXT, "searcher"), isThrottled);
  assert.equal(lookUps(), 1);
  assert.equal(authenticator.guard.refusals, 4);
});

test("keeps accepting from a rate-limited client a key that it used while another client had it cached", async (t) => {
  const { pass, find, create, exhaust } = await start(t);
  await create();
  assert.ok(await find(TEXT, "busy"));
  assert.ok(await find(TEXT, "rare"));
  await exhaust("rare");
  assert.ok(await find(TEXT, "rare"));
  pass(501);
  assert.ok(await find(TEXT, "busy"));
  assert.ok(await find(TEXT, "rare"));
});

test("looks up no key for a rate-limited client 24 hours after its last use, until the minute is over", async (t) => {
  const { pass, find, create, exhaust, authenticator, recentKeysLoaded } = await start(t);
  await create();
  assert.ok(await find(TEXT));
  pass(24 * HOUR_MS);
  await authenticator.usage.flush();
  // The use was long ago by the database too.
  await exhaust();
  await recentKeysLoaded();
  await assert.rejects(find(TEXT), isThrottled);
  pass(60_000);
  assert.ok(await find(TEXT));
});

test("accepts from a rate-limited client keys that worked before a restart or through another process", async (t) => {
  const { pass, clock, restart, create, exhaust, recentKeysLoaded } = await start(t);
  const [before, meanwhile] = [await create(), await create("OTHER-KEY-123456")];
  pass(48 * HOUR_MS);
  await store.keys.touch({ uses: [{ id: before.id, at: clock.wall - 23 * HOUR_MS, network: null }] });
  const restarted = restart();
  await restarted.loadRecentKeys();
  assert.equal(restarted.sizes.recent, 1);
  pass(10_000);
  await store.keys.touch({ uses: [{ id: meanwhile.id, at: clock.wall, network: null }] });
  await exhaust("a", restarted);
  await recentKeysLoaded();
  assert.equal((await restarted.authenticate(TEXT, from("a")))?.id, before.id);
  assert.equal((await restarted.authenticate("OTHER-KEY-123456", from("a")))?.id, meanwhile.id);
  await assert.rejects(restarted.authenticate("WRONG-KEY-123456", from("a")), isThrottled);
});

test("lets a rate-limited client try ten keys that other processes have seen, and those of its network", async (t) => {
  const { clock, pass, restart, create, exhaust, recentKeysLoaded, lookUps } = await start(t);
  const short = "12345678";
  const { id } = await create(short);
  await store.keys.touch({ uses: [{ id, at: clock.wall, network: "198.51.100.0/24" }] });
  /** Whether the key works for a client that is rate-limited and has tried others before. */
  const works = async (client: string, wrongKeys: number): Promise<boolean> => {
    const process = restart();
    await process.loadRecentKeys();
    await exhaust(client, process);
    await recentKeysLoaded();
    const refuses = async (rounds: number): Promise<void> => {
      for (let n = 0; n < rounds; n += 1)
        await assert.rejects(process.authenticate(`WRONG-KEY-${n}`, from(client)), isThrottled);
    };
    await refuses(wrongKeys);
    lookUps();
    const found = await process.authenticate(short, from(client)).catch(isThrottled);
    assert.equal(lookUps(), found === true ? 0 : 1, "what is refused is not looked up");
    if (found === true) {
      pass(60_000);
      await exhaust(client, process);
      await refuses(REFUSED_TRIES - 1);
      assert.ok(await process.authenticate(short, from(client)), "the next minute has ten tries again");
    }
    return found !== true;
  };
  assert.equal(await works("203.0.113.9", REFUSED_TRIES - 1), true);
  assert.equal(await works("203.0.113.9", REFUSED_TRIES), false);
  assert.equal(await works("198.51.100.7", 500), true);
});

test("limits the concurrent look-ups of a client to the allowed failures, without counting recently used keys", async (t) => {
  const { find, create, lookUps } = await start(t);
  await create();
  await find(TEXT);
  lookUps();
  const tried = await Promise.allSettled(
    Array.from({ length: 1000 }, (_, n) => find(n % 10 === 9 ? TEXT.toLowerCase() : `WRONG-KEY-${n}`)),
  );
  assert.equal(tried.filter((one) => one.status === "fulfilled" && one.value !== null).length, 100);
  assert.equal(tried.filter((one) => one.status === "rejected" && isThrottled(one.reason)).length, 860);
  assert.equal(lookUps(), ALLOWED);
});

test("looks up a revoked key of a rate-limited client once", async (t) => {
  const { pass, find, create, revoke, exhaust, lookUps } = await start(t);
  const key = await create();
  assert.ok(await find(TEXT));
  await exhaust();
  await revoke(key);
  pass(501);
  lookUps();
  for (let n = 0; n < 10; n += 1) await assert.rejects(find(TEXT), isThrottled);
  assert.equal(lookUps(), 1);
});

test("reports a failed read of recently used keys, and keeps accepting known ones", async (t) => {
  const { find, create, exhaust, failures } = await start(t);
  await create();
  await find(TEXT);
  t.mock.method(store.keys, "recent", () => Promise.reject(new Error("away")));
  await exhaust();
  assert.ok(await find(TEXT));
  assert.equal(failures.length, 1);
});
