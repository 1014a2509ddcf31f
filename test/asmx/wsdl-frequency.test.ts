/** Which programs read the WSDL for every call. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_CLIENTS, MAX_PROGRAMS_OF_CLIENT, WsdlFrequency } from "#asmx/wsdl-use/frequency.ts";

const DAY_MS = 86_400_000;
const php = { client: "192.0.2.1", userAgent: "PHP-SOAP/7.4" };
/** PHP reads the WSDL without a User-Agent. */
const phpReading = { client: "192.0.2.1", userAgent: undefined };
const net = { client: "192.0.2.1", userAgent: "MS-Net/1.0" };

test("a program that reads the WSDL before each of five calls reads it too often", () => {
  const frequency = new WsdlFrequency(() => 0);
  const results = Array.from({ length: 5 }, () => {
    frequency.read(phpReading);
    return frequency.called(php);
  });
  assert.deepEqual(results, [false, false, false, false, true]);
});

test("a program that reads it for fewer than every second call does not", () => {
  const frequency = new WsdlFrequency(() => 0);
  for (let n = 0; n < 100; n += 1) {
    if (n % 3 === 0) frequency.read(net);
    assert.equal(frequency.called(net), false);
  }
});

test("reads of one program do not count for another one of the same client", () => {
  const frequency = new WsdlFrequency(() => 0);
  for (let n = 0; n < 10; n += 1) frequency.read(net);
  assert.equal(frequency.called(php), false);
  assert.equal(frequency.called(net), true);
  assert.equal(frequency.called({ ...net, client: "192.0.2.2" }), false);
});

test("begins to count again after a day", () => {
  let now = 0;
  const frequency = new WsdlFrequency(() => now);
  for (let n = 0; n < 10; n += 1) frequency.read(net);
  now += DAY_MS;
  assert.equal(frequency.called(net), false);
  assert.equal(frequency.size, 0);
});

test("remembers a bounded number of clients and programs", () => {
  const frequency = new WsdlFrequency(() => 0);
  for (let n = 0; n < 2 * MAX_CLIENTS; n += 1) frequency.read({ ...net, client: `client ${n}` });
  assert.equal(frequency.size, MAX_CLIENTS);
  for (let n = 0; n < 100 * MAX_PROGRAMS_OF_CLIENT; n += 1) frequency.read({ ...php, userAgent: `P${n}/1` });
  for (let n = 0; n < 10; n += 1) frequency.read({ ...php, userAgent: "Late/1" });
  assert.equal(frequency.called({ ...php, userAgent: "Late/1" }), false);
});
