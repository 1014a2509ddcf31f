/** What it costs to search the arguments of calls for somebody who is erased. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { containsAddress } from "#domain/find-address.ts";
import { addressOf } from "../store/actor.ts";
import { pieces } from "./argument-pieces.ts";

/** Processor time, in microseconds, that some systems count in steps only. */
const TICKS = 50_000;

test("searching arguments takes linear time, whatever they contain", () => {
  const ada = addressOf("ada@example.org");
  const cost = (args: string): number => {
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3; round += 1) {
      const before = process.threadCpuUsage();
      containsAddress(args, ada);
      const { user, system } = process.threadCpuUsage(before);
      least = Math.min(least, user + system);
    }
    return least;
  };
  for (const piece of pieces) {
    const once = cost(piece.repeat(32_768 / piece.length));
    const fourTimes = cost(piece.repeat(131_072 / piece.length));
    assert.ok(
      fourTimes < 10 * once + TICKS,
      `${piece}: ${once} µs, and ${fourTimes} µs for four times as much`,
    );
  }
});
