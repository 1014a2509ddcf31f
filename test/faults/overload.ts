/**
 * Four times what the service can hold. People who sign up do not wait for each other, so the calls come at their rate however long the others
 * take; but each comes on a connection of its own, as those of HTTP clients do, of these there are so many and no more, and who is told to come again later does.
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
const MOST_MIB = 1024;

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
      assert.ok(mostOfAll <= MOST_MIB, `it took ${Math.round(mostOfAll)} MiB`);
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

/** The database seen past the program: who was acknowledged is on the list, and who was turned away is not there. */
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
    assert.equal(people?.n, members.size, "and nobody else");
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
  return `Written by \`npm run test:faults\`. First it is measured how many durable adds a second the service does for ${FEW} connections; then come ${TIMES} times as many
for ${number(rush.seconds)} s, whether or not the others are answered: people who sign up do not wait for each other. Each comes on a connection of its own, as those of HTTP clients do, and of
those there are ${number(MANY)}: when all are waiting for an answer, or for as long as they were told when they were turned away, a call is not made. Then all of them call in the same
moment, once. Callers and service share the machine's processors.

${table(
  [
    "",
    `${FEW} connections`,
    `${TIMES} times the load`,
    `${number(MANY)} calls in one moment`,
    `${FEW} connections again`,
  ],
  [
    ["calls a second, offered", "–", number(TIMES * perSecond), "–", "–"],
    row("calls a second, done", ({ done, seconds }) => number(done.length / seconds)),
    row("calls done", ({ done }) => number(done.length)),
    row("calls Throttled, with Retry-After", ({ throttled }) => number(throttled.length)),
    row("calls not made", ({ unmade }) => number(unmade)),
    ["calls lost, not answered, or answered otherwise", "0", "0", "0", "0"],
    row("milliseconds until done: half, 99 %, all", ({ done }) => latency(done)),
    row("milliseconds until Throttled: half, 99 %, all", ({ throttled }) => latency(throttled)),
    [
      "memory of the service, MiB, at most",
      number(before),
      number(most),
      number(mostOfAll),
      number(mostOfAll),
    ],
  ],
)}

Afterwards each of the ${number(acknowledged)} people whose add was answered with 0 is on the list and nobody who was turned away is there, as SQL of the test's own finds them, and \`mailroll
doctor\` is content. It may take ${number(MOST_MIB)} MiB at most, else the run fails.
`;
}
