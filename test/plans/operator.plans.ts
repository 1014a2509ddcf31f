/** Reads of operators visit few rows, however many there are: their plans on both databases. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import type { PageRange } from "#domain/ports/listing.ts";
import type { Store } from "#domain/ports/store.ts";
import { blocks } from "#store/cold/blocks.ts";
import { campaigns } from "#store/cold/campaigns.ts";
import { fields } from "#store/cold/fields.ts";
import { listDeletion, lists } from "#store/cold/lists.ts";
import { statistics } from "#store/cold/statistics.ts";
import { historyPages, resultPages } from "#store/cold/subscribers/subscriber-history.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { actor, addressOf, newAccount } from "../store/actor.ts";
import { type PlannedDatabase, plannedPostgres, plannedSqlite } from "../store/planned-database.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-plans-"));
after(() => rmSync(folder, { recursive: true }));
const server = await sharedPostgres();
const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
let files = 0;

/** With one account, which has a list with a subscriber: all of them have the id 1. */
const databases: Readonly<Record<string, () => Promise<PlannedDatabase>>> = {
  SQLite: async () => {
    files += 1;
    const file = join(folder, `${files}.db`);
    await fill(await SqliteStore.open(file, retention));
    return plannedSqlite(file);
  },
  PostgreSQL: async () => {
    const url = await server.newDatabase();
    await fill(await PostgresStore.open(url, retention));
    return await plannedPostgres(url);
  },
};
async function fill(store: Store): Promise<void> {
  const of = actor(store, await newAccount(store));
  await of.add(await of.list(), "ada@example.org");
  await store.close();
}

const OF_EVENTS =
  /COVERING INDEX campaign_event_oldest|Index (?:Only )?Scan (?:using|on) campaign_event_oldest/;
