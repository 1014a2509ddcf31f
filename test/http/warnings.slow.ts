/** Log lines for the operator: rate-limited clients, closed connections, failing checks, wrong charsets. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { type Limits, limitsFor } from "#admission/limits.ts";
import { Log } from "#app/log/log.ts";
import { FREE_FAILURES, SLOW_FAILURES } from "#auth/brute-force-guard.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import { parseOpenMetrics, valueIn } from "../metrics/open-metrics.ts";
import { sendRequest } from "../send-request.ts";
import { call, startService, withKey } from "../service.ts";
import { skipUnless } from "../skip-unless.ts";

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
  /** The log lines with that message, without their times. */
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

test("logs the address of a client that is rate-limited for authentication failures, once a minute", async (t) => {
  const { service, clock, logged } = await start(t, { "trusted-proxies": "127.0.0.0/8, ::1" });
  const headers = { "X-Forwarded-For": "198.51.100.7" };
  const fail = () => call(service, "Field.GetFields", withKey("", "wrong"), headers);
  const search = (calls: number) => Promise.all(Array.from({ length: calls }, fail));
  const warned = () => logged(/authentication failures/);
  const warning = {
    level: "warn",
    msg: "client rate-limited: too many authentication failures",
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

test("counts idle connections that are closed for new ones, and logs them once a minute", async (t) => {
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
  const warning = { level: "warn", msg: "idle connections closed: too many open" };
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

test("closes connections that pipeline too many requests, counts them, and logs them once a minute", async (t) => {
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

test("closes connections beyond the total of unread responses, counts them, and logs them", async (t) => {
  const { service, logged } = await start(t, { "metrics-port": "0" }, { unsent: 64 * 1024 });
  const socket = connect(service.port, "127.0.0.1").on("error", () => {});
  const last = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  // Each request that waits behind another one counts 6 KiB.
  socket.write(`${"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".repeat(40)}${last}`);
  await once(socket.resume(), "close");
  const warning = { level: "warn", msg: "connections closed: too many unread responses" };
  assert.deepEqual(await logged(/connections/), [warning]);
  const metrics = await (await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`)).text();
  assert.equal(valueIn(parseOpenMetrics(metrics), "mailroll_connections_dropped_total"), 1);
});

test("adds no more than one listener to a socket, however many requests of any kind are pipelined", async (t) => {
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

test("logs when a readiness check starts to fail and when all checks pass again", async (t) => {
  const { service, clock, logged } = await start(t);
  const look = async (status: number): Promise<void> => {
    clock.now += 1000;
    assert.equal((await fetch(`${service.origin}/readyz`)).status, status);
  };
  const rival = new DatabaseSync(join(service.folder, "m.db"), { timeout: 5000 });
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

/** The size that no file of this process may exceed; returns what it was. */
const limitFileSize = (bytes: number | string): string => {
  const own = ["--pid", String(process.pid)];
  const [was = ""] = execFileSync("prlimit", [...own, "--fsize", "--noheadings", "-o", "SOFT"], {
    encoding: "utf8",
  }).split("\n");
  execFileSync("prlimit", [...own, `--fsize=${bytes}:`]);
  return was.trim();
};

test("logs once a minute why writes fail, and is not ready while larger ones fail for the disk", {
  skip: skipUnless(existsSync("/usr/bin/prlimit"), "install util-linux, which has prlimit"),
}, async (t) => {
  const { service, clock, logged } = await start(t, { "disk-reserve": "0" });
  const look = async () => {
    clock.now += 1000;
    const { status, body } = await sendRequest(`${service.origin}/readyz`);
    return { status, failed: /"name":"(\w+)","status":"failed"/.exec(body)?.[1] };
  };
  const write = (size: number) =>
    service.store.lists.create({ account: 1, name: "x".repeat(size), at: clock.now });
  assert.deepEqual(await look(), { status: 200, failed: undefined });
  const was = limitFileSize(statSync(join(service.folder, "m.db-wal")).size + 2 ** 17);
  try {
    for (let n = 0; n < 3; n += 1) await assert.rejects(write(2 ** 20), StoreUnavailable);
    await write(1);
    assert.deepEqual(await look(), { status: 503, failed: "writes" });
    clock.now += 50_000;
    await assert.rejects(write(2 ** 20), StoreUnavailable);
    assert.equal((await logged(/^write failed$/)).length, 1);
    clock.now += 20_000;
    assert.deepEqual(await look(), { status: 503, failed: "writes" });
  } finally {
    limitFileSize(was);
  }
  await write(2 ** 20);
  clock.now += 40_000;
  assert.deepEqual(await look(), { status: 200, failed: undefined });
  const [line] = await logged(/^write failed$/);
  assert.ok(line);
  assert.equal(line.level, "warn");
  assert.match(JSON.stringify(line.err), /disk I\/O error, SQLite's code 778/);
});

test("logs the path and the namespace that are not served, but no long or odd part of them", async (t) => {
  const { service, logged } = await start(t);
  const post = (path: string, namespace: string) => {
    const body = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><Field.Add xmlns="${namespace}"/></e:Body></e:Envelope>`;
    return fetch(service.origin + path, { method: "POST", headers: { "Content-Type": "text/xml" }, body });
  };
  await post("/old/service.asmx?key=secret", service.origin);
  await post("/ada@example.org/%0A", service.origin);
  await post("/default.asmx", "http://old.example.org/api");
  await post("/default.asmx", `urn:${"x".repeat(900)}`);
  await post("/default.asmx", service.origin);
  assert.deepEqual(
    (await logged(/^call$/)).map(({ outcome, unknown }) => [outcome, unknown]),
    [
      ["UnknownPath", "/old/service.asmx"],
      ["UnknownPath", "/?/?"],
      ["UnknownNamespace", "http://old.example.org/api"],
      ["UnknownNamespace", "urn:?"],
      ["InvalidParameter", undefined],
    ],
  );
});

test("logs charset_mismatch for a call that declares UTF-8 and sends windows-1252, and only for that", async (t) => {
  const { service, logged } = await start(t);
  const params = withKey("<fieldName>Größe</fieldName><dataType>STRING</dataType>");
  const body = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><Field.Add xmlns="${service.origin}">${params}</Field.Add></e:Body></e:Envelope>`;
  for (const encoding of ["utf8", "latin1"] as const) {
    const headers = { "Content-Type": "text/xml; charset=utf-8" };
    const sent = Buffer.from(body, encoding);
    await fetch(`${service.origin}/default.asmx`, { method: "POST", headers, body: sent });
  }
  const lines = await logged(/^call$/);
  assert.deepEqual(
    lines.map(({ outcome, charset_mismatch }) => [outcome, charset_mismatch]),
    [
      ["Done", undefined],
      ["FieldExists", true],
    ],
  );
});
