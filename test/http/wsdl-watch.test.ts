/** Programs that read the WSDL and then make no call are logged and counted; working ones are not. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { promisify } from "node:util";
import { Log } from "#app/log/log.ts";
import { parseOpenMetrics, valueIn } from "../metrics/open-metrics.ts";
import { type Service, startService } from "../service.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const MESSAGE = "wsdl fetched, no call followed";

const folder = mkdtempSync(join(tmpdir(), "mailroll-wsdl-watch-"));
const file = join(folder, "log");
// Never closed: the log writes late, and would write into whatever has the same number by then.
const descriptor = openSync(file, "w");
const log = new Log("info", descriptor);
let now = 1;
let service: Service;

before(async () => {
  const clocks = { wall: Date.now, monotonic: () => now };
  const flags = { "metrics-port": "0", "trusted-proxies": "127.0.0.1", paths: "/api/service.asmx" };
  service = await startService(flags, clocks, undefined, log);
});
after(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});
/** Forgets the requests of earlier tests. */
beforeEach(() => {
  now += 2 * DAY;
});

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly client?: string;
  readonly userAgent?: string;
}

function send({ method = "GET", path = "/default.asmx?wsdl", client, userAgent }: Sent): Promise<number> {
  const headers: Record<string, string> = { "Content-Type": "text/xml" };
  if (client !== undefined) headers["X-Forwarded-For"] = client;
  if (userAgent !== undefined) headers["User-Agent"] = userAgent;
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port: service.port, method, path, headers }, (response) =>
      response.resume().on("end", () => resolve(response.statusCode ?? 0)),
    );
    sent.on("error", reject);
    sent.end();
  });
}

/** The log lines about this client. A further read makes the service check the clock. */
async function linesOf(client: string): Promise<readonly Record<string, unknown>[]> {
  await send({ client: "203.0.113.99", userAgent: "looks" });
  await log.flush();
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.includes(MESSAGE) && line.includes(`"${client}"`))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
const counted = async (): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`);
  return valueIn(parseOpenMetrics(await response.text()), "mailroll_wsdl_unfollowed_total");
};

describe("a program that reads the WSDL", () => {
  test("and does not call leaves one line with client, User-Agent and how often, and is counted", async () => {
    const client = "203.0.113.1";
    const countedBefore = await counted();
    for (const path of ["/default.asmx?wsdl", "/API/service.asmx?x=1&WSDL", "/default.asmx?wsdl&names=short"])
      assert.equal(await send({ path, client, userAgent: "Shop/1.0" }), 200);
    now += 10 * MINUTE;
    const [line, ...others] = await linesOf(client);
    assert.equal(line?.level, "warn");
    assert.equal(line.msg, MESSAGE);
    assert.equal(line.user_agent, "Shop/1.0");
    assert.equal(line.reads, 3);
    assert.deepEqual(others, []);
    assert.equal((await counted()) - countedBefore, 1);
  });

  test("and calls, by whichever path and with whatever success, leaves none", async () => {
    for (const [nth, path] of ["/default.asmx", "/api/service.asmx"].entries()) {
      const caller = { client: `203.0.113.${10 + nth}`, userAgent: "Shop/1.0" };
      await send(caller);
      now += 9 * MINUTE;
      assert.equal(await send({ ...caller, method: "POST", path }), 400);
      now += 10 * MINUTE;
      assert.deepEqual(await linesOf(caller.client), []);
    }
  });

  test("and posts SOAP to a path that is no endpoint leaves none: the fault is logged", async () => {
    const caller = { client: "203.0.113.20", userAgent: "Shop/1.0" };
    await send(caller);
    assert.equal(await send({ ...caller, method: "POST", path: "/elsewhere.asmx" }), 500);
    now += 10 * MINUTE;
    assert.deepEqual(await linesOf(caller.client), []);
  });

  test("is known by the address that a trusted proxy names, of IPv6 by its network", async () => {
    await send({ client: "2001:db8:1:2::7", userAgent: "Shop/1.0" });
    await send({ method: "POST", path: "/default.asmx", client: "203.0.113.30", userAgent: "Shop/1.0" });
    now += 10 * MINUTE;
    assert.equal((await linesOf("2001:db8:1:2::/64")).length, 1);
  });
});

test("other documents, and a WSDL of which only the headers are read, leave no line", async () => {
  const caller = { client: "203.0.113.40", userAgent: "Browser" };
  for (const path of ["/default.asmx", "/default.asmx?disco", "/default.asmx?op=Subscriber.Add"])
    await send({ ...caller, path });
  await send({ ...caller, method: "HEAD" });
  now += 10 * MINUTE;
  assert.deepEqual(await linesOf(caller.client), []);
});

test("at most 1,000 lines a day are written, and all are counted", async () => {
  const fromNetwork = (network: number) => (_: unknown, nth: number) => ({
    client: `198.51.${network}.${nth >> 3}`,
    userAgent: `many/${nth}`,
  });
  const all = async (): Promise<number> => {
    await send({ client: "203.0.113.99", userAgent: "looks" });
    await log.flush();
    return readFileSync(file, "utf8").split(`${MESSAGE}"`).length - 1;
  };
  await all();
  now += 2 * DAY;
  const [linesBefore, countedBefore] = [await all(), await counted()];
  for (const network of [1, 2]) {
    for (const caller of Array.from({ length: 600 }, fromNetwork(network))) await send(caller);
    now += 10 * MINUTE;
    await all();
  }
  assert.equal((await all()) - linesBefore, 1000);
  // Those who look are counted as well.
  assert.ok((await counted()) - countedBefore >= 1200);
  assert.equal(readFileSync(file, "utf8").split("wsdl reads no longer logged today").length - 1, 1);
  now += DAY;
  await send({ client: "203.0.113.50", userAgent: "Shop/1.0" });
  now += 10 * MINUTE;
  assert.equal((await linesOf("203.0.113.50")).length, 1);
});

for (const [becomes, unfollowed] of [
  ["called", [0, 0]],
  ["called early", [0, 0]],
  ["not called", [1, 0]],
] as const)
  test(`a WSDL read from one worker is reported to the others: if another one is ${becomes}, ${unfollowed[0]} is counted`, async () => {
    const program = join(import.meta.dirname, "../wsdl-workers.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [program, becomes], { timeout: 30_000 });
    assert.deepEqual(JSON.parse(stdout), unfollowed);
  });