const UNBOUNDED = /^SCAN (?!json_each|\(subquery)|TEMP B-TREE|Seq Scan|Sort/m;

for (const [name, open] of Object.entries(databases))
  describe(`on ${name}`, () => {
    test("the values of fields are counted of a bounded number of subscribers, by indexes", async (t) => {
      const database = await open();
      t.after(() => database.close());
      const { db, run, series, plans } = database;
      await run(
        `INSERT INTO subscriber (account_id, address, address_key, known_since)
         SELECT 1, 'p' || n, 'p' || n, 5 FROM ${series(20_000)};
         INSERT INTO field (account_id, name, name_key, data_type, is_private, created_at)
         SELECT 1, 'F' || n, 'f' || n, 'STRING', ${name === "SQLite" ? "0" : "false"}, 5 FROM ${series(3)};
         INSERT INTO custom_value (account_id, subscriber_id, field_id, value, given_at)
         SELECT 1, s.id, f.id, 'x', 5 FROM subscriber AS s CROSS JOIN field AS f WHERE f.id <> 3;
         UPDATE account SET active_subscribers = 20001 WHERE id = 1;
         ANALYZE`,
      );
      const { usage } = fields;
      const context = { retention, ledgerDays: 400 };
      const some = await usage.run(db, { account: 1, limit: 100 }, context);
      const values = some.subscribers;
      assert.ok(values > 10 && values <= 50, `${values} subscribers`);
      assert.deepEqual(some, {
        ...{ subscribers: values, hasMore: true },
        counts: [
          { field: 1n, values },
          { field: 2n, values },
        ],
      });
      const all = await usage.run(db, { account: 1, limit: 30_000 }, context);
      assert.deepEqual(
        [all.subscribers, all.hasMore, all.counts.map(({ values }) => values)],
        [20_001, false, [20_001, 20_001]],
      );
      const valuesOf = async (id: bigint, limit: number) => {
        const found = await fields.withValueCount.run(db, { account: 1, id, limit }, context);
        return [found?.values, found?.hasMore];
      };
      assert.deepEqual(await valuesOf(1n, 100), [100, true]);
      assert.deepEqual(await valuesOf(3n, 100), [0, true]);
      assert.deepEqual(await valuesOf(1n, 20_001), [20_001, false]);
      // The tables of fields and accounts have a few rows, which PostgreSQL reads whole.
      for (const { sql, plan } of await plans())
        if (/FROM (?:subscriber|custom_value)\b/.test(sql))
          assert.doesNotMatch(plan, /^SCAN (?!s$|CONSTANT|json_each)|Seq Scan/m, sql);
    });

    test("pages of what happened to a subscriber are read by an index, from the end of the last page", async (t) => {
      const database = await open();
      t.after(() => database.close());
      const { db, run, series, plans } = database;
      const many = series(20_000);
      await run(
        `INSERT INTO subscriber (account_id, address, address_key, known_since)
         SELECT 1, 'p' || n, 'p' || n, 5 FROM ${many};
         INSERT INTO history (account_id, subscriber_id, at, kind, origin)
         SELECT 1, id, 5, 'joined', 'operator' FROM subscriber WHERE account_id = 1;
         INSERT INTO history (account_id, subscriber_id, at, kind, origin)
         SELECT 1, 1, n, 'joined', 'operator' FROM ${series(2000)};
         INSERT INTO campaign (account_id, name, created_at) SELECT 1, 'C', 5 FROM ${series(2000)};
         INSERT INTO campaign_event (
           account_id, campaign_id, event, subscriber_id, at, joined_at, address, first_name, last_name
         )
         SELECT 1, id, 'complaint', 1, 5, 5, 'a', '', '' FROM campaign;
         INSERT INTO campaign_event (
           account_id, campaign_id, event, subscriber_id, at, joined_at, address, first_name, last_name
         )
         SELECT 1, 1, 'complaint', id, 5, 5, 'a', '', '' FROM subscriber WHERE account_id = 1 AND id > 1;
         ANALYZE`,
      );
      const of = { account: 1, subscriber: 1 };
      for (const listing of [historyPages, resultPages]) {
        const first = await listing.page(db, of, { after: null, limit: 50 });
        const second = await listing.page(db, of, { after: first.next, limit: 50 });
        const ranges: readonly PageRange[] = [
          { before: second.previous, limit: 50 },
          { before: null, limit: 50 },
        ];
        for (const range of ranges) await listing.page(db, of, range);
        assert.deepEqual((await listing.page(db, of, ranges[0] as PageRange)).rows, first.rows);
      }
      const read = await plans();
      assert.equal(read.length, 10);
      for (const { sql, plan } of read) assert.doesNotMatch(plan, UNBOUNDED, `${sql}\n${plan}`);
      const continued = read.filter(({ sql }) => /id\)? [<>] \(?[?$]|event\) [<>]|event [<>]/.test(sql));
      assert.equal(continued.length, 6);
      for (const { sql, plan } of continued)
        assert.match(plan, /(?:rowid|event|campaign_id|id)\)? ?[<>] ?(?:\?|'|ROW)/, `${sql}\n${plan}`);
    });

    test("the deletion of a list counts its campaigns among a bounded number of them", async (t) => {
      const database = await open();
      t.after(() => database.close());
      const { db, run, series, plans } = database;
      await run(
        `INSERT INTO campaign (account_id, name, created_at) SELECT 1, 'C', n FROM ${series(20_000)};
         INSERT INTO campaign_list (account_id, campaign_id, list_id, name, list_created_at)
         SELECT 1, id, 1, 'List', 5 FROM campaign WHERE id % 2 = 0;
         INSERT INTO campaign_list (account_id, campaign_id, list_id, name, list_created_at)
         SELECT 1, id, 2, 'Other', 5 FROM campaign;
         ANALYZE`,
      );
      const found = await listDeletion(db, { account: 1, id: 1 }, 100);
      assert.deepEqual([found?.list.id, found?.campaigns, found?.hasMoreCampaigns], [1, 50, true]);
      const [, counting] = await plans();
      assert.ok(counting);
      assert.match(counting.plan, /campaign_newest/);
      assert.doesNotMatch(counting.plan, /^SCAN (?!c$|v$|CONSTANT)|Seq Scan|Sort/m, counting.plan);
      const all = await listDeletion(db, { account: 1, id: 1 }, 30_000);
      assert.deepEqual([all?.campaigns, all?.hasMoreCampaigns], [10_000, false]);
      assert.equal(await listDeletion(db, { account: 1, id: 2 }), null);
    });

    test("the use of some keys is read by an index, only of these keys and days", async (t) => {
      const database = await open();
      t.after(() => database.close());
      const { db, run, series, plans } = database;
      await run(
        `INSERT INTO api_key (account_id, hash, hint, label, scope, created_at)
         SELECT 1, ${name === "SQLite" ? "CAST(n AS blob)" : "CAST(CAST(n AS text) AS bytea)"}, 'A', '', 'full', 5
         FROM ${series(200)};
         INSERT INTO call_day (account_id, key_id, day, program, calls, refusals, faults)
         SELECT 1, id, n, 'P', 1, 0, 0 FROM api_key CROSS JOIN ${series(200)};
         INSERT INTO client_quirk (account_id, key_id, quirk, program, seen_at)
         SELECT 1, id, 'http-1.0', 'P', 5 FROM api_key;
         ANALYZE`,
      );
      const args = { account: 1, keys: [7, 8], from: 11, to: 20, programs: 3 };
      const used = await statistics.useOfKeys.run(db, args, { retention, ledgerDays: 400 });
      assert.deepEqual([used.days.length, used.programs.length, used.quirks.length], [20, 2, 2]);
      // A key has at most three quirks: their table is small.
      const read = (await plans()).filter(({ sql }) => sql.includes("call_day"));
      assert.equal(read.length, 2);
      for (const { sql, plan } of read) {
        assert.doesNotMatch(plan, /^SCAN (?!json_each|ranked|\(subquery)|Seq Scan/m, `${sql}\n${plan}`);
        assert.match(plan, /account_id ?= ?\S+ (?:AND )?\(?key_id ?=.*day ?>/, `${sql}\n${plan}`);
      }
    });

    test("results of campaigns are counted from an index, those of a page of campaigns up to a bound", async (t) => {
      const database = await open();
      t.after(() => database.close());
      const { db, run, series, plans } = database;
      const day = 86_400_000;
      await run(
        `INSERT INTO subscriber (account_id, address, address_key, known_since)
         SELECT 1, 'p' || n, 'p' || n, 5 FROM ${series(12_000)};
         INSERT INTO campaign (account_id, name, created_at) SELECT 1, 'C' || n, n FROM ${series(20_000)};
         INSERT INTO campaign_event (
           account_id, campaign_id, event, subscriber_id, at, joined_at, address, first_name, last_name
         )
         SELECT 1, 20000, 'unsubscribe', id, (id % 4) * ${day}, 5, 'a', '', '' FROM subscriber WHERE id > 1;
         INSERT INTO campaign_event (
           account_id, campaign_id, event, subscriber_id, at, joined_at, address, first_name, last_name
         )
         SELECT 1, 19999, 'complaint', id, ${2 * day} - 1, 5, 'a', '', '' FROM subscriber WHERE id > 11900;
         INSERT INTO campaign_event (
           account_id, campaign_id, event, subscriber_id, at, joined_at, address, first_name, last_name
         )
         SELECT 1, c.id, 'hard-bounce', s.id, 5, 5, 'a', '', ''
         FROM campaign AS c CROSS JOIN (SELECT id FROM subscriber ORDER BY id LIMIT 4) AS s
         WHERE c.id < 19000;
         INSERT INTO account (name, created_at) VALUES ('Other', 5);
         ANALYZE`,
      );
      const context = { retention, ledgerDays: 400 };
      const of = { account: 1, from: 1, to: 2, most: 5000 };
      const perDay = async (args: typeof of & { campaign: number }) =>
        (await campaigns.eventDays.run(db, args, context)).map(Object.values);
      assert.deepEqual(await perDay({ ...of, campaign: 20_000 }), [
        [1, "unsubscribed", 3000],
        [2, "unsubscribed", 2000],
      ]);
      assert.deepEqual(await perDay({ ...of, campaign: 19_999 }), [[1, "complained", 101]]);
      const count = (campaign: number, most: number, account = 1) =>
        campaigns.countEvents.run(db, { account, campaign, event: "unsubscribed", most }, context);
      assert.deepEqual([await count(20_000, 20_000), await count(20_000, 5000)], [12_000, 5000]);
      assert.equal(await count(19_999, 5000), 0);
      for (const { sql, plan } of await plans()) {
        assert.match(plan, OF_EVENTS, `${sql}\n${plan}`);
        assert.doesNotMatch(plan, /^SCAN (?!counted|\(subquery)|Seq Scan/m, `${sql}\n${plan}`);
      }
      assert.deepEqual(await perDay({ ...of, account: 2, campaign: 20_000 }), []);
      assert.equal(await count(20_000, 5000, 2), 0);
      await plans();
      const { rows, next } = await campaigns.totals.page(db, { account: 1 }, { after: null, limit: 3 });
      assert.deepEqual(
        rows.map(({ name: called, unsubscribed, complained, bounced }) => [
          ...[called, unsubscribed, complained, bounced],
        ]),
        [
          ["C20000", 10_000, 0, 0],
          ["C19999", 0, 101, 0],
          ["C19998", 0, 0, 0],
        ],
      );
      const second = await campaigns.totals.page(db, { account: 1 }, { after: next, limit: 3 });
      assert.equal(second.rows[0]?.name, "C19997");
      for (const { sql, plan } of await plans()) {
        assert.match(plan, /campaign_newest/);
        assert.match(plan, OF_EVENTS, `${sql}\n${plan}`);
        assert.doesNotMatch(
          plan,
          /^SCAN (?!counted|\(subquery)|TEMP B-TREE|Seq Scan|Sort/m,
          `${sql}\n${plan}`,
        );
      }
    });

    test("blocks are found by their patterns", async (t) => {
      const database = await open();
      t.after(() => database.close());
      const { db, run, series, plans } = database;
      await run(
        `INSERT INTO block (account_id, pattern, created_at) SELECT 1, 'b' || n, 5 FROM ${series(20_000)};
         ANALYZE`,
      );
      const context = { retention, ledgerDays: 400 };
      await blocks.covering.run(db, { account: 1, address: addressOf("b@example.org") }, context);
      for (const { sql, plan } of await plans())
        assert.doesNotMatch(plan, /^SCAN (?!visited|json_each|\(subquery)|Seq Scan/m, `${sql}\n${plan}`);
    });

    test("names are searched among rows of an index, of one account", async (t) => {
      const database = await open();
      t.after(() => database.close());
      const { db, run, series, plans } = database;
      const many = series(20_000);
      await run(
        `INSERT INTO account (name, created_at) SELECT 'A', 5 FROM ${series(100)};
         INSERT INTO campaign (account_id, name, created_at) SELECT 1 + n % 100, 'C' || n, n FROM ${many};
         INSERT INTO list (account_id, name, created_at) SELECT 1 + n % 100, 'L' || n, n FROM ${many};
         ANALYZE`,
      );
      const beginning = { account: 50, limit: 5 };
      const context = { retention, ledgerDays: 400 };
      assert.equal((await lists.named.run(db, { ...beginning, text: "l1" }, context)).length, 5);
      assert.equal((await campaigns.named.run(db, { ...beginning, text: "c1" }, context)).length, 5);
      for (const { sql, plan } of await plans())
        assert.doesNotMatch(plan, /^SCAN (?!visited|json_each|\(subquery)|Seq Scan/m, `${sql}\n${plan}`);
    });
  });
