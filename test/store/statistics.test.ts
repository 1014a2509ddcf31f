/** Numbers per day, on both databases: written with what they count, filled by the migration, corrected. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { storedForm } from "#domain/access/key.ts";
import { dayOf } from "#domain/calendar.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import { CALLS_KEPT_DAYS, MAX_PROGRAMS } from "#domain/statistics.ts";
import { deleteList, erase } from "#jobs/in-batches.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { type Actor, actor, addressOf, forEachOf, NOW, newAccount, newImport } from "./actor.ts";
import { purge } from "./job-steps.ts";
import { TO_SCHEMA_12 } from "./older-schema.ts";
import { query } from "./postgres-account.ts";
import { closeSound, wrongNumbers } from "./recount.ts";

const retention = { days: 90, rows: 100, bytes: 2 ** 28 };
const folder = mkdtempSync(join(tmpdir(), "mailroll-statistics-"));
after(() => rmSync(folder, { recursive: true }));
const postgres = await sharedPostgres();
let files = 0;

interface Database {
  readonly open: () => Promise<Store>;
  readonly exec: (sql: string) => Promise<void>;
}
const databases: Readonly<Record<string, () => Promise<Database>>> = {
  SQLite: async () => {
    files += 1;
    const file = join(folder, `${files}.db`);
    const exec = async (sql: string) => {
      const db = new DatabaseSync(file);
      db.exec(sql);
      db.close();
    };
    return { open: () => SqliteStore.open(file, retention), exec };
  },
  PostgreSQL: async () => {
    const url = await postgres.newDatabase();
    return {
      open: () => PostgresStore.open(url, retention),
      exec: async (sql) => void (await query(url, sql)),
    };
  },
};

const DAY_MS = 86_400_000;
const TODAY = dayOf(NOW);
const MIDNIGHT = (TODAY + 1) * DAY_MS;

/** The days that have a change, from ten before to ten after today; the first is number -10. */
async function daysOf(store: Store, { account }: Pick<Actor, "account">, list: number | null = null) {
  const range = { from: TODAY - 4000, to: TODAY + 10 };
  const found = await store.statistics.days({ account, list, ...range });
  assert.ok(found);
  return found.days.map(({ day, joined, left }) => [day - TODAY, joined, left]);
}
async function newKey(store: Store, account: number): Promise<number> {
  const form = storedForm(`KEY-OF-ACCOUNT-${account}-${Math.random()}`);
  const key = await store.keys.create({
    ...form,
    account,
    label: "",
    scope: "full",
    expiresAt: null,
    at: NOW,
  });
  assert.ok(key);
  return key.id;
}
const counted = (key: number, program: string, calls = 1, day = TODAY, refusals = 0, faults = 0) => ({
  key,
  day,
  program,
  calls,
  refusals,
  faults,
});

