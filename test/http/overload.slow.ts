/** Overload: admitted calls are served, the rest gets 503 with Retry-After at once. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { MAX_PAUSE_MS, MAX_PER_ITERATION, SMALL_BODY } from "#admission/admission.ts";
import { type Limits, limitsFor } from "#admission/limits.ts";
import { wrapPort } from "#transfer/import/retrying-store.ts";
import { recordBounces } from "../bounces.ts";
import { parseOpenMetrics, valueIn } from "../metrics/open-metrics.ts";
import { call, KEY, type Service, startService, withKey } from "../service.ts";

const roomy = limitsFor(4 * 1024 ** 2);

async function start(t: TestContext, limits: Partial<Limits>): Promise<Service> {
  const service = await startService({ "metrics-port": "0" }, Date.now, { ...roomy, ...limits });
  t.after(() => service.close());
  return service;
}

async function numbersOf({ metricsPort }: Service) {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const families = parseOpenMetrics(text);
  return {
    now: (name: "requests_in_flight" | "lists_streaming" | "buffered_body_bytes") =>
      valueIn(families, `mailroll_${name}`),
    throttled: (cause: string) => valueIn(families, "mailroll_throttled_total", { cause }),
    allThrottled: valueIn(families, "mailroll_throttled_total"),
  };
}

/** Blocks calls about subscribers until the gate is opened; `waiting` is the number of blocked calls. */
function gateBefore(service: Service) {
  const { store } = service;
  const gate = Promise.withResolvers<void>();
  const state = { waiting: 0, open: gate.resolve };
  const gated = wrapPort(store.subscribers, async (_, call) => {
    state.waiting += 1;
    await gate.promise;
    return call();
  });
  Object.assign(store.subscribers, gated);
  return state;
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const add = (n: number): string =>
  withKey(`<SubscribersListID>1</SubscribersListID><EMail>p${n}@example.org</EMail>`);
const isServed = async (service: Service): Promise<void> =>
  assert.equal((await call(service, "Client.TestApiConnection", withKey())).result, "true");

describe("calls in flight", () => {
  test("answers calls beyond the limit with Throttled at once, and accepts new ones when others have ended", async (t) => {
    const MOST = 20;
    const service = await start(t, { inFlight: MOST });
    await isServed(service);
    const gate = gateBefore(service);
    const admitted = Array.from({ length: MOST }, (_, n) => call(service, "Subscriber.Add", add(n)));
    while (gate.waiting < MOST) await turn();
    for (let n = 0; n < 100; n += 1) {
      const refused = await call(service, "Client.TestApiConnection", withKey());
      assert.equal(refused.code, "Throttled");
      assert.equal(refused.status, 503);
      assert.match(refused.headers.get("retry-after") ?? "", /^[1-5]$/);
    }
    const newer = await fetch(`${service.origin}/default.asmx`, {
      method: "POST",
      headers: { "Content-Type": "application/soap+xml; charset=utf-8" },
      body: "this is not even XML",
    });
    assert.equal(newer.status, 503);
    assert.match(newer.headers.get("content-type") ?? "", /^application\/soap\+xml/);
    assert.match(
      await newer.text(),
      /<soap12:Value>soap12:Receiver<\/soap12:Value>.*<code>Throttled<\/code>/,
    );
    const json = await fetch(`${service.origin}/api/v1/fields`, { headers: { Authorization: "Bearer x" } });
    assert.equal(json.status, 503);
    assert.match(await json.text(), /"code":"Throttled"/);
    assert.equal((await fetch(`${service.origin}/healthz`)).status, 200);
    assert.equal(gate.waiting, MOST);
    const full = await numbersOf(service);
    assert.equal(full.now("requests_in_flight"), MOST);
    assert.equal(full.throttled("calls"), 102);
    assert.equal(full.allThrottled, 102);
    gate.open();
    for (const { result } of await Promise.all(admitted)) assert.equal(result, "0");
    await isServed(service);
    assert.equal((await numbersOf(service)).now("requests_in_flight"), 0);
    const lists = await call(service, "Client.GetSubscribersLists", withKey());
    assert.match(lists.body, new RegExp(`<SubscribersQuantity>${MOST}<`), "nothing of the others was done");
  });

  test("frees the place of calls that end in a fault or whose client disconnects", async (t) => {
    const service = await start(t, { inFlight: 3, bodyBytes: 64 * 1024 });
    for (let n = 0; n < 20; n += 1) {
      assert.equal((await call(service, "Field.GetFields", withKey("", "no"))).code, "InvalidApiKey");
      const post = (body: string | Buffer, headers: Readonly<Record<string, string>> = {}) =>
        fetch(`${service.origin}/default.asmx`, {
          method: "POST",
          headers: { "Content-Type": "text/xml", ...headers },
          body: typeof body === "string" ? body : new Uint8Array(body),
        });
      assert.equal((await post("<not xml")).status, 400);
      const fields = { headers: { Authorization: `Bearer ${KEY}` } };
      assert.equal((await fetch(`${service.origin}/api/v1/fields`, fields)).status, 200);
      assert.equal((await post("not gzip", { "Content-Encoding": "gzip" })).status, 400);
      assert.equal((await post(gzipSync(" ".repeat(20_000)), { "Content-Encoding": "gzip" })).status, 400);
      assert.equal((await post(" ".repeat(5_000_000))).status, 413);
      await vanish(
        service,
        "POST /default.asmx HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\n",
        20_000,
      );
    }
    await isServed(service);
    const large = withKey(`<!--${"x".repeat(40_000)}-->`);
    assert.equal((await call(service, "Client.TestApiConnection", large)).result, "true");
  });
});

/** Sends a head and part of a body, then disconnects. */
const vanish = (service: Service, head: string, bytes: number): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(service.port, "127.0.0.1", () =>
      socket.write(`${head}${"x".repeat(bytes)}`, () => socket.destroy()),
    );
    socket.on("close", () => resolve());
  });

