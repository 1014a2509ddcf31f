/** Slow operations block no others in the PostgreSQL store. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { hashKey } from "#domain/access/key.ts";
import { collect } from "#domain/paging.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import { accounts } from "#store/cold/accounts.ts";
import { fields } from "#store/cold/fields.ts";
import { imports } from "#store/cold/imports.ts";
import { keys } from "#store/cold/keys.ts";
import type { SqlText } from "#store/cold/kit/statement.ts";
import { refusals } from "#store/cold/refused-calls/refused-calls.ts";
import { PostgresDb } from "#store/postgres/cold-db.ts";
import { Connection, type Value } from "#store/postgres/sessions/connection.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { actor, addressOf, newAccount } from "./actor.ts";
import { boundsSuite } from "./bounds-suite.ts";
import { listingSuite } from "./listing-suite.ts";
import { TO_SCHEMA_3 } from "./older-schema.ts";
import { query } from "./postgres-account.ts";
import { wrongNumbers } from "./recount.ts";

const server = await sharedPostgres();
const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };

boundsSuite("the PostgreSQL store", async (kept) => PostgresStore.open(await server.newDatabase(), kept));

listingSuite("the PostgreSQL store", async () => PostgresStore.open(await server.newDatabase(), retention));

/** Records the statements. */
class RecordingConnection extends Connection {
  readonly asked: { readonly sql: string; readonly values: readonly Value[] }[] = [];
  override texts(sql: SqlText, values: readonly Value[]): ReturnType<Connection["texts"]> {
    this.asked.push({ sql, values });
    return super.texts(sql, values);
  }
}

/** Listings with the index that each is read by, and the condition from which a page continues. */
const listings = [
  {
    table: "field",
    columns: "name, name_key, data_type, is_private, created_at",
    values: "n, n, 'STRING', false, 5",
    listing: fields.all,
    index: "field_oldest",
    condition: "ROW\\(created_at, id\\) [<>] ROW",
  },
  {
    table: "refused",
    columns: "operation, args, is_cut, outcome, fingerprint, first_at, last_at",
    values: "'Op', n, false, 'Refused', n::text::bytea, 5, 5",
    listing: refusals.all,
    index: "refused_oldest",
    condition: "ROW\\(last_at, id\\) [<>] ROW",
  },
  {
    table: "import_batch",
    columns: "file_name, started_by, started_at, counts",
    values: "'table.csv', 'tester', 5, '{}'",
    listing: imports.all,
    index: "import_batch_pkey",
    condition: "id [<>] ",
  },
] as const;

for (const { table, columns, values: given, listing, index, condition } of listings)
  test(`reads every page of an account's rows of ${table} by an index from the end of the last one`, async () => {
    const url = await server.newDatabase();
    const store = await PostgresStore.open(url, retention);
    const account = await newAccount(store);
    await store.close();
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(
        `INSERT INTO ${table} (account_id, ${columns})
         SELECT ${account}, ${given} FROM generate_series(1, 20000) AS n`,
      );
      await client.query(`ANALYZE ${table}`);
      const db = new RecordingConnection(client);
      const cold = new PostgresDb(db);
      const first = await listing.page(cold, { account }, { after: null, limit: 15_000 });
      db.asked.length = 0;
      await listing.page(cold, { account }, { after: first.next, limit: 500 });
      await listing.page(cold, { account }, { before: first.next, limit: 500 });
      assert.equal(db.asked.length, 2);
      for (const { sql, values } of db.asked) {
        const { rows } = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN ${sql}`, [...values]);
        const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
        assert.match(plan, new RegExp(`Index Scan (?:Backward )?using ${index}`));
        assert.match(plan, new RegExp(`Index Cond: .*${condition}`));
        assert.doesNotMatch(plan, /Sort/);
      }
    } finally {
      await client.end();
    }
  });

test("reads every page of the accounts, and of the keys of one among many, by an index from the end of the last one", async () => {
  const url = await server.newDatabase();
  await (await PostgresStore.open(url, retention)).close();
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      "INSERT INTO account (name, created_at) SELECT n::text, 5 FROM generate_series(1, 20000) AS n",
    );
    await client.query(
      `INSERT INTO api_key (account_id, hash, hint, label, scope, created_at)
       SELECT 1 + n % 100, n::text::bytea, 'hint', 'label', 'full', 5 FROM generate_series(1, 20000) AS n`,
    );
    await client.query("ANALYZE account, api_key");
    const db = new RecordingConnection(client);
    const cold = new PostgresDb(db);
    const { next } = await accounts.all.page(cold, {}, { after: null, limit: 15_000 });
    const ids = Array.from({ length: 50 }, (_, index) => 400 * (index + 1));
    db.asked.length = 0;
    for (const range of [
      { after: next, limit: 500 },
      { before: next, limit: 500 },
    ]) {
      await accounts.all.page(cold, {}, range);
      await accounts.some.page(cold, { ids }, range);
      await keys.all.page(cold, { account: 50 }, range);
    }
    assert.equal(db.asked.length, 6);
    for (const { sql, values } of db.asked) {
      const { rows } = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN ${sql}`, [...values]);
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      assert.match(plan, /Index Cond: .*id [<>] /);
      if (sql.includes("FROM api_key")) assert.match(plan, /Index Cond: .*account_id = .* AND \(id [<>] /);
      assert.doesNotMatch(plan, /Seq Scan/);
    }
  } finally {
    await client.end();
  }
});