for (const [kind, make] of Object.entries(databases))
  describe(`statistics on ${kind}`, () => {
    test("counts who joined and left a list, and became or ceased to be active, on the day of the change", async () => {
      const store = await (await make()).open();
      const a = actor(store, await newAccount(store));
      const [news, offers] = [await a.list("News"), await a.list("Offers")];
      await a.add(news, "ada@x.org", MIDNIGHT - 1);
      await a.add(news, "bob@x.org", MIDNIGHT);
      await a.add(offers, "bob@x.org", MIDNIGHT);
      await a.add(news, "bob@x.org", MIDNIGHT + 5);
      await a.remove(news, "ada@x.org", MIDNIGHT + 1);
      await a.unsubscribe("bob@x.org", MIDNIGHT + DAY_MS);
      await a.unsubscribe("eve@x.org", MIDNIGHT + DAY_MS);
      assert.deepEqual(await daysOf(store, a, news), [
        [0, 1, 0],
        [1, 1, 1],
        [2, 0, 1],
      ]);
      assert.deepEqual(await daysOf(store, a, offers), [
        [1, 1, 0],
        [2, 0, 1],
      ]);
      assert.deepEqual(await daysOf(store, a), [
        [0, 1, 0],
        [1, 1, 0],
        [2, 1, 2],
      ]);
      await closeSound(store);
    });

    test("counts a join and a leave in one group, which change no counter", async () => {
      const store = await (await make()).open();
      const a = actor(store, await newAccount(store));
      const list = await a.list();
      await Promise.all([
        a.add(list, "ada@x.org"),
        a.unsubscribe("ada@x.org"),
        a.add(list, "bob@x.org", MIDNIGHT - 1),
        a.remove(list, "bob@x.org", MIDNIGHT),
      ]);
      assert.deepEqual(await daysOf(store, a, list), [
        [0, 2, 1],
        [1, 0, 1],
      ]);
      assert.deepEqual(await daysOf(store, a), [[0, 2, 1]]);
      await closeSound(store);
    });

    test("adds up what several connections count at once", async () => {
      const { open } = await make();
      const stores = await Promise.all([open(), open(), open()]);
      const [store] = stores;
      assert.ok(store);
      const first = actor(store, await newAccount(store));
      const list = await first.list();
      await Promise.all(
        stores.map((one, node) => {
          const a = actor(one, first.account);
          return forEachOf(
            Array.from({ length: 100 }, (_, n) => n),
            async (n) => {
              const email = `p${node}-${n}@x.org`;
              await a.add(list, email, n % 2 === 0 ? NOW : MIDNIGHT);
              if (n % 10 === 0) await a.unsubscribe(email, MIDNIGHT);
            },
          );
        }),
      );
      const expected = [
        [0, 150, 0],
        [1, 150, 30],
      ];
      assert.deepEqual(await daysOf(store, first, list), expected);
      assert.deepEqual(await daysOf(store, first), expected);
      assert.deepEqual(await wrongNumbers(store), []);
      await Promise.all(stores.map((one) => one.close()));
    });

    test("counts an import on the days of its dates, also before 1970", async () => {
      const store = await (await make()).open();
      const a = actor(store, await newAccount(store));
      const list = await a.list();
      const row = (email: string, joinedAt: number | null) => ({
        address: addressOf(email),
        joinedAt,
        suppressions: {},
        data: {},
        values: [],
      });
      await store.imports.add({
        ...(await newImport(store, a.account, list)),
        at: NOW,
        people: [
          row("ada@x.org", NOW - 2 * DAY_MS),
          row("bob@x.org", NOW - 2 * DAY_MS),
          row("eve@x.org", null),
          row("old@x.org", -1),
        ],
      });
      const expected = [
        [-2, 2, 0],
        [0, 1, 0],
      ];
      assert.deepEqual(await daysOf(store, a, list), expected);
      const before = await store.statistics.days({ account: a.account, list, from: -1, to: TODAY - 3 });
      assert.deepEqual(before, { atEnd: 1, days: [{ day: -1, joined: 1, left: 0 }] });
      await closeSound(store);
    });

    test("counts blocks, campaign events, reactivations and erasures; a deleted list takes its days with it", async () => {
      const store = await (await make()).open();
      const a = actor(store, await newAccount(store));
      const [list, gone] = [await a.list(), await a.list("Gone")];
      const campaign = await a.campaign([list]);
      for (const email of ["ada@x.org", "bob@y.org", "eve@z.org"]) await a.add(list, email, NOW - DAY_MS);
      await a.add(gone, "ada@x.org");
      await a.block("@x.org", NOW);
      await a.event(campaign, "bounced", "bob@y.org", NOW);
      await a.reactivate("bob@y.org", "bounced");
      await erase(store, { account: a.account, address: addressOf("eve@z.org"), at: MIDNIGHT });
      await deleteList(store, { account: a.account, id: gone, at: MIDNIGHT, origin: { kind: "operator" } });
      assert.deepEqual(await daysOf(store, a, list), [
        [-1, 3, 0],
        [0, 1, 2],
        [1, 0, 1],
      ]);
      assert.deepEqual(await daysOf(store, a), [
        [-1, 3, 0],
        [0, 1, 2],
        [1, 0, 1],
      ]);
      const range = { account: a.account, from: 0, to: TODAY + 10 };
      assert.equal(await store.statistics.days({ ...range, list: gone }), null);
      await closeSound(store);
    });

    test("is filled from the history when an older schema is migrated, and its sums are right", async () => {
      const { open, exec } = await make();
      const older = await open();
      const a = actor(older, await newAccount(older));
      const [list, other] = [await a.list(), await a.list("Other")];
      const campaign = await a.campaign([list]);
      for (const [index, email] of ["ada", "bob", "eve", "kim", "zoe"].entries())
        await a.add(list, `${email}@x.org`, NOW - (5 - index) * DAY_MS);
      await a.remove(list, "ada@x.org", NOW - DAY_MS);
      await a.unsubscribe("bob@x.org", NOW);
      await a.event(campaign, "bounced", "bob@x.org", MIDNIGHT);
      await a.unsubscribe("eve@x.org", NOW - DAY_MS);
      await a.reactivate("eve@x.org", "unsubscribed");
      await a.addPending(other, "kim@x.org");
      await erase(older, { account: a.account, address: addressOf("zoe@x.org"), at: NOW });
      await older.close();
      // Members whose history is not complete.
      await exec("DELETE FROM history WHERE list_id = 1 AND kind = 'joined' AND subscriber_id = 4");
      await exec(TO_SCHEMA_12);
      const store = await open();
      assert.deepEqual(await daysOf(store, a, list), [
        [-5, 1, 0],
        [-4, 1, 0],
        [-3, 1, 0],
        [-1, 0, 1],
        // On the day on which the list was created: the one without an entry.
        [0, 1, 1],
      ]);
      assert.deepEqual(await daysOf(store, a, other), [[0, 1, 1]]);
      assert.deepEqual(await daysOf(store, a), [
        [-5, 1, 0],
        [-4, 1, 0],
        [-3, 1, 0],
        [-2, 1, 0],
        [0, 0, 1],
      ]);
      await actor(store, a.account).add(list, "new@x.org");
      await closeSound(store);
    });

    test("finds wrong sums of days and wrong counts of states, and corrects them; the sums on the given day", async () => {
      const { open, exec } = await make();
      const store = await open();
      const a = actor(store, await newAccount(store));
      const list = await a.list();
      await a.add(list, "ada@x.org", NOW - DAY_MS);
      const given = { account: a.account, day: TODAY };
      assert.equal(await store.statistics.uncounted(given), 0);
      assert.equal(await store.statistics.correct({ ...given, uncounted: 0 }), 0);
      await exec("UPDATE list_day SET gained = 4");
      await a.unsubscribe("eve@x.org", NOW - DAY_MS);
      await exec("DELETE FROM account_day");
      await exec("UPDATE account SET bounced_subscribers = 3, unsubscribed_subscribers = 0");
      assert.deepEqual(await wrongNumbers(store), [
        { what: `sum of the days of account ${a.account}`, kept: 0, counted: 1, isCorrectable: true },
        { what: `sum of the days of list ${list}`, kept: 4, counted: 1, isCorrectable: true },
        { what: `bounced subscribers of account ${a.account}`, kept: 3, counted: 0, isCorrectable: true },
        {
          what: `unsubscribed subscribers of account ${a.account}`,
          kept: 0,
          counted: 1,
          isCorrectable: true,
        },
      ]);
      assert.equal(await store.statistics.correct({ ...given, uncounted: 0 }), 3);
      assert.deepEqual(await daysOf(store, a, list), [
        [-1, 4, 0],
        [0, 0, 3],
      ]);
      assert.deepEqual(await daysOf(store, a), [[0, 1, 0]]);
      await exec("UPDATE account SET active_subscribers = 77");
      assert.deepEqual(await wrongNumbers(store), [
        { what: `active subscribers of account ${a.account}`, kept: 77, counted: 1, isCorrectable: true },
      ]);
      const uncounted = await store.statistics.uncounted(given);
      assert.equal(uncounted, -76);
      await a.add(list, "bob@x.org", NOW);
      assert.equal(await store.statistics.correct({ ...given, uncounted }), 1, "whatever was written since");
      assert.deepEqual(await daysOf(store, a), [[0, 2, 0]], "the days were right");
      await closeSound(store);
    });

    test("adds calls of several processes, and counts further programs of a key and day together", async () => {
      const store = await (await make()).open();
      const account = await newAccount(store);
      const [key, other] = [await newKey(store, account), await newKey(store, account)];
      const add = (calls: Parameters<Store["statistics"]["addCalls"]>[0]["calls"]) =>
        store.statistics.addCalls({ calls, quirks: [] });
      await Promise.all([
        add([counted(key, "PHP-SOAP 7.4", 3, TODAY, 1, 1), counted(other, "curl 8.1", 2)]),
        add([counted(key, "PHP-SOAP 7.4", 4, TODAY, 2, 0), counted(key, "PHP-SOAP 7.4", 1, TODAY + 1)]),
        add([counted(9999, "PHP-SOAP 7.4")]),
      ]);
      const range = { account, from: TODAY, to: TODAY };
      assert.deepEqual(await collect(store.statistics.calls.pages({ ...range, key: null })), [
        counted(key, "PHP-SOAP 7.4", 7, TODAY, 3, 1),
        counted(other, "curl 8.1", 2),
      ]);
      await add(Array.from({ length: MAX_PROGRAMS + 10 }, (_, n) => counted(key, `P${n}`, 100 - n)));
      await add([counted(key, "P0"), counted(key, "Late"), counted(key, "(other)")]);
      const all = await collect(store.statistics.calls.pages({ ...range, key }));
      assert.equal(all.length, MAX_PROGRAMS + 1);
      assert.equal(all.find(({ program }) => program === "P0")?.calls, 101);
      // P49 to P59, and the last two.
      assert.equal(all.find(({ program }) => program === "(other)")?.calls, 46 * 11 + 2);
      assert.deepEqual(
        (await store.statistics.programs({ ...range, key: null, to: TODAY + 1, limit: 3 })).map(
          ({ program, calls, lastDay }) => [program, calls, lastDay - TODAY],
        ),
        [
          ["(other)", 46 * 11 + 2, 0],
          ["P0", 101, 0],
          ["P1", 99, 0],
        ],
      );
      await store.close();
    });

    test("adds up the calls of each of some keys per day, and ranks their programs", async () => {
      const store = await (await make()).open();
      const account = await newAccount(store);
      const [key, other, third] = [
        await newKey(store, account),
        await newKey(store, account),
        await newKey(store, account),
      ];
      const foreign = await newKey(store, await newAccount(store));
      await store.statistics.addCalls({
        calls: [
          counted(key, "A", 5, TODAY, 1, 0),
          counted(key, "B", 7, TODAY, 0, 2),
          counted(key, "B", 1, TODAY - 1),
          counted(key, "C", 2, TODAY),
          counted(key, "Old", 900, TODAY - 2),
          counted(other, "A", 3, TODAY),
          counted(third, "A", 4, TODAY),
          counted(foreign, "A", 4, TODAY),
        ],
        quirks: [key, third, foreign].map((of) => ({
          key: of,
          quirk: "http-1.0",
          program: "B",
          seenAt: NOW,
        })),
      });
      const keys = [key, other, foreign];
      const range = { from: TODAY - 1, to: TODAY };
      assert.deepEqual(await store.statistics.useOfKeys({ account, keys, ...range, programs: 2 }), {
        days: [
          { key, day: TODAY - 1, calls: 1, refusals: 0, faults: 0 },
          { key, day: TODAY, calls: 14, refusals: 1, faults: 2 },
          { key: other, day: TODAY, calls: 3, refusals: 0, faults: 0 },
        ],
        programs: [
          { key, program: "B", calls: 8, refusals: 0, faults: 2, lastDay: TODAY, programCount: 3 },
          { key, program: "A", calls: 5, refusals: 1, faults: 0, lastDay: TODAY, programCount: 3 },
          { key: other, program: "A", calls: 3, refusals: 0, faults: 0, lastDay: TODAY, programCount: 1 },
        ],
        quirks: [{ key, quirk: "http-1.0", program: "B", seenAt: NOW }],
      });
      assert.deepEqual(await store.statistics.useOfKeys({ account, keys: [], ...range, programs: 2 }), {
        days: [],
        programs: [],
        quirks: [],
      });
      await store.close();
    });

    test("keeps for each key when a quirk was last seen, and never moves that back", async () => {
      const store = await (await make()).open();
      const account = await newAccount(store);
      const key = await newKey(store, account);
      const note = (program: string, seenAt: number) =>
        store.statistics.addCalls({ calls: [], quirks: [{ key, quirk: "http-1.0", program, seenAt }] });
      await note("Axis 1.4", NOW);
      await note("gSOAP 2.8", NOW + 5);
      await note("Axis 1.4", NOW + 4);
      assert.deepEqual(await store.statistics.quirks({ account, key: null }), [
        { key, quirk: "http-1.0", program: "gSOAP 2.8", seenAt: NOW + 5 },
      ]);
      assert.deepEqual(await store.statistics.quirks({ account, key: key + 1 }), []);
      await store.close();
    });

    test("drops days of calls after the time for which they are kept, in batches", async () => {
      const store = await (await make()).open();
      const account = await newAccount(store);
      const [key, other] = [await newKey(store, account), await newKey(store, account)];
      const old = TODAY - CALLS_KEPT_DAYS;
      for (let day = old - 30; day <= old; day += 1)
        await store.statistics.addCalls({
          calls: Array.from({ length: MAX_PROGRAMS }, (_, n) => counted(key, `P${n}`, 1, day)),
          quirks: [],
        });
      await store.statistics.addCalls({ calls: [counted(other, "P", 1, old - 1)], quirks: [] });
      assert.equal(await purge(store, NOW), 3);
      const left = await collect(store.statistics.calls.pages({ account, key: null, from: 0, to: TODAY }));
      assert.deepEqual(new Set(left.map(({ key: of, day }) => `${of} ${day}`)), new Set([`${key} ${old}`]));
      await store.close();
    });
  });
