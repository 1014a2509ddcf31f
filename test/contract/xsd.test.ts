import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import * as x from "#contract/xsd.ts";

const refuses = (type: x.Scalar<unknown, unknown>, text: string): void =>
  assert.throws(() => type.read(text), x.LexicalError, `${type.xsd} took "${text}"`);

describe("int and long", () => {
  test("accept a sign and leading zeros", () => {
    assert.equal(x.int.read("+0042"), 42);
    assert.equal(x.int.read("-7"), -7);
    assert.equal(x.long.read("-0009"), -9n);
  });
  test("are exact to the limits of their range, and reject the next number", () => {
    assert.equal(x.int.read("2147483647"), 2147483647);
    assert.equal(x.int.read("-2147483648"), -2147483648);
    assert.equal(x.long.read("9223372036854775807"), 9223372036854775807n);
    assert.equal(x.long.read("9007199254740993"), 9007199254740993n);
    for (const text of ["2147483648", "-2147483649"]) refuses(x.int, text);
    for (const text of ["9223372036854775808", "-9223372036854775809"]) refuses(x.long, text);
  });
  test("reject anything but whole numbers", () => {
    for (const text of ["1.0", "1e3", "0x10", "1 2", "--1", "+", "١", "NaN", "9".repeat(2000)]) {
      refuses(x.int, text);
      refuses(x.long, text);
    }
  });
  test("unsignedByte stops at 255", () => {
    assert.equal(x.unsignedByte.read("255"), 255);
    refuses(x.unsignedByte, "256");
    refuses(x.unsignedByte, "-1");
  });
});

test("boolean accepts four words and no others", () => {
  assert.deepEqual(
    ["true", "1", "false", "0"].map((text) => x.boolean.read(text)),
    [true, true, false, false],
  );
  for (const text of ["True", "yes", "2", "TRUE"]) refuses(x.boolean, text);
});

describe("dateTime", () => {
  test("keeps the calendar date as written, whatever the offset", () => {
    const late = x.dateTime.read("1980-05-12T23:30:00-05:00");
    assert.equal(late.date, "1980-05-12");
    assert.equal(late.epochMs, Date.UTC(1980, 4, 13, 4, 30));
  });
  test("accepts a date, fractions, Z and offsets", () => {
    assert.equal(x.dateTime.read("2024-02-29").epochMs, Date.UTC(2024, 1, 29));
    assert.equal(x.dateTime.read("2024-02-29Z").date, "2024-02-29");
    assert.equal(
      x.dateTime.read("2026-11-14T09:30:00.1234567Z").epochMs,
      Date.UTC(2026, 10, 14, 9, 30, 0, 123),
    );
    assert.equal(x.dateTime.read("0001-01-01T00:00:00").date, "0001-01-01");
  });
  test("rejects days, times and offsets that do not exist, and other formats", () => {
    for (const text of [
      "2023-02-29",
      "2026-13-01",
      "2026-00-10",
      "2026-11-31",
      "0000-01-01",
      "2026-11-14T24:00:00",
      "2026-11-14T09:60:00",
      "2026-11-14T09:30",
      "2026-11-14T09:30:00+15:00",
      "2026-11-14T09:30:00+02:60",
      "2026-11-14 09:30:00",
      "2026",
      "2026-11",
      "09:30:00",
      "14.11.2026",
      "-2026-11-14",
    ])
      refuses(x.dateTime, text);
  });
  test("is written in UTC, with a fraction only if there is one", () => {
    assert.equal(x.dateTime.write(Date.UTC(2026, 10, 14, 9, 30)), "2026-11-14T09:30:00Z");
    assert.equal(x.dateTime.write(Date.UTC(2026, 10, 14, 9, 30, 0, 120)), "2026-11-14T09:30:00.12Z");
    assert.equal(x.dateTime.write(Date.UTC(2026, 10, 14, 9, 30, 0, 5)), "2026-11-14T09:30:00.005Z");
  });
});

describe("what is written is read again as the same value", () => {
  const same = <T>(arbitrary: fc.Arbitrary<T>, roundTrip: (value: T) => unknown) =>
    fc.assert(fc.property(arbitrary, (value) => assert.deepEqual(roundTrip(value), value)));
  test("int", () =>
    same(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), (n) => x.int.read(x.int.write(n))));
  test("long", () =>
    same(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (n) => x.long.read(x.long.write(n))));
  test("boolean", () => same(fc.boolean(), (b) => x.boolean.read(x.boolean.write(b))));
  test("string", () => same(fc.string(), (s) => x.string.read(x.string.write(s))));
  test("dateTime", () =>
    same(
      fc.date({
        min: new Date("0001-01-01T00:00:00Z"),
        max: new Date("9999-12-31T23:59:59.999Z"),
        noInvalidDate: true,
      }),
      (date) => new Date(x.dateTime.read(x.dateTime.write(date.getTime())).epochMs),
    ));
});

test("the expected form of a sequence names its elements, and that of an array its items", () => {
  const record = x.sequence("record", { Name: x.string, Age: x.int });
  assert.equal(x.expectation(record), "the elements Name, Age");
  assert.equal(x.expectation(x.arrayOf(record)), "record elements");
});