test("reads a subscriber's record from one snapshot", async () => {
  const url = await server.newDatabase();
  const store = await PostgresStore.open(url, retention);
  const { account, ...of } = actor(store, await newAccount(store));
  const [list, address] = [await of.list(), addressOf("ada@example.org")];
  await of.add(list, address.text);
  const rival = new Client({ connectionString: url });
  await rival.connect();
  try {
    await rival.query("BEGIN; LOCK TABLE list");
    const reading = store.subscribers.byAddress({ account, address });
    const waits = "SELECT FROM pg_locks WHERE relation = 'list'::regclass AND NOT granted";
    while ((await rival.query(waits)).rowCount === 0);
    await rival.query("DELETE FROM history; DELETE FROM membership; COMMIT");
    const before = await reading;
    assert.deepEqual([before?.lists.length, before?.history.length], [1, 1]);
    const after = await store.subscribers.byAddress({ account, address });
    assert.deepEqual([after?.lists.length, after?.history.length], [0, 0]);
  } finally {
    await rival.end();
    await store.close();
  }
});

test("looks up a key while more pages and recounts than connections wait for a lock", async () => {
  const url = await server.newDatabase();
  const store = await PostgresStore.open(url, retention);
  const account = await newAccount(store);
  const hash = hashKey("K");
  const key = {
    account,
    hash,
    hint: "K",
    length: 1,
    label: "",
    scope: "full",
    expiresAt: null,
    at: 1,
  } as const;
  await store.keys.create(key);
  const rival = new Client({ connectionString: url });
  await rival.connect();
  await rival.query("BEGIN; LOCK TABLE field, list, refused");
  const order: string[] = [];
  const slow = Promise.allSettled(
    [
      ...Array.from({ length: 6 }, () => collect(store.fields.all.pages({ account }))),
      ...Array.from({ length: 6 }, () => collect(store.lists.all.pages({ account }))),
      store.health.recount(),
      collect(store.refusals.all.pages({ account })),
    ].map((asked) => asked.then(() => order.push("slow"))),
  );
  try {
    assert.equal((await store.keys.byHash({ hash }))?.account, account);
    assert.equal(await store.campaigns.lastSent({ account }), null);
    assert.deepEqual(order, [], "all others wait");
  } finally {
    await rival.query("ROLLBACK");
    await rival.end();
    await slow;
    await store.close();
  }
});

test("commands that wait behind others for a locked table fail as soon after their arrival as the first", async () => {
  const url = await server.newDatabase();
  const store = await PostgresStore.open(url, retention);
  const account = await newAccount(store);
  const rival = new Client({ connectionString: url });
  await rival.connect();
  await rival.query("BEGIN; LOCK TABLE list");
  const create = async (name: string): Promise<number> => {
    const since = performance.now();
    await assert.rejects(store.lists.create({ account, name, at: 1 }), StoreUnavailable);
    return performance.now() - since;
  };
  try {
    const first = create("1");
    const waits = "SELECT FROM pg_locks WHERE relation = 'list'::regclass AND NOT granted";
    while ((await rival.query(waits)).rowCount === 0);
    const others = Promise.all(["2", "3", "4"].map(create));
    const firstMs = await first;
    for (const ms of await others) assert.ok(ms < 1.5 * firstMs, `${ms} ms, the first one ${firstMs} ms`);
  } finally {
    await rival.end();
    await store.close();
  }
});

test("reads a list once for all calls that wait for it, so that other reads get a connection", async () => {
  const url = await server.newDatabase();
  const store = await PostgresStore.open(url, retention);
  const account = await newAccount(store);
  const rival = new Client({ connectionString: url });
  await rival.connect();
  await rival.query("BEGIN; LOCK TABLE list");
  let answered = 0;
  const waiting = Array.from({ length: 20 }, async () => {
    const lists = await collect(store.lists.all.pages({ account }));
    answered += 1;
    return lists;
  });
  try {
    assert.deepEqual(await collect(store.fields.all.pages({ account })), []);
    assert.equal(answered, 0, "the lists are still locked");
  } finally {
    await rival.query("INSERT INTO list (account_id, name, created_at) VALUES (1, 'L', 1)");
    await rival.query("COMMIT");
    await rival.end();
  }
  for (const lists of await Promise.all(waiting))
    assert.deepEqual(
      lists.map(({ name }) => name),
      ["L"],
    );
  await store.close();
});

test("counts the refused calls of a migrated database, and keeps the field limits of its accounts", async () => {
  const url = await server.newDatabase();
  const first = await PostgresStore.open(url, retention);
  const account = await newAccount(first);
  await first.accounts.set({ id: account, settings: { limitFields: null } });
  const recordedCall = { operation: "Op", args: "é".repeat(100), isCut: false };
  await first.fields.add({ account, at: 1, origin: { kind: "operator" }, recordedCall, field: null });
  await first.close();
  await query(url, TO_SCHEMA_3);
  const second = await PostgresStore.open(url, retention);
  const bytes = (await second.health.recount()).find(({ what }) => what.startsWith("bytes"));
  assert.deepEqual([bytes?.kept, bytes?.counted], [200, 200]);
  assert.deepEqual(await wrongNumbers(second), []);
  assert.equal((await collect(second.accounts.all.pages({})))[0]?.limitFields, null);
  await second.close();
});
