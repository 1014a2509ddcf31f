/** Times in the fields of forms. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { localTime, readLocalTime } from "#console/kit/form.ts";

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

test("a time is written and read as the clock of the time zone shows it", () => {
  const cases: readonly (readonly [zone: string, shown: string, at: string])[] = [
    ["UTC", "2026-11-01T09:30", "2026-11-01T09:30:00.000Z"],
    ["Europe/Berlin", "2026-07-01T00:00", "2026-06-30T22:00:00.000Z"],
    ["Europe/Berlin", "2026-03-29T01:59", "2026-03-29T00:59:00.000Z"],
    ["Europe/Berlin", "2026-03-29T03:00", "2026-03-29T01:00:00.000Z"],
    ["America/St_Johns", "2026-01-01T00:15", "2026-01-01T03:45:00.000Z"],
    ["Pacific/Kiritimati", "2026-01-01T13:00", "2025-12-31T23:00:00.000Z"],
  ];
  for (const [zone, shown, at] of cases) {
    assert.equal(localTime(Date.parse(at), zone), shown, `${zone} ${at}`);
    assert.equal(iso(readLocalTime(shown, zone)), at, `${zone} ${shown}`);
  }
});

test("a date alone, seconds and a space are accepted, and what is no time is not", () => {
  assert.equal(iso(readLocalTime("2026-11-01", "UTC")), "2026-11-01T00:00:00.000Z");
  assert.equal(iso(readLocalTime(" 2026-11-01 09:30:59 ", "UTC")), "2026-11-01T09:30:00.000Z");
  for (const text of ["", "tomorrow", "2026-02-30T10:00", "2026-13-01", "2026-11-01T25:00", "1.11.2026"])
    assert.equal(readLocalTime(text, "UTC"), null, text);
});
