/** Rate limits over real connections: API-key guessing, and keys that call too often. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { FREE_FAILURES, SLOW_FAILURES } from "#auth/brute-force-guard.ts";
import { hashKey, storedForm } from "#domain/access/key.ts";
import { collect } from "#domain/paging.ts";
import { wrapPort } from "#transfer/import/retrying-store.ts";
import { parseOpenMetrics, valueIn } from "../metrics/open-metrics.ts";
import { call, KEY, type SoapAnswer, startService, withKey } from "../service.ts";

const WRONG = "FEDCBA9876543210FEDCBA9876543210";

type Flags = Readonly<Record<string, string>>;
const behindProxy = { "trusted-proxies": "127.0.0.0/8, ::1" };
const TWO_DAYS_MS = 2 * 86_400_000;

async function startWithClock(flags: Flags) {
  /** `putBack`: how far the wall clock was set back. */
  const clock = { now: Date.UTC(2026, 0, 1), putBack: 0 };
  const clocks = { wall: () => clock.now - clock.putBack, monotonic: () => clock.now };
  return { service: await startService(flags, clocks), clock };
}

/** By their flags: starting one takes longer than a test. */
const started = new Map<string, ReturnType<typeof startWithClock>>();
after(async () => {
  for (const one of started.values()) await (await one).service.close();
});

/** A service whose rate limits are unused: what earlier tests did is two days ago. */
async function start(flags: Flags = {}) {
  const name = JSON.stringify(flags);
  const used = started.get(name);
  const one = used ?? startWithClock(flags);
  started.set(name, one);
  const { service, clock } = await one;
  if (used !== undefined) clock.now += TWO_DAYS_MS;
  const ask = (operation: string, key: string, headers: Readonly<Record<string, string>> = {}) =>
    call(service, operation, withKey("", key), headers);
  /** As many failures as are answered before the limit applies. */
  const exhaust = (headers: Readonly<Record<string, string>> = {}): Promise<readonly SoapAnswer[]> =>
    Promise.all(
      Array.from({ length: FREE_FAILURES + SLOW_FAILURES }, () => ask("Field.GetFields", WRONG, headers)),
    );
  return { service, clock, ask, exhaust };
}

test("rate-limits a client with many authentication failures for a minute, but not working keys from the same address", async () => {
  const { service, clock, ask, exhaust } = await start();
  for (const { code } of await exhaust()) assert.equal(code, "InvalidApiKey");
  for (const operation of ["Field.GetFields", "Client.TestApiConnection", "Subscriber.Add"])
    for (const key of [WRONG, "short", ""]) {
      const refused = await ask(operation, key);
      assert.equal(refused.code, "Throttled", operation);
      assert.equal(refused.status, 503);
      assert.equal(refused.headers.get("retry-after"), "60");
      assert.match(refused.body, /<faultcode>soap:Server<\/faultcode>/);
      assert.equal((await ask("Client.TestApiConnection", KEY)).result, "true");
    }
  const fields = (key: string) =>
    fetch(`${service.origin}/api/v1/fields`, { headers: { Authorization: `Bearer ${key}` } });
  const refused = await fields(WRONG);
  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get("retry-after"), "60");
  assert.match(await refused.text(), /"code":"Throttled"/);
  assert.equal((await fields(KEY)).status, 200);
  clock.now += 60_000;
  assert.equal((await ask("Field.GetFields", WRONG)).code, "InvalidApiKey");
  assert.equal((await ask("Client.TestApiConnection", WRONG)).result, "false");
});

test("looks up no wrong keys of a rate-limited client, and keeps accepting keys that worked before", async (t) => {
  const { service, clock, ask, exhaust } = await start();
  assert.equal((await ask("Client.TestApiConnection", KEY)).result, "true");
  await exhaust();
  const lookUps = t.mock.method(service.store.keys, "byHash");
  const fields = (key: string) =>
    fetch(`${service.origin}/api/v1/fields`, { headers: { Authorization: `Bearer ${key}` } });
  for (let n = 0; n < 100; n += 1) {
    const wrong = `${n}-${WRONG}`;
    assert.equal((await ask("Client.TestApiConnection", wrong)).code, "Throttled");
    assert.equal((await ask("Field.GetFields", wrong)).code, "Throttled");
    assert.equal((await fields(wrong)).status, 503);
  }
  assert.equal(lookUps.mock.callCount(), 0);
  clock.now += 1000;
  assert.equal((await ask("Client.TestApiConnection", KEY)).result, "true");
  clock.now += 1000;
  assert.equal((await fields(KEY.toLowerCase())).status, 200);
  assert.equal(lookUps.mock.callCount(), 2);
});

