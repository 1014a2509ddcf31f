/** Long lists on PostgreSQL: by one index, without parallel workers, in a thread of their own. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Client } from "pg";
import type { EventSubscriber } from "#domain/campaign.ts";
import type { RowForm } from "#domain/paging.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import { integer, type SqlText } from "#store/cold/kit/statement.ts";
import { eventSubscriberRow, subscribersByEvent } from "#store/postgres/hot/event-subscribers.ts";
import type { PageCall } from "#store/postgres/hot/list-reader.ts";
import { Connection, type PlainRow, type Value } from "#store/postgres/sessions/connection.ts";
import { READ_MS, ReadPool } from "#store/postgres/sessions/read-pool.ts";
import { statement } from "#store/postgres/statement.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { ListPages } from "#store/postgres/threads/list-pages.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { encodedList } from "./actor.ts";
import { newAccount, query } from "./postgres-account.ts";

const retention = { days: 90, rows: 100, bytes: 2 ** 28 };
const ROWS = 20_000;
const form: RowForm<EventSubscriber> = {
  start: "<",
  end: ">",
  fields: [{ name: "address", start: "", end: "", empty: "" }],
  escapes: [],
};
const row = eventSubscriberRow(form);

const server = await sharedPostgres();
let url: string;
let args: PageCall[1];
/** A campaign with many bounces, scattered over the table. */
before(async () => {
  url = await server.newDatabase();
  const store = await PostgresStore.open(url, retention);
  const { account, campaign } = await newAccount(store);
  args = { account, campaign, event: "bounced" };
  await store.close();
  await query(
    url,
    `INSERT INTO subscriber (account_id, address, address_key, known_since, bounced_at)
       SELECT ${account}, 'p' || n, 'p' || n, 1, 1 FROM generate_series(1, ${ROWS}) AS n;
     INSERT INTO campaign_event (account_id, subscriber_id, campaign_id, event, at, joined_at, first_name, last_name, address)
       SELECT account_id, id, ${campaign}, 'hard-bounce', id * 7919 % ${ROWS}, 1, first_name, last_name, address FROM subscriber;
     ANALYZE`,
  );
});

const sessions = async (): Promise<number> =>
  (
    await query(
      url,
      "SELECT 1 FROM pg_stat_activity WHERE application_name = 'mailroll' AND datname = current_database()",
    )
  ).length;

test("reads a page by one index from the end of the last one, without a join", async () => {
  class RecordingConnection extends Connection {
    readonly asked: { readonly sql: string; readonly values: readonly Value[] }[] = [];
    override all<Row extends PlainRow>(
      sql: SqlText<Row>,
      ...values: readonly Value[]
    ): Promise<readonly Row[]> {
      this.asked.push({ sql, values });
      return super.all(sql, ...values);
    }
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  const db = new RecordingConnection(client);
  for (const end of [null, [5000, 1]] as const) await subscribersByEvent(db, args, row, end, 500);
  for (const { sql, values } of db.asked) {
    const { rows } = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN ${sql}`, [...values]);
    const plan = rows.map((line) => line["QUERY PLAN"]).join("\n");
    assert.match(plan, /Index Scan using campaign_event_oldest.*\n.*ROW\(at, id\) > ROW/);
    assert.doesNotMatch(plan, /Join|Nested Loop|on subscriber|Seq Scan/);
  }
  await client.end();
});

test("uses no parallel workers, even where the server prefers them", async () => {
  const workers = async (): Promise<number> => {
    // A session that has ended has added what it used to the statistics.
    while ((await sessions()) > 0);
    const [found] = await query<{ n: string }>(
      url,
      "SELECT parallel_workers_to_launch AS n FROM pg_stat_database WHERE datname = current_database()",
    );
    return Number(found?.n);
  };
  const name = new URL(url).pathname.slice(1);
  await query(url, `ALTER DATABASE ${name} SET debug_parallel_query = on`);
  const before = await workers();
  const count = statement({ n: integer }, "SELECT count(*) AS n FROM campaign_event");
  const pool = new ReadPool(url, 1);
  assert.deepEqual(await pool.answer(READ_MS, (db) => db.all(count)), [{ n: ROWS }]);
  await pool.close();
  assert.equal(await workers(), before);
  const client = new Client({ connectionString: url, application_name: "mailroll" });
  await client.connect();
  await client.query(count);
  await client.end();
  assert.ok((await workers()) > before, "the server does prefer them");
  await query(url, `ALTER DATABASE ${name} RESET ALL`);
});

test("counts the connections of the thread, while a page waits for a lock and after it", async () => {
  const store = await PostgresStore.open(url, retention);
  const none = { busy: 0, idle: 0, waiting: 0 };
  assert.deepEqual(store.load.connections, none);
  const rival = new Client({ connectionString: url });
  await rival.connect();
  await rival.query("BEGIN; LOCK TABLE campaign_event");
  const pages = encodedList(store, args.account, args.campaign)[Symbol.asyncIterator]();
  const first = pages.next();
  while (store.load.connections.busy === 0) await setImmediate();
  assert.deepEqual(store.load.connections, { busy: 1, idle: 0, waiting: 0 });
  await rival.query("ROLLBACK");
  await rival.end();
  let text = Buffer.from((await first).value?.bytes ?? []).toString();
  for (let next = await pages.next(); next.done !== true; next = await pages.next())
    text += Buffer.from(next.value.bytes).toString();
  assert.equal(text.split("<").length - 1, ROWS);
  while (store.load.connections.busy + store.load.connections.waiting > 0) await setImmediate();
  assert.deepEqual(store.load.connections, { busy: 0, idle: 1, waiting: 0 }, "it reads one page at a time");
  await store.close();
  assert.deepEqual(store.load.connections, none);
});

test("finishes the pages that are being read before the thread ends, with its sessions", async () => {
  const lists = new ListPages(url, null);
  const pages = Promise.all(
    Array.from({ length: 10 }, () => lists.page(["campaigns.subscribersByEvent", args, row, null])),
  );
  const closed = lists.close();
  assert.deepEqual(new Set((await pages).map(({ rows }) => rows)), new Set([500]));
  await closed;
  while ((await sessions()) > 0);
});

test("rejects with the classes of the port, and goes on", async () => {
  const lists = new ListPages(url, null);
  await assert.rejects(
    lists.page(["campaigns.subscribersByEvent", args, "no_such_column", null]),
    (error: Error) => {
      assert.ok(!(error instanceof StoreUnavailable), "a defect is no outage");
      assert.match(error.message, /column "no_such_column" does not exist/);
      return true;
    },
  );
  const rival = new Client({ connectionString: url });
  await rival.connect();
  await rival.query("BEGIN; LOCK TABLE campaign_event");
  await assert.rejects(lists.page(["campaigns.subscribersByEvent", args, row, null]), StoreUnavailable);
  await rival.query("ROLLBACK");
  await rival.end();
  assert.equal((await lists.page(["campaigns.subscribersByEvent", args, row, null])).rows, 500);
  await lists.close();
});

test("reports a thread that cannot start as unavailable, for every page", async () => {
  const lists = new ListPages("not a URL", null);
  for (let attempt = 0; attempt < 2; attempt += 1)
    await assert.rejects(lists.page(["campaigns.subscribersByEvent", args, row, null]), (error: Error) => {
      assert.ok(error instanceof StoreUnavailable);
      assert.match(error.message, /the database thread ended: Invalid URL/);
      return true;
    });
  assert.deepEqual(lists.connections, { busy: 0, idle: 0, waiting: 0 });
  await lists.close();
});
