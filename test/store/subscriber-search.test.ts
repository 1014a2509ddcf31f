/** Searches for subscribers: what they find, and by which indexes, on both databases. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { after, test } from "node:test";
import { Client } from "pg";
import type { AccountId } from "#domain/account.ts";
import type { ListId } from "#domain/list.ts";
import type { SearchOf } from "#domain/ports/subscribers.ts";
import { subscriberOrders } from "#domain/subscriber/search.ts";
import type { Db } from "#store/cold/kit/db.ts";
import type { SqliteValue, SqlText } from "#store/cold/kit/statement.ts";
import { subscriberSearch } from "#store/cold/subscribers/subscriber-search.ts";
import { PostgresDb } from "#store/postgres/cold-db.ts";
import { Connection as PostgresConnection, type Value } from "#store/postgres/sessions/connection.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteDb } from "#store/sqlite/cold-db.ts";
import { Connection as SqliteConnection } from "#store/sqlite/connection.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { actor, newAccount } from "./actor.ts";
import { searchSuite } from "./search-suite.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-search-"));
after(() => rmSync(folder, { recursive: true }));
const server = await sharedPostgres();
const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };

searchSuite("the SQLite store", async () => {
  const file = join(folder, "search.db");
  const store = await SqliteStore.open(file, retention);
  const connection = new SqliteConnection(file, { readOnly: true });
  return {
    store,
    // A page of three visits is read in two slices.
    db: new SqliteDb(connection, { visits: 2, pause: async () => {} }),
    close: async () => {
      connection.close();
      await store.close();
    },
  };
});
searchSuite("the PostgreSQL store", async () => {
  const url = await server.newDatabase();
  const store = await PostgresStore.open(url, retention);
  const client = new Client({ connectionString: url });
  await client.connect();
  return {
    store,
    db: new PostgresDb(new PostgresConnection(client)),
    close: async () => {
      await client.end();
      await store.close();
    },
  };
});

const PEOPLE = 20_000;
/** Few against the number of people, as they are in an installation that has grown. */
const VISITS = 200;

/** Two pages of each kind of search, in both directions; the last ones find hardly anybody. */
async function searchAll(db: Db, account: AccountId, list: ListId): Promise<void> {
  const searches: readonly Partial<SearchOf>[] = [
    {},
    ...subscriberOrders.map((order) => ({ order })),
    { state: "active", order: "address-desc" },
    { state: "complained", order: "newest" },
    { list, order: "newest" },
    { address: { is: "p15000@example.org" } },
    { address: { startsWith: "p1" } },
    { address: { domain: "example.com" } },
    { name: "ada" },
    { state: "complained" },
    { list },
    { list, address: { startsWith: "p1" }, state: "active" },
    { list, address: { domain: "example.com" } },
    { list, name: "ada" },
    { list, state: "complained" },
  ];
  const listing = subscriberSearch(VISITS);
  for (const search of searches) {
    const args = { account, address: null, name: null, state: null, list: null, filter: [], ...search };
    const first = await listing.page(db, args, { after: null, limit: 50 });
    if (first.next !== null) await listing.page(db, args, { after: first.next, limit: 50 });
    const last = await listing.page(db, args, { before: null, limit: 50 });
    if (last.previous !== null) await listing.page(db, args, { before: last.previous, limit: 50 });
  }
}
/** In SQL that both databases understand, but for the series. */
const fill = (account: AccountId, list: ListId, series: string): readonly string[] => [
  `INSERT INTO subscriber (account_id, address, address_key, first_name, known_since)
   SELECT ${account}, 'p' || n || '@example.org', 'p' || n || '@example.org', 'Name' || n, 5 FROM ${series}`,
  `INSERT INTO membership (account_id, list_id, subscriber_id, joined_at)
   SELECT ${account}, ${list}, id, 5 FROM subscriber WHERE account_id = ${account}`,
  `UPDATE subscriber SET complained_at = 5 WHERE id % 1000 = 0`,
  `UPDATE account SET active_subscribers = ${PEOPLE}, complained_subscribers = ${PEOPLE / 1000} WHERE id = ${account}`,
  `UPDATE list SET member_count = ${PEOPLE} WHERE id = ${list}`,
];

