/** Metrics of several processes are merged, through any of them, and no counter shrinks when one dies. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Installation } from "../cli/program.ts";
import { freePort } from "../free-port.ts";
import type { PostgresServer } from "../postgres-server.ts";
import { call, KEY, leapingClock, startService, withKey } from "../service.ts";
import { ownPostgres } from "../shared-postgres.ts";
import { parseOpenMetrics, valueIn } from "./open-metrics.ts";

const TOKEN = "a-token-of-16-or-more";
let server: PostgresServer;
before(async () => {
  server = await ownPostgres();
});
after(() => server.stop());

async function scraped(origin: string) {
  const response = await fetch(`${origin}/metrics`, {
    headers: { authorization: `Bearer ${TOKEN}`, connection: "close" },
  });
  assert.equal(response.status, 200);
  return parseOpenMetrics(await response.text());
}

test("sums the metrics of two workers on either port, even after one was killed", async (t) => {
  const home = new Installation();
  t.after(() => home.remove());
  const metricsPort = await freePort();
  const served = await home.serve(["--workers", "2"], {
    MAILROLL_DATABASE: await server.newDatabase(),
    MAILROLL_API_KEY: KEY,
    MAILROLL_METRICS_PORT: String(metricsPort),
    MAILROLL_METRICS_TOKEN: TOKEN,
  });
  const { origin } = served;
  const own = `http://127.0.0.1:${metricsPort}`;
  const calls = 40;
  // Connections go to the workers in turn.
  for (let n = 0; n < calls; n += 1)
    await call({ origin }, "Client.TestApiConnection", withKey(), { Connection: "close" });
  const counted = async (at: string) => {
    const families = await scraped(at);
    return [
      valueIn(families, "mailroll_requests_total", { operation: "Client.TestApiConnection" }),
      valueIn(families, "mailroll_request_duration_seconds_count"),
      valueIn(families, "mailroll_processes"),
    ];
  };
  assert.deepEqual(await counted(own), [calls, calls, 2]);
  assert.deepEqual(await counted(origin), [calls, calls, 2]);
  assert.deepEqual(await counted(origin), [calls, calls, 2], "the other worker says the same");

  served.killChild();
  while ((await counted(own))[2] !== 1) await delay(20);
  assert.deepEqual(await counted(own), [calls, calls, 1], "what the dead one counted is kept");
  while ((await counted(own))[2] !== 2) await delay(50);
  await call({ origin }, "Client.TestApiConnection", withKey(), { Connection: "close" });
  assert.deepEqual(await counted(own), [calls + 1, calls + 1, 2]);
  assert.equal(await served.stop(), 0);
  await assert.rejects(fetch(`${own}/metrics`));
});

test("fails to start with one line where the port for /metrics is taken", async (t) => {
  const home = new Installation();
  t.after(() => home.remove());
  const blocker = await startService({ "metrics-port": "0" });
  t.after(() => blocker.close());
  for (const database of ["sqlite:./never/m.db", await server.newDatabase()]) {
    const { code, err } = await home.run(["serve", "--workers", "2", "--port", "0"], {
      env: { MAILROLL_DATABASE: database, MAILROLL_METRICS_PORT: String(blocker.metricsPort) },
    });
    assert.equal(code, 1);
    assert.match(err, /mailroll: port \d+ for \/metrics cannot be opened .*MAILROLL_METRICS_PORT/);
  }
});

test("reports connections and database size over PostgreSQL, and no disk space", async () => {
  const flags = { database: await server.newDatabase(), "metrics-token": TOKEN };
  const service = await startService(flags, leapingClock());
  try {
    await call(service, "Client.GetSubscribersLists", withKey());
    const families = await scraped(service.origin);
    assert.ok(valueIn(families, "mailroll_postgres_connections") >= 1);
    assert.equal(valueIn(families, "mailroll_postgres_reads_waiting"), 0);
    assert.ok(valueIn(families, "mailroll_database_bytes") > 1_000_000);
    assert.equal(valueIn(families, "mailroll_rows_read_total"), 1);
    assert.ok(valueIn(families, "mailroll_commit_writes_count") > 0);
    assert.deepEqual(families.get("mailroll_disk_free_bytes")?.samples, []);

    await server.pause();
    const away = await scraped(service.origin);
    await server.resume();
    assert.equal(valueIn(away, "mailroll_readiness_checks_failed", { check: "database" }), 1);
    assert.equal(valueIn(away, "mailroll_rows_read_total"), 1);
    assert.deepEqual(away.get("mailroll_database_bytes")?.samples, []);
  } finally {
    await service.close();
  }
});
