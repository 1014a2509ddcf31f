/** A step of a job on PostgreSQL reads what it changes, however large the account is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { PostgresStore } from "#store/postgres/store.ts";
import { JOB_STEP } from "#store/writes/step-limits.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { actor, NOW, newAccount } from "../store/actor.ts";
import { leaseAt, stepOf } from "../store/job-steps.ts";

const SUBSCRIBERS = 20_000;
const STEPS = 4;
/** Each is looked up a few times: as a member, with its memberships, and to delete them. */
const MAX_READ = 8 * JOB_STEP * STEPS;
const retention = { days: 90, rows: 1000, bytes: 2 ** 20 };
const server = await sharedPostgres();

test("reads no more subscribers and memberships than the steps of a deletion change", async () => {
  const url = await server.newDatabase();
  const open = () => PostgresStore.open(url, retention);
  const filling = await open();
  const a = actor(filling, await newAccount(filling));
  const list = await a.list();
  await filling.close();
  const client = new Client({ connectionString: url });
  await client.connect();
  const numbers = `FROM generate_series(1, ${SUBSCRIBERS}) AS n`;
  await client.query(
    `INSERT INTO subscriber (account_id, id, address, address_key, known_since)
       SELECT ${a.account}, n, n, n, 1 ${numbers}`,
  );
  await client.query(
    `INSERT INTO membership (account_id, subscriber_id, list_id, joined_at)
       SELECT ${a.account}, n, ${list}, 1 ${numbers}`,
  );
  await client.query("VACUUM ANALYZE");
  await client.query("SELECT pg_stat_reset()");

  const store = await open();
  const origin = { kind: "operator" } as const;
  const deletion = { account: a.account, id: list, at: NOW, origin, lease: leaseAt(NOW) };
  const deleted = await store.lists.delete(deletion);
  assert.ok(deleted !== null && "job" in deleted && deleted.job !== null);
  for (let n = 1; n < STEPS; n += 1) assert.equal(await stepOf(store, deleted.job, NOW), "continues");
  await store.close();

  // A session reports what it read when it ends.
  const read = async () => {
    const { rows } = await client.query<{ deleted: number; scanned: number; fetched: number }>(
      `SELECT max(n_tup_del)::int AS deleted, sum(seq_tup_read)::int AS scanned, sum(idx_tup_fetch)::int AS fetched
         FROM pg_stat_user_tables WHERE relname IN ('subscriber', 'membership')`,
    );
    assert.ok(rows[0]);
    return rows[0];
  };
  let total = await read();
  while (total.deleted < STEPS * JOB_STEP) total = await read();
  await client.end();
  assert.equal(total.scanned, 0, "rows of scanned tables");
  assert.ok(total.fetched <= MAX_READ, `${total.fetched} rows by key`);
});
