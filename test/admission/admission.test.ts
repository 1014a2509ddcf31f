/** One rule for every kind of request: what is shed at capacity, in which form, and what is exempt. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Admission } from "#admission/admission.ts";
import { limitsFor } from "#admission/limits.ts";
import { Fault } from "#contract/faults.ts";
import { parseOpenMetrics, valueIn } from "../metrics/open-metrics.ts";
import { KEY, type Service, startService } from "../service.ts";

const TOKEN = "0123456789abcdef";
const TEXT =
  "The service has as many calls in hand as it can answer in time. Nothing was done. Try the same call again in a few seconds.";

/** A service whose capacity is used up. */
async function full(t: TestContext): Promise<Service> {
  const limits = { ...limitsFor(65_536), inFlight: 0 };
  const service = await startService({ "metrics-token": TOKEN }, Date.now, limits);
  t.after(() => service.close());
  return service;
}

const soap = (path: string, type = "text/xml"): readonly [string, RequestInit] => [
  path,
  { method: "POST", headers: { "Content-Type": type }, body: "<a/>" },
];
const fault11 = new RegExp(`<faultstring>${TEXT}</faultstring><detail>.*<code>Throttled</code>`);
const fault12 = new RegExp(`soap12:Receiver<.*>${TEXT}<.*<code>Throttled</code>`);
const text = new RegExp(`^${TEXT}\n$`);
const json = new RegExp(`^{"error":{"code":"Throttled","message":"${TEXT}"}}$`);

const shed: Readonly<Record<string, readonly [request: readonly [string, RequestInit?], form: RegExp]>> = {
  "a SOAP 1.1 call": [soap("/default.asmx"), fault11],
  "a SOAP 1.2 call": [soap("/default.asmx", "application/soap+xml"), fault12],
  "SOAP at an unknown path": [soap("/other.asmx"), fault11],
  "the WSDL": [["/default.asmx?wsdl"], text],
  "the help page": [["/default.asmx"], text],
  "an unsupported method": [["/default.asmx", { method: "PUT", body: "x" }], text],
  "the JSON API": [["/api/v1/fields", { headers: { Authorization: `Bearer ${KEY}` } }], json],
  "the JSON Schema": [["/schemas/field-collection.json"], json],
  "an unknown path": [["/nothing"], json],
  "a body at an unknown path": [["/nothing", { method: "POST", body: "x" }], json],
  "the redirect": [["/", { redirect: "manual" }], json],
};

test("sheds every kind of request at capacity, each in its own form with Retry-After", async (t) => {
  const { origin } = await full(t);
  for (const [name, [[path, init], form]] of Object.entries(shed)) {
    const response = await fetch(`${origin}${path}`, init);
    assert.equal(response.status, 503, name);
    assert.equal(response.headers.get("retry-after"), "5", name);
    assert.match(await response.text(), form, name);
  }
});

test("answers health checks and metrics at capacity, and counts what was shed", async (t) => {
  const { origin } = await full(t);
  await Promise.all(Object.values(shed).map(([[path, init]]) => fetch(`${origin}${path}`, init)));
  for (const path of ["/healthz", "/readyz"])
    for (const method of ["GET", "HEAD"])
      assert.equal((await fetch(`${origin}${path}`, { method })).status, 200, `${method} ${path}`);
  const metrics = await fetch(`${origin}/metrics`, { headers: { Authorization: `Bearer ${TOKEN}` } });
  assert.equal(metrics.status, 200);
  const families = parseOpenMetrics(await metrics.text());
  assert.equal(valueIn(families, "mailroll_throttled_total", { cause: "calls" }), Object.keys(shed).length);
  assert.equal(valueIn(families, "mailroll_requests_in_flight"), 0);
});

test("admits as many requests as there is capacity, and the next when one has left", () => {
  const admission = new Admission({ ...limitsFor(1024), inFlight: 2 });
  const isThrottled = (error: unknown) => error instanceof Fault && error.code === "Throttled";
  admission.enter();
  admission.enter();
  for (let n = 0; n < 3; n += 1) assert.throws(() => admission.enter(), isThrottled);
  assert.equal(admission.inFlight, 2, "a request that was shed is not in flight");
  admission.leave();
  admission.enter();
  assert.throws(() => admission.enter(), isThrottled);
  assert.deepEqual(admission.shed, { calls: 4, bodies: 0, lists: 0 });
});