test("gives a rate-limited client the same answer for a key that is in use elsewhere", async () => {
  const { ask, exhaust } = await start(behindProxy);
  const [owner, searcher] = [{ "X-Forwarded-For": "198.51.100.1" }, { "X-Forwarded-For": "198.51.100.2" }];
  const test = (headers: Readonly<Record<string, string>>) => ask("Client.TestApiConnection", KEY, headers);
  assert.equal((await test(owner)).result, "true");
  await exhaust(searcher);
  assert.equal((await test(searcher)).code, "Throttled");
  assert.equal((await test(owner)).result, "true");
  assert.equal((await test(searcher)).code, "Throttled");
});

test("refuses a new key of a rate-limited client for a minute at most, though the key guessing goes on", async () => {
  const { service, clock, ask, exhaust } = await start();
  await exhaust();
  const fresh = "00000000111111112222222233333333";
  await service.store.keys.create({
    account: 1,
    ...storedForm(fresh),
    label: "",
    scope: "full",
    expiresAt: null,
    at: clock.now,
  });
  assert.equal((await ask("Client.TestApiConnection", fresh)).code, "Throttled");
  clock.now += 60_000;
  await exhaust();
  assert.equal((await ask("Field.GetFields", WRONG)).code, "Throttled");
  assert.equal((await ask("Client.TestApiConnection", fresh)).result, "true");
});

test("ends rate limits after a minute and revoked keys within half a second, even if the wall clock is set back an hour", async () => {
  const { service, clock, ask, exhaust } = await start({ "key-rate": "2" });
  await exhaust();
  for (let n = 0; n < 2; n += 1) await ask("Client.TestApiConnection", KEY);
  clock.putBack = 3_600_000;
  for (const key of [KEY, WRONG])
    assert.equal((await ask("Client.TestApiConnection", key)).headers.get("retry-after"), "60");
  clock.now += 60_000;
  assert.equal((await ask("Client.TestApiConnection", WRONG)).result, "false");
  assert.equal((await ask("Client.TestApiConnection", KEY)).result, "true");
  clock.putBack += 3_600_000;
  const [key] = await collect(service.store.keys.all.pages({ account: 1 }));
  await service.store.keys.revoke({ account: 1, id: key?.id ?? 0, at: clock.now });
  clock.now += 500;
  assert.equal((await ask("Client.TestApiConnection", KEY)).result, "false");
});

test("counts authentication failures of the JSON API together with those of SOAP calls", async () => {
  const { service, ask } = await start();
  const failures = Array.from({ length: FREE_FAILURES + SLOW_FAILURES }, () =>
    fetch(`${service.origin}/api/v1/fields`, { headers: { Authorization: `Bearer ${WRONG}` } }),
  );
  for (const { status } of await Promise.all(failures)) assert.equal(status, 401);
  assert.equal((await ask("Field.GetFields", WRONG)).code, "Throttled");
});

