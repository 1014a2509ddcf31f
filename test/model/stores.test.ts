/**
 * Model-based test: both stores behave like a small model for any sequence of commands, and concurrent
 * commands like some sequential order. On failure fast-check prints the shortest sequence and its seed.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import type { Store } from "#domain/ports/store.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import type { CallerCommand, Interrupting, Outcome } from "./command.ts";
import { Driver } from "./driver.ts";
import { withKnownFields } from "./known-fields.ts";
import { Model } from "./model.ts";
import { notableSequences } from "./notable-sequences.ts";
import { firstSteps, type Step, sequences } from "./steps.ts";

const LIVES = Number(process.env.MODEL_LIVES ?? 6);
const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
const postgres = await sharedPostgres();
let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "mailroll-model-"));
});
after(async () => {
  rmSync(folder, { recursive: true });
});

const stores: Readonly<Record<string, () => Promise<Store>>> = {
  SQLite: () => SqliteStore.open(join(folder, "m.db"), retention),
  PostgreSQL: async () => PostgresStore.open(await postgres.newDatabase(), retention),
};

for (const [name, open] of Object.entries(stores))
  describe(`a store on ${name}`, () => {
    test("behaves like the model for random sequences of commands", async () => {
      const store = await open();
      try {
        await fc.assert(
          fc.asyncProperty(sequences, async (life) => {
            const driver = await Driver.make(store);
            let model = new Model();
            for (const step of [...firstSteps, ...life]) model = await live(driver, model, step);
            assert.deepEqual(await driver.look(), model.seen());
          }),
          { numRuns: LIVES + notableSequences.length, examples: notableSequences.map((life) => [life]) },
        );
        const wrong = (await store.health.recount()).filter(({ kept, counted }) => kept !== counted);
        assert.deepEqual(wrong, [], "every kept number equals a recount");
      } finally {
        await store.close();
      }
    });
  });

/** Returns the model after the step. */
async function live(driver: Driver, model: Model, step: Step): Promise<Model> {
  if ("alone" in step) {
    const command = withKnownFields(step.alone, driver);
    const outcome = await driver.alone(command);
    assert.deepEqual(outcome, model.begin(command), JSON.stringify(step));
    return model;
  }
  const { between } = step;
  const calls = step.together.map((command) => withKnownFields(command, driver));
  const answered = await driver.together(calls, between);
  if (between === null) {
    const expected = calls.map((command) => model.call(command));
    assert.deepEqual(answered.outcomes, expected, JSON.stringify(calls));
    return model;
  }
  const possible = interleavings(model, calls, between)
    .filter(({ outcomes }) => isDeepStrictEqual(outcomes, answered))
    .map((one) => one.model);
  const seen = await driver.look();
  const found = possible.find((one) => isDeepStrictEqual(one.seen(), seen));
  assert.ok(
    found,
    `no order explains ${JSON.stringify({ calls, between, answered, seen, possible: possible.map((one) => one.seen()) })}`,
  );
  return found;
}

/** An interrupting command has three parts. Each may come before any of the calls or after all of them. */
function interleavings(model: Model, calls: readonly CallerCommand[], between: Interrupting) {
  const found: {
    readonly model: Model;
    readonly outcomes: { readonly outcomes: readonly Outcome[]; readonly between: Outcome };
  }[] = [];
  for (let prepared = 0; prepared <= calls.length; prepared += 1)
    for (let begun = prepared; begun <= calls.length; begun += 1)
      for (let finished = begun; finished <= calls.length; finished += 1) {
        const copy = model.copy();
        let erased = 0;
        let outcome: Outcome = false;
        const outcomes: Outcome[] = [];
        for (let at = 0; at <= calls.length; at += 1) {
          if (at === prepared) erased = copy.prepare(between);
          if (at === begun) outcome = copy.begin(between);
          if (at === finished) outcome = copy.finish(between, outcome, erased);
          const command = calls[at];
          if (command !== undefined) outcomes.push(copy.call(command));
        }
        found.push({ model: copy, outcomes: { outcomes, between: outcome } });
      }
  return found;
}
