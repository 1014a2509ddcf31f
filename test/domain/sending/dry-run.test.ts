/** How long a campaign takes, and what decides that. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyReport, expectedDuration } from "#domain/sending/dry-run.ts";

const unlimited = { perSecond: null, perDomainMinute: null, perDay: null };
const NOON = Date.UTC(2026, 10, 17, 12);
const HOUR = 3600;

test("names a limit of the sender only if there is one", () => {
  const report = { ...emptyReport(1), people: 30, recipients: 30 };
  assert.deepEqual(expectedDuration(report, unlimited, NOON), { expectedSeconds: 0, limitedBy: "rendering" });
  assert.deepEqual(expectedDuration(report, { ...unlimited, perSecond: 10 }, NOON), {
    ...{ expectedSeconds: 3, limitedBy: "perSecond" },
  });
});

test("has no duration if nobody would get the campaign", () => {
  const report = { ...emptyReport(1), people: 30, renderMs: 5 };
  for (const limits of [null, { ...unlimited, perSecond: 10, perDay: 10 }])
    assert.deepEqual(expectedDuration(report, limits, NOON), { expectedSeconds: null, limitedBy: null });
});

test("counts the days of a daily limit by midnights in UTC, from the current time", () => {
  const report = { ...emptyReport(1), people: 30, recipients: 30 };
  const limited = (perDay: number, now: number) => expectedDuration(report, { ...unlimited, perDay }, now);
  assert.deepEqual(limited(15, NOON), { expectedSeconds: 12 * HOUR, limitedBy: "perDay" });
  assert.deepEqual(limited(10, NOON), { expectedSeconds: 36 * HOUR, limitedBy: "perDay" });
  const [late, midnight] = [NOON + 11 * HOUR * 1000 + 3_599_500, NOON + 12 * HOUR * 1000];
  assert.deepEqual(limited(29, late), { expectedSeconds: 1, limitedBy: "perDay" });
  assert.deepEqual(limited(29, midnight), { expectedSeconds: 24 * HOUR, limitedBy: "perDay" });
  assert.deepEqual(limited(30, late), { expectedSeconds: 0, limitedBy: "rendering" });
});
