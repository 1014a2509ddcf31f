/**
 * Four times the capacity. Subscribers sign up independently, so calls arrive at a fixed rate however long
 * the others take. Each uses its own connection, as HTTP clients do; their number is limited, and a rejected
 * one waits for its Retry-After.
 */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { Installation } from "../cli/program.ts";
import { assertMayOpen } from "../may-open.ts";
import { memoryOf } from "../process-memory.ts";
import { number, table } from "../reliability-page.ts";
import { KEY } from "../service.ts";
import { latency } from "./latency.ts";
import { addressOf, LoadGenerator, type Result } from "./load-generator.ts";

const FEW = 64;
const MANY = 12_000;
const TIMES = 4;
const MAX_MIB = 1024;

export async function overload(ms: number): Promise<string> {
  assertMayOpen(MANY);
  const home = new Installation();
  try {
    const served = await home.serve(["--api-key", KEY]);
    const load = new LoadGenerator(new URL(served.endpoint).origin);
    try {
      const fewMs = Math.min(ms, 5000);
      await load.steady(FEW, fewMs);
      const held = await load.steady(FEW, fewMs);
      const perSecond = Math.round(held.done.length / held.seconds);
      const before = memoryOf(served.pid).now;
      const rush = await load.rush(MANY, TIMES * perSecond, ms);
      const most = memoryOf(served.pid).most;
      const burst = await load.burst(MANY);
      const mostOfAll = memoryOf(served.pid).most;
      const after = await load.steady(FEW, fewMs);
      assert.ok(mostOfAll <= MAX_MIB, `it took ${Math.round(mostOfAll)} MiB`);
      assert.ok(rush.done.length > 0, "many are served");
      assert.ok(rush.throttled.length + burst.throttled.length > 0, "and it was more than could be");
      assertInEffect(home.database, load);
      const doctor = await home.run(["doctor"]);
      assert.equal(doctor.code, 0, `the doctor is not content:\n${doctor.out}${doctor.err}`);
      return page({ held, rush, burst, after }, perSecond, [before, most, mostOfAll]);
    } finally {
      load.close();
    }
  } finally {
    await home.remove();
  }
}

/** Reads the database directly: acknowledged addresses are on the list, and rejected ones are not. */
function assertInEffect(file: string, { outcomes }: LoadGenerator): void {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  try {
    const rows = db
      .prepare(
        "SELECT s.address_key AS address FROM subscriber AS s JOIN membership AS m ON m.account_id = s.account_id AND m.subscriber_id = s.id AND m.list_id = 1",
      )
      .all();
    const members = new Set(rows.map(({ address }) => String(address)));
    for (const [n, outcome] of outcomes.entries())
      assert.equal(members.has(addressOf(n)), outcome === "done", `${addressOf(n)}, who was ${outcome}`);
    const people = db.prepare("SELECT count(*) AS n FROM subscriber").get();
    assert.equal(people?.n, members.size, "there are no other subscribers");
  } finally {
    db.close();
  }
}

function page(
  results: Readonly<Record<"held" | "rush" | "burst" | "after", Result>>,
  perSecond: number,
  [before = 0, most = 0, mostOfAll = 0]: readonly number[],
): string {
  const { held, rush, burst, after } = results;
  const row = (name: string, of: (result: Result) => string): readonly string[] => [
    name,
    ...[held, rush, burst, after].map(of),
  ];
  const acknowledged = [held, rush, burst, after].reduce((sum, { done }) => sum + done.length, 0);
  return `Written by \`npm run test:faults\`. Callers and service share the processors of the machine. There are four phases:

1. ${FEW} connections make durable adds; this measures the capacity.
2. ${TIMES} times that rate for ${number(rush.seconds)} s. New calls do not wait for earlier ones to be answered. Each uses its own connection, out of ${number(MANY)}. If all connections wait for a response or for their Retry-After, a call is not made.
3. All ${number(MANY)} connections make one call at the same moment.
4. ${FEW} connections again.

${table(
  [
    "",
    `${FEW} connections`,
    `${TIMES} times the load`,
    `${number(MANY)} calls at once`,
    `${FEW} connections again`,
  ],
  [
    ["calls per second, offered", "–", number(TIMES * perSecond), "–", "–"],
    row("calls per second, done", ({ done, seconds }) => number(done.length / seconds)),
    row("calls done", ({ done }) => number(done.length)),
    row("calls Throttled, with Retry-After", ({ throttled }) => number(throttled.length)),
    row("calls not made", ({ unmade }) => number(unmade)),
    ["calls lost, not answered, or with another response", "0", "0", "0", "0"],
    row("latency of done calls, ms: p50 / p99 / maximum", ({ done }) => latency(done)),
    row("latency of Throttled calls, ms: p50 / p99 / maximum", ({ throttled }) => latency(throttled)),
    [
      "peak memory of the service so far, MiB",
      number(before),
      number(most),
      number(mostOfAll),
      number(mostOfAll),
    ],
  ],
)}

Afterwards the test reads the list with its own SQL: each of the ${number(acknowledged)} subscribers whose add was answered with 0 is on it, and none whose add was rejected. \`mailroll doctor\` reports no problem. The run fails if the service uses more than ${number(MAX_MIB)} MiB.
`;
}
