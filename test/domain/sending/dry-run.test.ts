/** How long a campaign takes, and what decides that. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyReport, expectedDuration } from "../../../src/domain/sending/dry-run.ts";

const unlimited = { perSecond: null, perDomainMinute: null, perDay: null };

test("names a limit of the sender only if there is one", () => {
  const report = { ...emptyReport(1), people: 30, recipients: 30 };
  assert.deepEqual(expectedDuration(report, unlimited), { expectedSeconds: 0, limitedBy: "rendering" });
  assert.deepEqual(expectedDuration(report, { ...unlimited, perSecond: 10 }), {
    ...{ expectedSeconds: 3, limitedBy: "perSecond" },
  });
});

test("has no duration if nobody would get the campaign", () => {
  const report = { ...emptyReport(1), people: 30, renderMs: 5 };
  for (const limits of [null, { ...unlimited, perSecond: 10, perDay: 10 }])
    assert.deepEqual(expectedDuration(report, limits), { expectedSeconds: null, limitedBy: null });
});
