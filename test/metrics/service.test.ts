/** /metrics of a running service: valid OpenMetrics, and equal to what was sent. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { openSync } from "node:fs";
import { connect } from "node:net";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Log } from "#app/log/log.ts";
import { loadConfig } from "#app/settings/load-config.ts";
import { contract } from "#contract/operations.ts";
import { parseAddress } from "#domain/address.ts";
import { periodicJobs } from "#domain/job/kinds.ts";
import { call, KEY, type Service, startService, withKey } from "../service.ts";
import { parseOpenMetrics, valueIn } from "./open-metrics.ts";

const TOKEN = "a-token-of-16-or-more";

const get = (port: number | null, headers: Readonly<Record<string, string>> = {}, path = "/metrics") =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers });
async function metricsOf({ metricsPort }: Service) {
  const response = await get(metricsPort);
  assert.equal(response.status, 200);
  assert.equal(
    response.headers.get("content-type"),
    "application/openmetrics-text; version=1.0.0; charset=utf-8",
  );
  return parseOpenMetrics(await response.text());
}

const add = (address: string) => withKey(`<SubscribersListID>1</SubscribersListID><EMail>${address}</EMail>`);
async function call12({ origin }: Service, operation: string, params: string): Promise<string> {
  const response = await fetch(`${origin}/default.asmx`, {
    method: "POST",
    headers: { "Content-Type": "application/soap+xml; charset=utf-8" },
    body: `<e:Envelope xmlns:e="http://www.w3.org/2003/05/soap-envelope"><e:Body><${operation} xmlns="${origin}">${params}</${operation}></e:Body></e:Envelope>`,
  });
  return response.text();
}

describe("after real traffic", () => {
  test("counts calls by operation, version and outcome, with no label that a caller chose", async () => {
    const service = await startService({ "metrics-port": "0", "body-limit": "4KiB" });
    try {
      for (const n of [1, 2, 3]) await call(service, "Subscriber.Add", add(`p${n}@example.org`));
      await call(service, "Subscriber.Add", add("planted nonsense"));
      for (const n of [1, 2]) await call12(service, "Subscriber.Add", add(`q${n}@example.org`));
      await call12(service, "Client.TestApiConnection", withKey());
      await call(service, "Subscriber.Add", withKey("", "planted-unknown-key"));
      await call(service, "Planted.Operation", withKey());
      await call(service, "Subscriber.Add", "<planted");
      await call(service, "Subscriber.Add", `<EMail>${"planted".repeat(1000)}</EMail>`);
      await call(service, "Client.TestApiConnection", withKey(), { "Content-Type": "planted/type" });
      await fetch(`${service.origin}/default.asmx?wsdl`);
      await fetch(`${service.origin}/default.asmx?op=planted`);
      await fetch(`${service.origin}/planted`);
      await fetch(`${service.origin}/planted`, { method: "POST", headers: { SOAPAction: "planted" } });

      const families = await metricsOf(service);
      const requests = (operation: string, soap: string, outcome: string) =>
        valueIn(families, "mailroll_requests_total", { operation, soap, outcome });
      assert.equal(requests("Subscriber.Add", "1.1", "Done"), 3);
      assert.equal(requests("Subscriber.Add", "1.2", "Done"), 2);
      assert.equal(requests("Subscriber.Add", "1.1", "InvalidEmail"), 1);
      assert.equal(requests("Subscriber.Add", "1.1", "InvalidApiKey"), 1);
      assert.equal(requests("Client.TestApiConnection", "1.2", "ok"), 1);
      assert.equal(requests("none", "1.1", "UnknownOperation"), 1);
      assert.equal(requests("none", "1.1", "TooLarge"), 1);
      assert.equal(requests("none", "1.1", "UnsupportedMediaType"), 1);
      assert.equal(valueIn(families, "mailroll_requests_total", { outcome: "InvalidMessage" }), 1);
      assert.equal(requests("none", "1.1", "UnknownPath"), 1);
      assert.equal(valueIn(families, "mailroll_requests_total"), 13, "and there are no others");

      const refused = (reason: string) => valueIn(families, "mailroll_requests_refused_total", { reason });
      assert.equal(refused("InvalidEmail"), 1);
      assert.equal(refused("InvalidApiKey"), 1);
      assert.equal(refused("UnknownPath"), 1);
      assert.equal(valueIn(families, "mailroll_requests_refused_total"), 7);

      assert.equal(
        valueIn(families, "mailroll_request_duration_seconds_count", { operation: "Subscriber.Add" }),
        7,
      );
      assert.equal(valueIn(families, "mailroll_request_duration_seconds_count"), 13);
      assert.ok(
        valueIn(families, "mailroll_request_duration_seconds_sum", { operation: "Subscriber.Add" }) > 0,
      );

      const responses = (handler: string, status: string) =>
        valueIn(families, "mailroll_http_responses_total", { handler, status });
      assert.equal(responses("soap", "2xx"), 7);
      assert.equal(responses("soap", "4xx") + responses("soap", "5xx"), 6);
      assert.equal(responses("document", "2xx"), 1);
      assert.equal(responses("document", "4xx"), 1);
      assert.equal(responses("route", "4xx"), 1);

      const text = await (await get(service.metricsPort)).text();
      assert.doesNotMatch(text, /planted|example|0123456789ABCDEF/i);
    } finally {
      await service.close();
    }
  });

  test("reports group commits, rows read and the size of the database", async () => {
    const service = await startService({ "metrics-port": "0" });
    try {
      const before = await metricsOf(service);
      const people = Array.from({ length: 60 }, (_, n) => `p${n}@example.org`);
      await Promise.all(people.map((address) => call(service, "Subscriber.Add", add(address))));
      const at = Date.now();
      const origin = { kind: "operator" } as const;
      const campaign = await service.store.campaigns.record({
        account: 1,
        name: "May",
        lists: [1],
        createdAt: at,
        sentAt: at,
      });
      assert.ok("id" in campaign);
      for (const address of people.slice(0, 7))
        await service.store.campaigns.recordEvent({
          account: 1,
          at,
          origin,
          recordedCall: null,
          address: parseAddress(address),
          campaign: campaign.id,
          event: "bounced",
        });
      const bounces = withKey(`<CampaignID>${campaign.id}</CampaignID>`);
      assert.match((await call(service, "Campaign.GetHardBouncesList", bounces)).result ?? "", /p6@/);
      await call(service, "Client.GetSubscribersLists", withKey());

      const after = await metricsOf(service);
      const grown = (name: string) => valueIn(after, name) - valueIn(before, name);
      assert.equal(grown("mailroll_rows_read_total"), 8);
      // Whenever a key's last use is noted, that is one more.
      const writes = grown("mailroll_commit_writes_sum");
      assert.ok(writes >= 68 && writes < 2 * 68, `${writes} writes`);
      const commits = grown("mailroll_commit_writes_count");
      assert.ok(commits >= 9 && commits < 68, `${commits} commits`);
      assert.equal(grown("mailroll_commit_duration_seconds_count"), commits);
      assert.ok(grown("mailroll_commit_duration_seconds_sum") > 0);
      assert.equal(valueIn(after, "mailroll_writes_waiting"), 0);
      assert.ok(valueIn(after, "mailroll_database_bytes") > 50_000);
      assert.ok(valueIn(after, "mailroll_disk_free_bytes") > 0);
      assert.equal(valueIn(after, "mailroll_readiness_checks_failed"), 0);
      assert.equal(valueIn(after, "mailroll_jobs"), Object.keys(periodicJobs).length, "the periodic ones");
      assert.equal(valueIn(after, "mailroll_jobs", { state: "retrying" }), 0);
    } finally {
      await service.close();
    }
  });

  test("counts connections when they open and when they close", async () => {
    const service = await startService({ "metrics-port": "0" });
    try {
      const sockets = [1, 2, 3].map(() => connect(service.port, "127.0.0.1"));
      await Promise.all(sockets.map((socket) => once(socket, "connect")));
      const open = async () => valueIn(await metricsOf(service), "mailroll_connections");
      while ((await open()) !== 3) await delay(5);
      for (const socket of sockets) socket.destroy();
      while ((await open()) !== 0) await delay(5);
      assert.equal(valueIn(await metricsOf(service), "mailroll_connections_opened_total"), 3);
    } finally {
      await service.close();
    }
  });

  test("reports the version, CPU time, memory and event loop delay of the process", async () => {
    const service = await startService({ "metrics-port": "0" });
    try {
      const delays = async () => valueIn(await metricsOf(service), "mailroll_event_loop_delay_seconds_count");
      const late = async () => {
        const families = await metricsOf(service);
        return (
          valueIn(families, "mailroll_event_loop_delay_seconds_bucket", { le: "+Inf" }) -
          valueIn(families, "mailroll_event_loop_delay_seconds_bucket", { le: "0.1" })
        );
      };
      while ((await delays()) < 2) await delay(20);
      const before = await late();
      // Nothing but this process can be waited for like that.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
      while ((await late()) === before) await delay(20);
      const families = await metricsOf(service);
      const [build] = families.get("mailroll_build")?.samples ?? [];
      assert.equal(build?.labels.node, process.versions.node);
      assert.match(build.labels.version ?? "", /^\d+\.\d+\.\d+/);
      assert.ok(
        valueIn(families, "process_resident_memory_bytes") > valueIn(families, "mailroll_heap_bytes"),
      );
      assert.ok(valueIn(families, "process_cpu_seconds_total") > 0);
      assert.ok(valueIn(families, "mailroll_event_loop_active_seconds_total") > 0);
      assert.ok(Math.abs(valueIn(families, "process_start_time_seconds") - Date.now() / 1000) < 3600);
      assert.equal(valueIn(families, "mailroll_processes"), 1);
    } finally {
      await service.close();
    }
  });
});

test("has a series for every operation and outcome from the start", async () => {
  const service = await startService({ "metrics-port": "0" });
  const families = await metricsOf(service);
  await service.close();
  for (const [operation, { outcomes }] of Object.entries(contract.operations)) {
    const names = Object.keys(outcomes);
    for (const outcome of [...(names.length === 0 ? ["ok"] : names), "Unavailable"])
      for (const soap of ["1.1", "1.2"])
        assert.equal(valueIn(families, "mailroll_requests_total", { operation, soap, outcome }), 0);
    assert.equal(valueIn(families, "mailroll_request_duration_seconds_count", { operation }), 0);
  }
});

test("reports a failing check of /readyz", async () => {
  const service = await startService({ "metrics-port": "0", "disk-reserve": "4000000GiB" });
  try {
    const families = await metricsOf(service);
    const failed = (check: string) => valueIn(families, "mailroll_readiness_checks_failed", { check });
    assert.deepEqual(["database", "schema", "disk"].map(failed), [0, 0, 1]);
  } finally {
    await service.close();
  }
});

describe("access to /metrics", () => {
  test("serves no /metrics by default", async () => {
    const service = await startService();
    assert.equal(service.metricsPort, null);
    assert.equal((await get(service.port)).status, 404);
    await service.close();
  });
  test("serves /metrics and nothing else on a port of its own", async () => {
    const service = await startService({ "metrics-port": "0" });
    const { metricsPort } = service;
    assert.equal((await get(metricsPort)).status, 200);
    assert.equal((await get(metricsPort, {}, "/metrics?x=1")).status, 200);
    assert.equal((await get(metricsPort, {}, "/readyz")).status, 404);
    assert.equal((await get(metricsPort, {}, "/default.asmx")).status, 404);
    const posted = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { method: "POST", body: "x" });
    assert.equal(posted.status, 405);
    assert.equal(posted.headers.get("allow"), "GET, HEAD");
    assert.equal((await get(service.port)).status, 404);
    await service.close();
    await assert.rejects(get(metricsPort), "it ends with the service");
  });
  test("serves /metrics with the token on either port", async () => {
    const service = await startService({ "metrics-port": "0", "metrics-token": TOKEN });
    for (const port of [service.port, service.metricsPort]) {
      for (const authorization of ["", `Bearer ${TOKEN}x`, `Bearer ${KEY}`, TOKEN, "Bearer "]) {
        const refused = await get(port, authorization === "" ? {} : { authorization });
        assert.equal(refused.status, 401, authorization);
        assert.equal(refused.headers.get("www-authenticate"), "Bearer");
        assert.doesNotMatch(await refused.text(), /mailroll_/);
      }
      const given = await get(port, { authorization: `Bearer ${TOKEN}` });
      assert.equal(given.status, 200);
      assert.ok(parseOpenMetrics(await given.text()).size > 10);
    }
    await service.close();
  });
  test("rejects a token that is too short, without showing it", () => {
    assert.throws(
      () => loadConfig({ flags: {}, env: { MAILROLL_METRICS_TOKEN: "short-secret" }, folder: "/" }),
      (error: Error) => /MAILROLL_METRICS_TOKEN: the value is not 16/.test(error.message),
    );
  });
});

test("counts log lines whose write failed", async (t) => {
  const log = new Log("info", openSync("/dev/full", "w"));
  const served = await startService({ "metrics-port": "0" }, Date.now, undefined, log);
  t.after(() => served.close());
  await call(served, "Client.TestApiConnection", withKey());
  await log.flush();
  const families = await metricsOf(served);
  const lost = (cause: string) => valueIn(families, "mailroll_log_lines_lost_total", { cause });
  assert.ok(lost("failed") >= 1);
  assert.equal(lost("unread"), 0);
});