describe("bodies in memory", () => {
  const BYTES = 256 * 1024;
  /** Sends a body without its last byte, and waits until the service has read as much as it will. */
  async function stuck(service: Service, bytes: number): Promise<Socket> {
    const socket = connect(service.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(`POST /default.asmx HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes + 1}\r\n\r\n`);
    await new Promise((resolve) => socket.write("x".repeat(bytes), resolve));
    return socket;
  }
  const large = (bytes: number): string => withKey(`<!--${"x".repeat(bytes)}-->`);

  test("answers large bodies beyond the memory limit with Throttled, and still accepts small ones", async (t) => {
    const service = await start(t, { bodyBytes: BYTES });
    const ask = (params: string) => call(service, "Client.TestApiConnection", params);
    assert.equal((await ask(large(100_000))).result, "true");
    const sockets: Socket[] = [];
    let refused = await ask(large(100_000));
    // One after the other: if many start at once, each may get a part of the memory, and most release it
    // again.
    while (refused.code === null) {
      sockets.push(await stuck(service, 60_000));
      refused = await ask(large(100_000));
    }
    // Small bodies fill the remaining memory and exceed it.
    sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => stuck(service, 3000)))));
    do refused = await ask(large(5000));
    while (refused.code === null);
    assert.equal(refused.code, "Throttled");
    assert.equal(refused.status, 503);
    const full = await numbersOf(service);
    assert.ok(full.now("buffered_body_bytes") > BYTES / 2, `${full.now("buffered_body_bytes")}`);
    assert.ok(full.throttled("bodies") >= 1);
    assert.equal(full.allThrottled, full.throttled("bodies"));
    for (let n = 0; n < 20; n += 1) await isServed(service);
    assert.equal((await ask(large(SMALL_BODY - 1000))).result, "true");
    for (const socket of sockets) socket.destroy();
    let again = await ask(large(100_000));
    while (again.code === "Throttled") again = await ask(large(100_000));
    assert.equal(again.result, "true");
  });

  test("counts compressed bodies by their inflated size", async (t) => {
    const service = await start(t, { bodyBytes: BYTES });
    const bomb = (bytes: number) =>
      fetch(`${service.origin}/default.asmx`, {
        method: "POST",
        headers: { "Content-Type": "text/xml", "Content-Encoding": "gzip" },
        body: new Uint8Array(gzipSync(" ".repeat(bytes))),
      });
    assert.equal((await bomb(BYTES / 2)).status, 400);
    const refused = await bomb(2 * BYTES);
    assert.equal(refused.status, 503);
    assert.match(await refused.text(), /<code>Throttled<\/code>/);
    assert.equal((await bomb(BYTES / 2)).status, 400);
    const { throttled, allThrottled, now } = await numbersOf(service);
    assert.deepEqual([throttled("bodies"), allThrottled, now("buffered_body_bytes")], [1, 1, 0]);
  });
});

