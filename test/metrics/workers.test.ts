/** Several processes tell their numbers as one, through whichever of them is asked, and none shrinks when one dies. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../free-port.ts";
import { PostgresServer } from "../postgres-server.ts";
import { call, KEY, leapingClock, startService, withKey } from "../service.ts";
import { parseOpenMetrics, valueIn } from "./open-metrics.ts";

const TOKEN = "a-token-of-16-or-more";
const program = resolve(import.meta.dirname, "../../bin/mailroll");
let server: PostgresServer;
before(async () => {
  server = await PostgresServer.start();
});
after(() => server.stop());

async function scraped(origin: string) {
  const response = await fetch(`${origin}/metrics`, {
    headers: { authorization: `Bearer ${TOKEN}`, connection: "close" },
  });
  assert.equal(response.status, 200);
  return parseOpenMetrics(await response.text());
}

test("two workers tell one sum, on either port, also after one was killed", async () => {
  const metricsPort = await freePort();
  const env = {
    PATH: process.env.PATH,
    MAILROLL_DATABASE: await server.newDatabase(),
    MAILROLL_API_KEY: KEY,
    MAILROLL_METRICS_PORT: String(metricsPort),
    MAILROLL_METRICS_TOKEN: TOKEN,
  };
  const child = spawn(program, ["serve", "--workers", "2", "--port", "0"], { env, cwd: tmpdir() });
  let [stdout, log] = ["", ""];
  child.stderr.on("data", (chunk) => {
    log += chunk;
  });
  const exited = once(child, "exit");
  const origin = await new Promise<string>((done, fail) => {
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
      const found = /serving (http:\S+)\/default\.asmx\n/.exec(stdout)?.[1];
      if (found !== undefined) done(found);
    });
    child.once("exit", () => fail(new Error(log)));
  });
  const own = `http://127.0.0.1:${metricsPort}`;
  const workers = () =>
    readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim().split(" ");
  try {
    const calls = 40;
    // Connections go to the workers in turn.
    for (let n = 0; n < calls; n += 1)
      await call({ origin }, "Client.TestApiConnection", withKey(), { Connection: "close" });
    const counted = async (at: string) => {
      const families = await scraped(at);
      return [
        valueIn(families, "mailroll_requests_total", { operation: "Client.TestApiConnection" }),
        valueIn(families, "mailroll_request_seconds_count"),
        valueIn(families, "mailroll_processes"),
      ];
    };
    assert.deepEqual(await counted(own), [calls, calls, 2]);
    assert.deepEqual(await counted(origin), [calls, calls, 2]);
    assert.deepEqual(await counted(origin), [calls, calls, 2], "the other worker says the same");

    const [victim = ""] = workers();
    process.kill(Number(victim), "SIGKILL");
    while ((await counted(own))[2] !== 1) await delay(20);
    assert.deepEqual(await counted(own), [calls, calls, 1], "what the dead one counted is kept");
    while ((await counted(own))[2] !== 2) await delay(50);
    await call({ origin }, "Client.TestApiConnection", withKey(), { Connection: "close" });
    assert.deepEqual(await counted(own), [calls + 1, calls + 1, 2]);
  } finally {
    child.kill("SIGTERM");
  }
  assert.deepEqual(await exited, [0, null]);
  await assert.rejects(fetch(`${own}/metrics`));
});

test("a port for /metrics that is taken is said in one line, and nothing is served", async () => {
  for (const database of ["sqlite:./never/m.db", await server.newDatabase()]) {
    const blocker = await startService({ "metrics-port": "0" });
    const child = spawn(program, ["serve", "--workers", "2", "--port", "0", "--database", database], {
      env: { PATH: process.env.PATH, MAILROLL_METRICS_PORT: String(blocker.metricsPort) },
      cwd: blocker.folder,
    });
    let log = "";
    child.stderr.on("data", (chunk) => {
      log += chunk;
    });
    assert.deepEqual(await once(child, "close"), [1, null]);
    assert.match(log, /mailroll: port \d+ for \/metrics cannot be had .*MAILROLL_METRICS_PORT/);
    await blocker.close();
  }
});

test("over PostgreSQL connections and the size of the database are told, and a disk is not", async () => {
  const flags = { database: await server.newDatabase(), "metrics-token": TOKEN };
  const service = await startService(flags, leapingClock());
  try {
    await call(service, "Client.GetSubscribersLists", withKey());
    const families = await scraped(service.origin);
    assert.ok(valueIn(families, "mailroll_postgres_connections") >= 1);
    assert.equal(valueIn(families, "mailroll_postgres_waiting"), 0);
    assert.ok(valueIn(families, "mailroll_database_bytes") > 1_000_000);
    assert.equal(valueIn(families, "mailroll_rows_total"), 1);
    assert.ok(valueIn(families, "mailroll_group_writes_count") > 0);
    assert.deepEqual(families.get("mailroll_disk_free_bytes")?.samples, []);

    await server.pause();
    const away = await scraped(service.origin);
    await server.resume();
    assert.equal(valueIn(away, "mailroll_checks_failed", { check: "database" }), 1);
    assert.equal(valueIn(away, "mailroll_rows_total"), 1);
    assert.deepEqual(away.get("mailroll_database_bytes")?.samples, []);
  } finally {
    await service.close();
  }
});
