/**
 * Model-based test of several nodes over one PostgreSQL: what they do concurrently with one account equals
 * some order of the same commands one after the other. On failure fast-check prints the shortest sequence and
 * its seed; because the nodes race, it may take several runs to see it again.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PostgresStore } from "#store/postgres/store.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { wrongNumbers } from "../store/recount.ts";
import type { CallerCommand, Interrupting } from "./command.ts";
import { Driver } from "./driver.ts";
import { withKnownFields } from "./known-fields.ts";
import { Model } from "./model.ts";
import { callsOf, partsOf, serialOrder } from "./serial-order.ts";
import { call, firstSteps, interrupting } from "./steps.ts";

const LIVES = Number(process.env.MODEL_LIVES ?? 12);
const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
const postgres = await sharedPostgres();

/** What each node is asked, all at once. */
interface Round {
  readonly first: readonly CallerCommand[];
  readonly second: readonly CallerCommand[];
  readonly between: Interrupting | null;
}
const calls = fc.array(call, { maxLength: 5, size: "max" });
const rounds: fc.Arbitrary<readonly Round[]> = fc.array(
  fc.record({ first: calls, second: calls, between: fc.option(interrupting, { freq: 2 }) }),
  { minLength: 2, maxLength: 8, size: "max" },
);

test("two nodes behave like some sequential order of their commands", async () => {
  const url = await postgres.newDatabase();
  const nodes = [await PostgresStore.open(url, retention), await PostgresStore.open(url, retention)] as const;
  try {
    await fc.assert(
      fc.asyncProperty(rounds, async (life) => {
        const one = await Driver.make(nodes[0]);
        const other = one.on(nodes[1]);
        let model = await begun(one);
        for (const round of life) model = await live(one, other, model, round);
      }),
      { numRuns: LIVES },
    );
    assert.deepEqual(await wrongNumbers(nodes[0]), []);
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
  }
});

async function begun(driver: Driver): Promise<Model> {
  const model = new Model();
  for (const step of firstSteps)
    if ("alone" in step) assert.deepEqual(await driver.alone(step.alone), model.begin(step.alone));
    else {
      const { outcomes } = await driver.together(step.together, null);
      assert.deepEqual(
        outcomes,
        step.together.map((command) => model.call(command)),
      );
    }
  return model;
}

/** Returns the model after the round. */
async function live(one: Driver, other: Driver, model: Model, round: Round): Promise<Model> {
  const known = (commands: readonly CallerCommand[]): readonly CallerCommand[] =>
    commands.map((command) => withKnownFields(command, one));
  const [first, second] = [known(round.first), known(round.second)];
  const [ofFirst, ofSecond] = await Promise.all([
    one.together(first, round.between),
    other.together(second, null),
  ]);
  const seen = await one.look();
  const threads = [callsOf(first, ofFirst.outcomes), callsOf(second, ofSecond.outcomes)];
  if (round.between !== null) threads.push(partsOf(round.between, ofFirst.between ?? false));
  const found = serialOrder(model, threads, seen);
  assert.ok(
    found,
    `no order explains ${JSON.stringify({ first, second, between: round.between, ofFirst, ofSecond, before: model.seen(), seen })}`,
  );
  return found;
}