test("answers a long list beyond the limit with Throttled, and closes what it had opened", async (t) => {
  const ROWS = 1500;
  const service = await start(t, { lists: 2 });
  const { store } = service;
  const addresses = Array.from({ length: ROWS }, (_, n) => `p${n}@example.org`);
  const campaign = await recordBounces(store, addresses);
  const gate = Promise.withResolvers<void>();
  const subscribersByEvent = store.campaigns.subscribersByEvent.bind(store.campaigns);
  const lists = { begun: 0, over: 0 };
  store.campaigns.subscribersByEvent = async function* (args, form) {
    lists.begun += 1;
    try {
      for await (const page of subscribersByEvent(args, form)) {
        yield page;
        await gate.promise;
      }
    } finally {
      lists.over += 1;
    }
  };
  const ask = () =>
    call(service, "Campaign.GetHardBouncesList", withKey(`<CampaignID>${campaign}</CampaignID>`));
  const rowsOf = ({ body }: { readonly body: string }): number => body.split("<EMail>").length - 1;
  const admitted = [ask(), ask()];
  while (lists.begun < 2) await turn();
  // A list has its slot once its first page was read; by then, later calls are answered.
  for (let n = 0; n < 20; n += 1) await isServed(service);
  assert.equal((await ask()).code, "Throttled");
  assert.deepEqual(lists, { begun: 3, over: 1 });
  const full = await numbersOf(service);
  assert.deepEqual([full.now("lists_streaming"), full.throttled("lists"), full.allThrottled], [2, 1, 1]);
  gate.resolve();
  for (const answer of await Promise.all(admitted)) assert.equal(rowsOf(answer), ROWS);
  assert.equal(lists.over, 3);
  assert.equal(rowsOf(await ask()), ROWS);
});

test("answers some calls with Throttled while more connections call than can be read in time, and none afterwards", async (t) => {
  const service = await start(t, {});
  await isServed(service);
  const sockets = Array.from({ length: 4 * MAX_PER_ITERATION }, () => connect(service.port, "127.0.0.1"));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  const body = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><Client.TestApiConnection xmlns="${service.origin}">${withKey()}</Client.TestApiConnection></e:Body></e:Envelope>`;
  const request = `POST /default.asmx HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const all = (): Promise<string>[] => {
    const answers = sockets.map(async (socket) => String((await once(socket, "data")) as [Buffer]));
    for (const socket of sockets) socket.write(request);
    return answers;
  };
  const isDone = (answer: string): boolean => answer.includes("Result>true<");
  const isRejected = (answer: string): boolean =>
    /^HTTP\/1\.1 503 .*\r\nRetry-After: 5\r\n.*<code>Throttled</s.test(answer);
  // The first requests arrive one by one, with their connections.
  assert.ok((await Promise.all(all())).every(isDone));
  let rejected = 0;
  // How many connections are paused when the others are answered is a matter of chance.
  while (rejected === 0) {
    const before = all();
    await Promise.race(before);
    // Blocks the event loop, which the service shares, for longer than the longest allowed pause.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, MAX_PAUSE_MS + 100);
    const answers = [...(await Promise.all(before)), ...(await Promise.all(all()))];
    rejected = answers.filter(isRejected).length;
    assert.equal(answers.filter(isDone).length + rejected, answers.length);
    assert.ok(rejected <= answers.length / 2);
  }
  t.diagnostic(`${rejected} rejected`);
  while (!(await Promise.all(all())).every(isDone));
});
