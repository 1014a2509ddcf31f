/** What it costs to reject a value that is far too long. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseAddress } from "#domain/address.ts";
import { parseCustomValue } from "#domain/field/custom-value.ts";
import { dataTypes } from "#domain/field/field.ts";
import { parseName } from "#domain/text.ts";

const cpuOf = (work: () => void): number => {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
};

describe("a value of a million characters is rejected by its length, without being parsed", () => {
  const parsers: Readonly<Record<string, (text: string) => unknown>> = {
    ...Object.fromEntries(
      dataTypes.map((type) => [type, (text: string) => parseCustomValue(type, text, "AR")]),
    ),
    "a name": parseName,
    "an address": parseAddress,
  };
  for (const [what, parse] of Object.entries(parsers))
    test(what, () => {
      const long = Buffer.from("😀".repeat(1_000_000)).toString();
      let [refusing, spreading] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      for (let round = 0; round < 3; round += 1) {
        refusing = Math.min(
          refusing,
          cpuOf(() => assert.equal(parse(long), null)),
        );
        spreading = Math.min(
          spreading,
          cpuOf(() => assert.equal([...long].length, 1_000_000)),
        );
      }
      assert.ok(refusing * 50 < spreading, `${refusing} µs, and ${spreading} µs to spread it once`);
    });
});
