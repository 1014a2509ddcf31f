/** What a dry run reports: counted findings with some examples, and how long the sending takes at least. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Frequent } from "#domain/sending/domains.ts";
import { emptyReport, expectedDuration, found, OTHERS } from "#domain/sending/dry-run.ts";

test("counts findings, and keeps the first examples and the largest numbers", () => {
  let findings = {};
  for (let id = 1; id <= 7; id += 1) findings = found(findings, "large", id, { bytes: id === 3 ? 900 : 500 });
  assert.deepEqual(findings, { large: { count: 7, samples: [1, 2, 3, 4, 5], bytes: 900 } });
});

test("counts findings of more than a hundred names together", () => {
  let findings = {};
  for (let n = 0; n < 150; n += 1) findings = found(findings, `field ${n}`, n);
  const counts = findings as Record<string, { readonly count: number }>;
  assert.equal(Object.keys(counts).length, 101);
  assert.equal(counts[OTHERS]?.count, 50);
});

test("a name of every object is a finding like any other", () => {
  const findings = found(found({}, "constructor", 1), "constructor", 2);
  assert.deepEqual(findings, { constructor: { count: 2, samples: [1, 2] } });
});

const MIDNIGHT = Date.UTC(2026, 10, 17);
test("the slowest limit decides how long the sending takes", () => {
  const report = { ...emptyReport(1), recipients: 10_000, renderMs: 4000, largestDomain: 5000 };
  const none = { perSecond: null, perDomainMinute: null, perDay: null };
  assert.deepEqual(expectedDuration(report, null, MIDNIGHT), { expectedSeconds: 4, limitedBy: "rendering" });
  assert.deepEqual(expectedDuration(report, { ...none, perSecond: 100 }, MIDNIGHT), {
    ...{ expectedSeconds: 100, limitedBy: "perSecond" },
  });
  assert.deepEqual(expectedDuration(report, { ...none, perSecond: 100, perDomainMinute: 1000 }, MIDNIGHT), {
    ...{ expectedSeconds: 240, limitedBy: "perDomainMinute" },
  });
  assert.deepEqual(expectedDuration(report, { ...none, perDay: 4000 }, MIDNIGHT), {
    ...{ expectedSeconds: 2 * 86_400, limitedBy: "perDay" },
  });
});

test("finds the most frequent domain in bounded memory", () => {
  const domains = new Frequent();
  for (let n = 0; n < 20_000; n += 1) {
    domains.add(`d${n}.example`);
    if (n % 4 === 0) domains.add("big.example");
  }
  assert.ok(Object.keys(domains.counts).length <= 1000);
  assert.ok(domains.largest > 4900 && domains.largest <= 5000, `${domains.largest}`);
  assert.equal(new Frequent(domains.counts).largest, domains.largest);
});
