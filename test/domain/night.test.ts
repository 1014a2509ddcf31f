/** When work is done that disturbs others. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { nextNight } from "#domain/job/job.ts";

describe("the next night", () => {
  const zone = process.env.TZ;
  after(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  for (const [where, now, night] of [
    ["UTC", "2026-11-16T02:59:59Z", "2026-11-16T03:00:00Z"],
    ["UTC", "2026-11-16T03:00:00Z", "2026-11-17T03:00:00Z"],
    ["America/Argentina/Buenos_Aires", "2026-12-31T12:00:00Z", "2027-01-01T06:00:00Z"],
    // The clocks go forward from 02:00 to 03:00, and back from 03:00 to 02:00.
    ["Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"],
    ["Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T02:00:00Z"],
    // The clocks go forward from 03:00 to 04:00.
    ["Europe/Helsinki", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"],
    ["Europe/Helsinki", "2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z"],
  ] as const)
    test(`the night after ${now} in ${where} is at 03:00 there`, () => {
      process.env.TZ = where;
      assert.equal(new Date(nextNight(Date.parse(now))).toISOString(), new Date(night).toISOString());
    });
});
