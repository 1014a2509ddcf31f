import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseDate } from "#domain/calendar.ts";
import { countryOfNumber } from "#domain/country.ts";
import { parseCustomValue } from "#domain/field/custom-value.ts";
import type { DataType } from "#domain/field/field.ts";
import { parseName } from "#domain/text.ts";

interface Row {
  readonly types: readonly DataType[];
  readonly kept: Readonly<Record<string, string>>;
  readonly refused: readonly string[];
}
const rows: readonly Row[] = [
  {
    types: ["BOOLEAN", "CONSENT", "PERMISSION", "GDPR"],
    kept: { true: "true", " YES ": "true", "1": "true", False: "false", no: "false", "0": "false" },
    refused: ["maybe", "2", "y", "si", "truefalse"],
  },
  {
    types: ["REAL", "SCORE"],
    kept: {
      "3.5": "3.5",
      " -0.50 ": "-0.5",
      "+007": "7",
      "-0.0": "0",
      ".5": "0.5",
      "-5.": "-5",
      "12345678901234567890.123": "12345678901234567890.123",
    },
    refused: ["1,5", "1e5", "NaN", "Infinity", "0x10", ".", "-", "1.2.3", "--1", "abc"],
  },
  {
    types: ["STRING", "ORIGIN"],
    kept: {
      " as it is ": " as it is ",
      ["é".repeat(1000)]: "é".repeat(1000),
      ["😀".repeat(1000)]: "😀".repeat(1000),
    },
    refused: ["x".repeat(1001), "bell\u0007", "half \ud83d", "none \uffff"],
  },
  {
    types: ["DATE"],
    kept: { "2024-02-29": "2024-02-29", " 2026-11-14T23:59:59-05:00 ": "2026-11-14" },
    refused: ["2023-02-29", "14/11/2026", "2026-11", "tomorrow", "2026-11-14T"],
  },
  {
    types: ["EMAIL"],
    kept: { " Ada@Example.org ": "Ada@Example.org" },
    refused: ["ada", "ada@@example.org"],
  },
  {
    types: ["GENDER"],
    kept: { m: "M", FEMALE: "F", " x ": "X", male: "M", F: "F" },
    refused: ["w", "other", "MF"],
  },
  {
    types: ["COUNTRY"],
    kept: { ar: "AR", ARG: "AR", "032": "AR", "32": "AR", gbr: "GB" },
    refused: ["ZZ", "ZZZ", "999", "Argentina", "A", "0"],
  },
  {
    types: ["PHONE"],
    kept: { "+54 11 4321-1234": "+541143211234", "+44 (0)20 7946 0018": "+442079460018" },
    refused: ["011 4321-1234", "12", "+1", "call me", "+54 11 4321-1234 ext".padEnd(200, "1")],
  },
];

for (const { types, kept, refused } of rows)
  for (const type of types)
    describe(`a value of ${type}`, () => {
      for (const [given, expected] of Object.entries(kept))
        test(`"${given.slice(0, 30)}" is stored in normalized form`, () =>
          assert.equal(parseCustomValue(type, given, null), expected));
      for (const given of refused)
        test(`"${given.slice(0, 30)}" is refused`, () =>
          assert.equal(parseCustomValue(type, given, null), null));
    });

test("a telephone number in national format needs the account's country", () => {
  assert.equal(parseCustomValue("PHONE", "011 4321-1234", "AR"), "+541143211234");
  assert.equal(parseCustomValue("PHONE", "020 7946 0018", "GB"), "+442079460018");
  assert.equal(parseCustomValue("PHONE", "020 7946 0018", "US"), null);
});

test("countries by number are those of ISO 3166-1", () => {
  assert.equal(countryOfNumber(32), "AR");
  assert.equal(countryOfNumber(826), "GB");
  assert.equal(countryOfNumber(4), "AF");
  for (const number of [1, 999, -32, 1000]) assert.equal(countryOfNumber(number), null, String(number));
});

test("a date that does not exist is rejected", () => {
  assert.equal(parseDate("2026-02-30"), null);
  assert.equal(parseDate("0000-01-01"), null);
  assert.equal(parseDate("2026-02-28"), "2026-02-28");
});

test("a name is trimmed, at most 100 characters long and without control characters", () => {
  assert.equal(parseName("  City "), "City");
  assert.equal(parseName("😀".repeat(100))?.length, 200);
  for (const name of [
    null,
    "",
    "   ",
    "x".repeat(101),
    "a\u0000b",
    "a\nb",
    "a\u0085b",
    "a\u2028b",
    "half \ud83d",
  ])
    assert.equal(parseName(name), null, JSON.stringify(name));
});
