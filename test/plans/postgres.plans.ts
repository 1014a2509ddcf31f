/**
 * The plans of PostgreSQL for every listing, search and read of operators, with 1,000,000 people. A statement
 * is prepared, and PostgreSQL may use another plan for it after five executions, so both plans are checked.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client } from "pg";
import type { SqlText } from "#store/cold/kit/statement.ts";
import { PostgresDb } from "#store/postgres/cold-db.ts";
import { Connection, sessionConfig, type Value } from "#store/postgres/sessions/connection.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { isComplete, listings, mostVisits, readPages } from "./listings.ts";
import { fillings } from "./million.ts";
import { boundedReads, isComplete as hasEveryRead } from "./reads.ts";

/** A step of a plan, as EXPLAIN (ANALYZE, FORMAT JSON) describes it. */
interface Step {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly Step[];
}
const stepsOf = (step: Step): readonly Step[] => [step, ...(step.Plans ?? []).flatMap(stepsOf)];
/** How many rows a step has read from its table, or received from the steps below. */
const visitsOf = (step: Step): number =>
  (step["Actual Rows"] +
    (step["Rows Removed by Filter"] ?? 0) +
    (step["Rows Removed by Index Recheck"] ?? 0)) *
  step["Actual Loops"];

/** Tables of a few rows are read whole. */
const isWholeTable = (step: Step): boolean => step["Node Type"] === "Seq Scan" && visitsOf(step) > 100;

function problemsOf(plan: Step, most: number): readonly string[] {
  const steps = stepsOf(plan);
  return [
    ...steps.filter(isWholeTable).map((step) => `reads the whole table ${step["Relation Name"]}`),
    ...steps
      .filter((step) => visitsOf(step) > most)
      .map((step) => `${step["Node Type"]} visits ${visitsOf(step)} rows, more than ${most}`),
  ];
}

interface Asked {
  readonly sql: string;
  readonly values: readonly Value[];
}
class RecordingConnection extends Connection {
  readonly asked: Asked[] = [];
  override texts(sql: SqlText, values: readonly Value[]): ReturnType<Connection["texts"]> {
    this.asked.push({ sql, values });
    return super.texts(sql, values);
  }
}

const server = await sharedPostgres();
let client: Client;
before(async () => {
  const url = await server.newDatabase();
  const filling = new Client({ connectionString: url });
  await filling.connect();
  // Without foreign keys, which are triggers.
  await filling.query("SET session_replication_role = replica");
  const numbers = (count: number): string => `generate_series(1::bigint, ${count}) AS n`;
  for (const sql of fillings({ numbers, bytes: (text) => `${text}::bytea` })) await filling.query(sql);
  await filling.query("VACUUM ANALYZE");
  await filling.end();
  client = new Client(sessionConfig(url, { statementMs: 0, isSerial: true }));
  await client.connect();
});
after(() => client.end());

const literal = (value: Value): string => {
  if (value === null) return "NULL";
  if (!Array.isArray(value)) return client.escapeLiteral(String(value));
  return client.escapeLiteral(`{${value.map((item) => JSON.stringify(String(item))).join()}}`);
};

/** The plan with these values, and the one that is used from the sixth execution on. */
async function plansOf({ sql, values }: Asked): Promise<readonly Step[]> {
  await client.query(`PREPARE asked AS ${sql}`);
  const execute = values.length === 0 ? "EXECUTE asked" : `EXECUTE asked (${values.map(literal).join()})`;
  const plan = async (options: string): Promise<Step> => {
    const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: Step }] }>(
      `EXPLAIN (FORMAT JSON ${options}) ${execute}`,
    );
    const [row] = rows;
    if (row === undefined) throw new Error("EXPLAIN returned no plan");
    return row["QUERY PLAN"][0].Plan;
  };
  try {
    const first = await plan(", ANALYZE, TIMING OFF");
    for (let times = 0; times < 5; times += 1) await plan("");
    return [first, await plan(", ANALYZE, TIMING OFF")];
  } finally {
    await client.query("DEALLOCATE asked");
  }
}

test("every listing and search is checked on PostgreSQL", isComplete);

for (const [name, cases] of Object.entries(listings))
  for (const listing of cases)
    test(`${name} (${listing.title}) reads no whole table on PostgreSQL and sorts no whole list`, async () => {
      const db = new RecordingConnection(client);
      await readPages(listing, new PostgresDb(db), new PostgresDb(new Connection(client)));
      assert.ok(db.asked.length >= 2, `${db.asked.length} statements`);
      for (const asked of db.asked)
        for (const plan of await plansOf(asked)) {
          const problems = problemsOf(plan, mostVisits(listing));
          assert.deepEqual(problems, [], `${asked.sql}\n${JSON.stringify(plan, null, 1)}`);
        }
    });

test("every read is checked on PostgreSQL, or has a reason", hasEveryRead);

for (const [name, { bound, run, most }] of Object.entries(boundedReads))
  test(`${name} visits a bounded number of rows on PostgreSQL: ${bound}`, async () => {
    const db = new RecordingConnection(client);
    await run(new PostgresDb(db));
    assert.ok(db.asked.length > 0);
    for (const asked of db.asked)
      for (const plan of await plansOf(asked)) {
        const problems = problemsOf(plan, most);
        assert.deepEqual(problems, [], `${asked.sql}\n${JSON.stringify(plan, null, 1)}`);
      }
  });
