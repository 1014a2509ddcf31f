/** What an operator is warned of in the log: who searches for keys, connections that are closed, checks that fail. Once, however often. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { FREE_FAILURES, SLOW_FAILURES } from "../../src/auth/brute-force-guard.ts";
import { type Limits, limitsFor } from "../../src/http/load.ts";
import { Log } from "../../src/log.ts";
import { parseOpenMetrics, valueIn } from "../metrics/open-metrics.ts";
import { call, startService, withKey } from "../service.ts";

type Line = Readonly<Record<string, unknown>>;

async function start(
  t: TestContext,
  flags: Readonly<Record<string, string>> = {},
  limits: Partial<Limits> = {},
) {
  const clock = { now: Date.now() };
  const folder = mkdtempSync(join(tmpdir(), "mailroll-log-"));
  const file = join(folder, "log");
  const log = new Log("info", openSync(file, "w"));
  const room = { ...limitsFor(1024), ...limits };
  const service = await startService(flags, () => clock.now, room, log);
  t.after(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });
  /** The lines with that message, but for their times. */
  const logged = async (message: RegExp): Promise<readonly Line[]> => {
    await log.flush();
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
    return lines
      .map((line): Line => JSON.parse(line))
      .filter(({ msg }) => message.test(String(msg)))
      .map(({ time: _time, ...rest }) => rest);
  };
  return { service, clock, logged };
}

test("a client whose failed keys are refused is named, once for each minute", async (t) => {
  const { service, clock, logged } = await start(t, { "trusted-proxies": "127.0.0.0/8, ::1" });
  const headers = { "X-Forwarded-For": "198.51.100.7" };
  const fail = () => call(service, "Field.GetFields", withKey("", "wrong"), headers);
  const search = (calls: number) => Promise.all(Array.from({ length: calls }, fail));
  const warned = () => logged(/failed keys/);
  const warning = {
    level: "warn",
    msg: "failed keys from this client are refused for a minute",
    client: "198.51.100.7",
  };
  await search(FREE_FAILURES + SLOW_FAILURES - 1);
  assert.deepEqual(await warned(), []);
  await search(20);
  assert.deepEqual(await warned(), [warning]);
  clock.now += 60_000;
  await search(FREE_FAILURES + SLOW_FAILURES + 20);
  assert.deepEqual(await warned(), [warning, warning]);
});

test("idle connections that are closed for new ones are logged once a minute, and counted", async (t) => {
  const { service, clock, logged } = await start(t, { "metrics-port": "0" }, { connections: 2 });
  const sockets: Socket[] = [];
  const open = async (): Promise<void> => {
    const socket = connect(service.port, "127.0.0.1").resume();
    sockets.push(socket);
    await once(socket, "connect");
  };
  const oldestIsClosed = async (): Promise<unknown> => {
    const oldest = sockets.shift() as Socket;
    return oldest.closed || once(oldest, "close");
  };
  const warned = () => logged(/connections/);
  for (let n = 0; n < 2; n += 1) await open();
  assert.deepEqual(await warned(), []);
  for (let n = 0; n < 5; n += 1) await Promise.all([oldestIsClosed(), open()]);
  const warning = { level: "warn", msg: "idle connections closed: too many are open" };
  assert.deepEqual(await warned(), [warning]);
  clock.now += 60_000;
  await Promise.all([oldestIsClosed(), open()]);
  assert.deepEqual(await warned(), [warning, warning]);
  const text = await (await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`)).text();
  const families = parseOpenMetrics(text);
  assert.equal(valueIn(families, "mailroll_connections_dropped_total"), 6);
  assert.equal(valueIn(families, "mailroll_connections"), 2);
  for (const socket of sockets) socket.destroy();
});

test("connections that pipeline too many requests are closed, logged once a minute, and counted", async (t) => {
  const { service, logged } = await start(t, { "metrics-port": "0" });
  for (let n = 0; n < 2; n += 1) {
    const socket = connect(service.port, "127.0.0.1").setEncoding("latin1");
    let text = "";
    socket
      .on("error", () => {})
      .on("data", (part: string) => {
        text += part;
      });
    socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1000));
    await new Promise((resolve) => socket.once("close", resolve));
    assert.ok(text.split("HTTP/1.1 200").length - 1 <= 64, text);
  }
  const warning = { level: "warn", msg: "connections closed: too many pipelined requests" };
  assert.deepEqual(await logged(/connections/), [warning]);
  const metrics = await (await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`)).text();
  assert.equal(valueIn(parseOpenMetrics(metrics), "mailroll_connections_dropped_total"), 2);
});

test("a client that pipelines requests of every kind does not make Node warn of listeners", async (t) => {
  const { service } = await start(t);
  const warnings: Error[] = [];
  const note = (warning: Error): number => warnings.push(warning);
  process.on("warning", note);
  t.after(() => process.off("warning", note));
  for (const path of ["/healthz", "/readyz", "/default.asmx?wsdl", "/api/v1/fields", "/nothing"]) {
    const socket = connect(service.port, "127.0.0.1").setEncoding("latin1");
    const last = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    socket.write(`${`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(40)}${last}`);
    let text = "";
    for await (const part of socket) text += part;
    assert.equal(text.split("HTTP/1.1 ").length - 1, 41, path);
  }
  assert.deepEqual(warnings, []);
});

test("a check that fails is said when it begins to, and when all is well again", async (t) => {
  const { service, clock, logged } = await start(t);
  const look = async (status: number): Promise<void> => {
    clock.now += 1000;
    assert.equal((await fetch(`${service.origin}/readyz`)).status, status);
  };
  const rival = new DatabaseSync(join(service.folder, "m.db"));
  for (let n = 0; n < 3; n += 1) await look(200);
  rival.exec("UPDATE schema_migration SET number = number + 1000");
  for (let n = 0; n < 3; n += 1) await look(503);
  rival.exec("UPDATE schema_migration SET number = number - 1000");
  for (let n = 0; n < 3; n += 1) await look(200);
  rival.close();
  const [failed, ...later] = await logged(/ready/);
  const { err, ...line } = failed ?? {};
  assert.deepEqual(line, { level: "warn", msg: "not ready", checks: "schema writes" });
  assert.match(JSON.stringify(err), /migrated by a newer Mailroll/);
  assert.deepEqual(later, [{ level: "info", msg: "ready again" }]);
});