test("counts every authentication failure and every 503 with Retry-After in the metrics", async () => {
  const { service, ask, exhaust } = await start({ "metrics-port": "0", "key-rate": "2" });
  await exhaust();
  for (let n = 0; n < 5; n += 1) await ask("Client.TestApiConnection", KEY);
  for (let n = 0; n < 10; n += 1) await ask("Client.TestApiConnection", WRONG);
  await fetch(`${service.origin}/api/v1/fields`, { headers: { Authorization: `Bearer ${WRONG}` } });
  const families = parseOpenMetrics(
    await (await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`)).text(),
  );
  const throttled = (cause: string) => valueIn(families, "mailroll_throttled_total", { cause });
  assert.equal(
    valueIn(families, "mailroll_authentication_failures_total"),
    FREE_FAILURES + SLOW_FAILURES + 11,
  );
  assert.equal(throttled("authentication_failures"), 11);
  assert.equal(throttled("key_rate"), 3);
  assert.equal(valueIn(families, "mailroll_throttled_total"), 14);
});

test("ignores X-Forwarded-For where no proxy is trusted", async () => {
  const { ask, exhaust } = await start();
  await exhaust({ "X-Forwarded-For": "198.51.100.1" });
  assert.equal(
    (await ask("Field.GetFields", WRONG, { "X-Forwarded-For": "198.51.100.2" })).code,
    "Throttled",
  );
});

test("tells clients behind a trusted proxy apart by the address that the proxy appended, not by what they sent", async () => {
  const { ask, exhaust } = await start(behindProxy);
  await exhaust({ "X-Forwarded-For": "198.51.100.1" });
  const code = async (forwarded: string) =>
    (await ask("Field.GetFields", WRONG, { "X-Forwarded-For": forwarded })).code;
  assert.equal(await code("198.51.100.1"), "Throttled");
  assert.equal(await code("203.0.113.9, 198.51.100.1"), "Throttled");
  assert.equal(await code("198.51.100.2"), "InvalidApiKey");
  assert.equal(await code("198.51.100.1, 198.51.100.2"), "InvalidApiKey");
});

test("ignores X-Forwarded-Host and X-Forwarded-Proto even from a trusted proxy", async () => {
  const { service } = await start(behindProxy);
  const headers = { "X-Forwarded-Host": "evil.example.org", "X-Forwarded-Proto": "https" };
  const wsdl = await (await fetch(`${service.origin}/default.asmx?wsdl`, { headers })).text();
  assert.ok(wsdl.includes(`location="${service.origin}/default.asmx"`));
  assert.ok(!wsdl.includes("evil") && !wsdl.includes("https:"));
});

test("answers a key over its rate with Retry-After, and serves other keys", async () => {
  const { service, clock, ask } = await start({ "key-rate": "5" });
  const other = "00000000111111112222222233333333";
  await service.store.keys.create({
    account: 1,
    ...storedForm(other),
    label: "other",
    scope: "read",
    expiresAt: null,
    at: 0,
  });
  for (let n = 0; n < 5; n += 1) assert.equal((await ask("Client.TestApiConnection", KEY)).result, "true");
  clock.now += 12_000;
  for (const operation of ["Client.TestApiConnection", "Subscriber.Add"]) {
    const refused = await ask(operation, KEY);
    assert.equal(refused.code, "Throttled");
    assert.equal(refused.headers.get("retry-after"), "48");
  }
  const json = await fetch(`${service.origin}/api/v1/fields`, {
    headers: { Authorization: `Bearer ${KEY}` },
  });
  assert.equal(json.status, 503);
  assert.equal((await ask("Client.TestApiConnection", other)).result, "true");
  clock.now += 48_000;
  assert.equal((await ask("Client.TestApiConnection", KEY)).result, "true");
});

/**
 * The duration of a lookup helps nobody to guess a key. The database looks up the SHA-256 of the given text.
 * An index that compares it byte by byte reveals at most how many leading bytes of two hashes agree, and
 * nobody can choose a text by its hash. Cached keys are found by the hash of a JavaScript string, which has a
 * random seed in each process, and are compared only if that hash agrees.
 */
test("looks up a key by its hash and by nothing else", async (t) => {
  const { service, ask } = await start();
  const asked: unknown[] = [];
  const { keys } = service.store;
  const own = { ...keys };
  t.after(() => Object.assign(keys, own));
  Object.assign(
    keys,
    wrapPort(keys, (method) => assert.fail(`unexpected ${method}`)),
  );
  keys.byHash = (args) => {
    asked.push(args);
    return own.byHash(args);
  };
  const near = `${KEY.slice(0, -1)}E`;
  assert.equal((await ask("Client.TestApiConnection", near)).result, "false");
  assert.deepEqual(asked, [{ hash: hashKey(near) }]);
  const agreeing = hashKey(near).findIndex((byte, at) => byte !== hashKey(KEY)[at]);
  assert.ok(agreeing < 4, "31 digits right, and the hash is another from its first bytes on");
});