/** Others choose the index by counters, or read rows of the subscribers that were found, by their ids. */
const isWalk = (sql: string): boolean => sql.includes("ORDER BY");
const isChoice = (sql: string): boolean => /"hasMost"|"isFewer"/.test(sql);

class RecordingSqlite extends SqliteConnection {
  readonly asked: { readonly sql: string; readonly parameters: readonly SQLInputValue[] }[] = [];
  override arrays(sql: SqlText, isExact: boolean, parameters: readonly SQLInputValue[]): SqliteValue[][] {
    this.asked.push({ sql, parameters });
    return super.arrays(sql, isExact, parameters);
  }
}
const WALK = /address_key>\? AND address_key<\?|subscriber_id>\?|rowid>\? AND rowid<\?/;
test("every page of a search on SQLite walks one index from the end of the last page", async () => {
  const file = join(folder, "plans.db");
  const store = await SqliteStore.open(file, retention);
  const { account, ...of } = actor(store, await newAccount(store));
  const list = await of.list();
  await store.close();
  const rival = new DatabaseSync(file);
  const series = `(
    WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ${PEOPLE})
    SELECT n FROM series
  )`;
  for (const sql of fill(account, list, series)) rival.exec(sql);
  for (const isAnalyzed of [false, true]) {
    if (isAnalyzed) rival.exec("ANALYZE");
    const db = new RecordingSqlite(file, { readOnly: true });
    await searchAll(new SqliteDb(db), account, list);
    db.close();
    assert.ok(db.asked.length >= 100, `${db.asked.length} statements`);
    for (const { sql, parameters } of db.asked) {
      const plan = rival.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
      const steps = plan.map(({ detail }) => String(detail));
      assert.doesNotMatch(
        steps.join("\n"),
        /TEMP B-TREE FOR ORDER|^SCAN (?!json_each)/m,
        `${sql}\n${steps.join("\n")}`,
      );
      const walks = steps.filter((step) => WALK.test(step));
      assert.equal(walks.length, isWalk(sql) ? 1 : 0, `${sql}\n${steps.join("\n")}`);
      if (!isWalk(sql)) assert.match(steps.join("\n"), isChoice(sql) ? /rowid=\?/ : /subscriber_id=\?/, sql);
      if (parameters.includes("complained"))
        assert.match(walks.join(), /subscriber_suppressed \(.*<expr>=\? AND rowid>\?/);
      else if (
        parameters.some(
          (given) => (typeof given === "string" && given.includes("ada")) || given === "@example.com",
        )
      )
        assert.match(walks.join(), /INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)|subscriber_id>\?/);
    }
  }
  rival.close();
});

class RecordingPostgres extends PostgresConnection {
  readonly asked: { readonly sql: string; readonly values: readonly Value[] }[] = [];
  override texts(sql: SqlText, values: readonly Value[]): ReturnType<PostgresConnection["texts"]> {
    this.asked.push({ sql, values });
    return super.texts(sql, values);
  }
}
test("every page of a search on PostgreSQL walks one index from the end of the last page", async () => {
  const url = await server.newDatabase();
  const store = await PostgresStore.open(url, retention);
  const { account, ...of } = actor(store, await newAccount(store));
  const list = await of.list();
  await store.close();
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const series = `(SELECT generate_series(1, ${PEOPLE}) AS n)`;
    for (const sql of fill(account, list, `${series} AS series`)) await client.query(sql);
    await client.query("ANALYZE subscriber, membership");
    const db = new RecordingPostgres(client);
    await searchAll(new PostgresDb(db), account, list);
    assert.ok(db.asked.length >= 100, `${db.asked.length} statements`);
    for (const { sql, values } of db.asked) {
      const { rows } = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN ${sql}`, [...values]);
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      assert.doesNotMatch(plan, /Seq Scan/, `${sql}\n${plan}`);
      if (isChoice(sql)) continue;
      if (values.includes("complained")) assert.match(plan, /subscriber_suppressed/, sql);
      // A sort of the rows that match is bounded by the rows that are visited.
      const bounded = isWalk(sql)
        ? /Index Cond: .*\b(address_key|subscriber_id|id) >= .*\b\1 < /
        : /Index Cond: .*subscriber_id = ANY/;
      assert.match(plan, bounded, sql);
    }
  } finally {
    await client.end();
  }
});
