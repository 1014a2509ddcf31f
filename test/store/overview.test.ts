/** An account at a glance, on both databases: what it says, and that it visits few rows. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { storedForm } from "#domain/access/key.ts";
import { dayOf } from "#domain/calendar.ts";
import type { Store } from "#domain/ports/store.ts";
import { overview } from "#store/cold/overview.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { actor, NOW, newAccount } from "./actor.ts";
import { type PlannedDatabase, plannedPostgres, plannedSqlite } from "./planned-database.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-overview-"));
after(() => rmSync(folder, { recursive: true }));
const server = await sharedPostgres();
const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
let files = 0;

interface Database {
  readonly store: Store;
  readonly planned: () => Promise<PlannedDatabase>;
}
const databases: Readonly<Record<string, () => Promise<Database>>> = {
  SQLite: async () => {
    files += 1;
    const file = join(folder, `${files}.db`);
    return { store: await SqliteStore.open(file, retention), planned: async () => plannedSqlite(file) };
  },
  PostgreSQL: async () => {
    const url = await server.newDatabase();
    return { store: await PostgresStore.open(url, retention), planned: () => plannedPostgres(url) };
  },
};

const TODAY = dayOf(NOW);
const WEEK = { from: TODAY - 6, to: TODAY, since: NOW - 7 * 86_400_000 };

async function newKey(store: Store, account: number, label: string): Promise<number> {
  const form = storedForm(`${label}-${account}-of-this-test`);
  const key = await store.keys.create({
    ...form,
    account,
    label,
    scope: "full",
    expiresAt: null,
    at: NOW,
  });
  assert.ok(key);
  return key.id;
}

for (const [name, open] of Object.entries(databases))
  describe(`on ${name}`, () => {
    test("it shows sizes, the largest lists, the last campaigns and the keys with trouble of one account", async (t) => {
      const { store } = await open();
      t.after(() => store.close());
      const account = await newAccount(store);
      const other = actor(store, await newAccount(store));
      await other.add(await other.list(), "eve@example.org");
      const a = actor(store, account, (email) => ({
        ...{ operation: "Subscriber.Add", args: JSON.stringify({ email }), isCut: false },
      }));
      const [small, large] = [await a.list("Small"), await a.list("Large")];
      for (const who of ["ada", "grace", "alan"]) await a.add(large, `${who}@example.org`);
      await a.add(small, "ada@example.org");
      await a.add(9999, "ada@example.org");
      const campaign = await a.campaign([large]);
      await a.event(campaign, "unsubscribed", "grace@example.org");
      const [shop, crm, quiet] = [
        await newKey(store, account, "Shop"),
        await newKey(store, account, "CRM"),
        await newKey(store, account, "Quiet"),
      ];
      const counted = (key: number, day: number, refusals: number, faults: number) => ({
        ...{ key, day, program: "PHP", calls: 10, refusals, faults },
      });
      await store.statistics.addCalls({
        calls: [
          counted(shop, TODAY, 1, 0),
          counted(shop, TODAY - 6, 0, 2),
          counted(crm, TODAY - 7, 5, 5),
          ...[0, 1, 2].map((ago) => counted(crm, TODAY - ago, 0, 0)),
          counted(quiet, TODAY, 0, 0),
        ],
        quirks: [
          { key: crm, quirk: "http-1.0", program: "curl", seenAt: NOW },
          { key: quiet, quirk: "http-1.0", program: "curl", seenAt: WEEK.since - 1 },
        ],
      });
      const found = await store.statistics.overview({ account, ...WEEK });
      assert.ok(found);
      assert.deepEqual([found.activeSubscribers, found.refusedCalls, found.lists, found.keys], [2, 1, 2, 3]);
      assert.deepEqual(
        found.largestLists.map(({ id, members }) => [id, members]),
        [
          [large, 2],
          [small, 1],
        ],
      );
      assert.deepEqual(
        found.lastCampaigns.map(({ id, events }) => [id, events]),
        [[campaign, { bounced: 0, unsubscribed: 1, complained: 0 }]],
      );
      assert.deepEqual(found.failingKeys, [
        { ...{ key: shop, label: "Shop", hint: "Shop" }, calls: 20, refusals: 1, faults: 2 },
      ]);
      assert.deepEqual(
        found.quirkyKeys.map(({ key, quirk, calls }) => [key, quirk, calls]),
        [[crm, "http-1.0", 30]],
      );
      assert.deepEqual(found.jobs, []);
      const none = { areDismissed: false, hasSender: false, hasTest: false, hasBackup: false };
      assert.deepEqual(found.steps, { ...none, hasSentCampaign: true });
      assert.equal(await store.statistics.overview({ account: 99_999, ...WEEK }), null);
    });

    test("it visits rows of an index, of one account", async (t) => {
      const { store, planned } = await open();
      const account = await newAccount(store);
      await store.close();
      const database = await planned();
      t.after(() => database.close());
      const { db, run, series, plans } = database;
      const many = series(20_000);
      await run(
        `INSERT INTO account (name, created_at) SELECT 'A', 5 FROM ${series(5000)};
         INSERT INTO list (account_id, name, created_at) SELECT ${account} + n % 5000, 'L' || n, n FROM ${many};
         INSERT INTO campaign (account_id, name, created_at)
         SELECT ${account} + n % 5000, 'C' || n, n FROM ${many};
         INSERT INTO subscriber (account_id, address, address_key, known_since)
         SELECT ${account}, 'p' || n, 'p' || n, 5 FROM ${many};
         INSERT INTO campaign_event (
           account_id, campaign_id, event, subscriber_id, at, joined_at, address, first_name, last_name
         )
         SELECT ${account}, (SELECT max(id) FROM campaign WHERE account_id = ${account}), 'complaint', id, 5, 5, 'a', '', ''
         FROM subscriber;
         INSERT INTO api_key (account_id, hash, hint, label, scope, created_at)
         SELECT ${account} + n % 5000, CAST(CAST('h' || n AS text) AS ${name === "SQLite" ? "blob" : "bytea"}), 'HINT', 'K', 'full', 5
         FROM ${many};
         INSERT INTO call_day (account_id, key_id, day, program, calls, refusals, faults)
         SELECT account_id, id, ${TODAY}, 'PHP', 9, 1, 0 FROM api_key;
         INSERT INTO call_day (account_id, key_id, day, program, calls, refusals, faults)
         SELECT account_id, id, ${TODAY} - 50, 'PHP', 9, 1, 0 FROM api_key;
         INSERT INTO client_quirk (account_id, key_id, quirk, program, seen_at)
         SELECT account_id, id, 'http-1.0', 'curl', ${NOW} FROM api_key;
         INSERT INTO job (account_id, name, kind, args, created_at, due_at, ended_at, ending)
         SELECT ${account} + n % 5000, 'job ' || n, 'import', '{}', n, n, n, 'finished' FROM ${many};
         INSERT INTO audit (account_id, at, actor_kind, action, thing, thing_id)
         SELECT ${account} + n % 5000, n, 'operator', 'list.set', 'list', '1' FROM ${many};
         INSERT INTO sender (account_id, from_address, from_name, postal_address, signing, relays, created_at)
         SELECT ${account} + n % 5000, 'a@example.org', '', '', 'relay', '[]', n FROM ${many};
         ANALYZE`,
      );
      const found = await overview(db, { account, ...WEEK });
      assert.equal(found?.lists, 4);
      assert.equal(found.lastCampaigns[0]?.events.complained, 10_000);
      assert.equal(found.failingKeys.length, 4);
      const read = await plans();
      assert.ok(read.length >= 8);
      for (const { sql, plan } of read)
        assert.doesNotMatch(
          plan,
          /^SCAN (?!visited|counted|k$|CONSTANT|\(subquery)|Seq Scan(?! on program)/m,
          `${sql}\n${plan}`,
        );
    });
  });
