/** The PostgreSQL store: the common suite on a real server, and its own behaviour (groups, nodes, schema). */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, mock, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { storedForm } from "#domain/access/key.ts";
import { parseAddress } from "#domain/address.ts";
import { collect } from "#domain/paging.ts";
import { StoreRefused, StoreUnavailable } from "#domain/ports/errors.ts";
import type { Store } from "#domain/ports/store.ts";
import { addBlock, removeBlock } from "#jobs/in-batches.ts";
import { sessionConfig } from "#store/postgres/sessions/connection.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { PASSWORD } from "../postgres-databases.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { encodedList, newImport } from "./actor.ts";
import { correctionSuite } from "./correction-suite.ts";
import { erasureSuite } from "./erasure-suite.ts";
import { importSuite } from "./import-suite.ts";
import { importValuesSuite } from "./import-values-suite.ts";
import { membershipSuite } from "./membership-suite.ts";
import { schemaBefore, TO_SCHEMA_3 } from "./older-schema.ts";
import { newAccount, query } from "./postgres-account.ts";
import { wrongNumbers } from "./recount.ts";
import { longList, storeSuite } from "./suite.ts";
import { whoSuite } from "./who-suite.ts";

const server = await sharedPostgres();
const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };

storeSuite("the PostgreSQL store", async (kept) => PostgresStore.open(await server.newDatabase(), kept));
importSuite("the PostgreSQL store", async (kept) => PostgresStore.open(await server.newDatabase(), kept));
importValuesSuite("the PostgreSQL store", async (kept) =>
  PostgresStore.open(await server.newDatabase(), kept),
);
correctionSuite("the PostgreSQL store", async (kept) => PostgresStore.open(await server.newDatabase(), kept));
erasureSuite("the PostgreSQL store", async (kept) => PostgresStore.open(await server.newDatabase(), kept));
whoSuite("the PostgreSQL store", async () => PostgresStore.open(await server.newDatabase(), retention));
membershipSuite("the PostgreSQL store", async (kept) => PostgresStore.open(await server.newDatabase(), kept));

/** The statements sent to the server during `work`. */
async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const queries = mock.method(Client.prototype, "query");
  try {
    await work();
    return queries.mock.calls.map(({ arguments: [what] }) => {
      const asked = what as unknown as string | { readonly text: string };
      return typeof asked === "string" ? asked : asked.text;
    });
  } finally {
    queries.mock.restore();
  }
}

describe("groups of writes", () => {
  let url: string;
  let store: Store;
  before(async () => {
    url = await server.newDatabase();
    store = await PostgresStore.open(url, retention);
  });
  after(() => store.close());

  const imported = (email: string, field: bigint) => {
    const address = parseAddress(email);
    assert.ok(address);
    const data = { firstName: "C" };
    return { address, joinedAt: 3, suppressions: { bounced: 4 }, data, values: [{ field, value: "Paris" }] };
  };
  /** Commands of every kind about different subscribers, in one group. */
  async function mixedGroup(size: number): Promise<readonly string[]> {
    const a = await newAccount(store);
    const { account, list, campaign, about } = a;
    await store.fields.add({
      ...about("x"),
      field: { name: "City", type: "STRING", isPrivate: false },
    });
    const [city] = await collect(store.fields.all.pages({ account }));
    assert.ok(city);
    await Promise.all(
      ["left", "gone", "out"].flatMap((word) =>
        Array.from({ length: size }, (_, n) => a.add(`${word}${n}@x.org`)),
      ),
    );
    await Promise.all(Array.from({ length: size }, (_, n) => a.unsubscribe(`out${n}@x.org`)));
    const data = { firstName: "A", lastName: "B", gender: null, birthday: null, countryNumber: null };
    const importing = await Promise.all([0, 1, 2].map(() => newImport(store, account, list)));
    return statementsOf(async () => {
      // Commands of one turn of the event loop form one group.
      const writes: Promise<unknown>[] = [a.add("first@x.org")];
      for (let n = 0; n < size; n += 1)
        writes.push(
          a.add(`new${n}@x.org`),
          a.add("no address"),
          a.remove(`left${n}@x.org`),
          a.remove(`stranger${n}@x.org`),
          a.unsubscribe(`gone${n}@x.org`),
          a.reactivate(`out${n}@x.org`),
          store.campaigns.recordEvent({ ...about(`left${n}@x.org`), campaign, event: "bounced" }),
          store.fields.add({
            ...about("x"),
            field: { name: `F${n}`, type: "STRING", isPrivate: true },
          }),
          store.subscribers.addWithData({
            ...about(`data${n}@x.org`),
            list,
            data: { ...data, values: [{ field: city.id, value: "Rome" }] },
          }),
        );
      for (const [index, one] of importing.entries())
        writes.push(
          store.imports.add({
            ...one,
            at: 5,
            people: Array.from({ length: size }, (_, n) =>
              imported(`${["came", "left", "data"][index]}${n}@x.org`, city.id),
            ),
          }),
        );
      await Promise.all(writes);
      assert.deepEqual(await wrongNumbers(store), []);
    });
  }
  /**
   * From the first BEGIN to its COMMIT, without what depends on earlier groups: free ids, and plans that are
   * renewed once a second.
   */
  const groupIn = (sent: readonly string[]): readonly string[] =>
    sent
      .slice(sent.indexOf("BEGIN"), sent.indexOf("COMMIT") + 1)
      .filter((sql) => !/nextval|DISCARD PLANS/.test(sql));

  test("sends the same statements for two or fifty writes of every kind", async () => {
    const [few, many] = [groupIn(await mixedGroup(2)), groupIn(await mixedGroup(50))];
    assert.deepEqual(many, few);
    assert.equal(few.at(-1), "COMMIT");
    assert.equal(new Set(few).size, few.length, "none is sent twice");
    assert.ok(few.length <= 33, `${few.length} statements`);
  });
  test("sends no more statements for two hundred adds than for two", async () => {
    const a = await newAccount(store);
    const adds = (word: string, size: number) =>
      statementsOf(() => Promise.all(Array.from({ length: size + 1 }, (_, n) => a.add(`${word}${n}@x.org`))));
    const [few, many] = [groupIn(await adds("few", 2)), groupIn(await adds("many", 200))];
    assert.deepEqual(many, few);
    assert.equal(few.at(-1), "COMMIT");
    assert.equal(await a.members(), 204);
  });
  test("finds every row by its whole key, even in tables without statistics", async () => {
    const sent = groupIn(await mixedGroup(2)).filter((sql) => sql.includes("$1"));
    const { account, list, campaign } = await newAccount(store);
    await query(
      url,
      `INSERT INTO subscriber (account_id, id, address, address_key, known_since) SELECT ${account}, 1000000 + n, n, n, 1 FROM generate_series(1, 20000) AS n;
       INSERT INTO membership SELECT ${account}, 1000000 + n, ${list}, 1 FROM generate_series(1, 20000) AS n;
       INSERT INTO history (account_id, subscriber_id, at, kind, origin, list_id) SELECT ${account}, 1000000 + n, 1, 'left', 'operator', ${list} FROM generate_series(1, 20000) AS n;
       INSERT INTO custom_value (account_id, subscriber_id, field_id, value, given_at) SELECT ${account}, 1000000 + n, 1, 'x', 1 FROM generate_series(1, 20000) AS n;
       INSERT INTO campaign_event (account_id, subscriber_id, campaign_id, event, at, joined_at, first_name, last_name, address) SELECT ${account}, 1000000 + n, ${campaign}, 'hard-bounce', 1, 1, '', '', n FROM generate_series(1, 20000) AS n`,
    );
    const client = new Client(sessionConfig(url, { statementMs: 5000, byKeyOnly: true }));
    await client.connect();
    for (const sql of sent) {
      const { rows } = await client.query<Record<string, string>>(`EXPLAIN (GENERIC_PLAN) ${sql}`);
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      assert.doesNotMatch(
        plan,
        /(?:Seq Scan|Index[^\n]*) on (?:subscriber|membership|campaign_event) [^\n]*\n[^\n]*\n *Filter/,
        sql,
      );
      assert.doesNotMatch(plan, /Seq Scan/, sql);
    }
    await client.end();
    await query(
      url,
      `DELETE FROM history WHERE subscriber_id > 1000000; DELETE FROM custom_value WHERE subscriber_id > 1000000; DELETE FROM subscriber WHERE id > 1000000; DELETE FROM membership WHERE subscriber_id > 1000000; DELETE FROM campaign_event WHERE subscriber_id > 1000000`,
    );
  });
  test("loads a group by whole keys, even with plans from when the tables were empty", async () => {
    const sent = groupIn(await mixedGroup(2)).filter((sql) => /^SELECT .* unnest/s.test(sql));
    assert.ok(sent.some((sql) => sql.includes("history")));
    const empty = await server.newDatabase();
    const client = new Client(sessionConfig(empty, { statementMs: 5000, byKeyOnly: true }));
    await client.connect();
    for (const sql of sent) {
      const { rows } = await client.query<Record<string, string>>(`EXPLAIN (GENERIC_PLAN) ${sql}`);
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      assert.doesNotMatch(
        plan,
        /on (?:subscriber|membership|custom_value|history|campaign_event) [^\n]*\n *Index Cond: \(account_id = \S+\)(?:\n|$)/,
        `${sql}\n${plan}`,
      );
    }
    await client.end();
  });
  test("decides the commands of a group in order, each with the effects of those before it", async () => {
    const a = await newAccount(store);
    const outcomes = await Promise.all([
      a.add("lock@x.org"),
      a.add("ada@x.org", 5),
      a.remove("ada@x.org"),
      a.remove("ada@x.org"),
      a.add("ada@x.org", 7),
      a.unsubscribe("ada@x.org"),
      a.add("ada@x.org", 8),
      a.reactivate("ada@x.org"),
      a.remove("lock@x.org"),
      a.add("lock@x.org", 9),
    ]);
    assert.deepEqual(outcomes, [
      ...["Done", "Done", "Done", "NotOnList", "Done", "Done", "Unsubscribed", "Done", "Done", "Done"],
    ]);
    assert.equal(await a.members(), 2);
    const [ada, lock] = [parseAddress("ada@x.org"), parseAddress("lock@x.org")];
    assert.ok(ada && lock);
    const person = await store.subscribers.byAddress({ account: a.account, address: ada });
    assert.equal(person?.lists[0]?.joinedAt, 7);
    const again = await store.subscribers.byAddress({ account: a.account, address: lock });
    assert.equal(again?.lists[0]?.joinedAt, 9, "left and joined again within the group");
    assert.deepEqual(await wrongNumbers(store), []);
  });
  test("keeps all other writes of a group when the database rejects one", async () => {
    const a = await newAccount(store);
    const poison = { ...a.about("bad@x.org"), suppression: "unsubscribed", reason: "a NUL: \0" } as const;
    await a.unsubscribe("bad@x.org");
    const results = await Promise.allSettled([
      a.add("a@x.org"),
      a.add("b@x.org"),
      store.subscribers.reactivate(poison),
      a.add("c@x.org"),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ["fulfilled", "fulfilled", "rejected", "fulfilled"],
    );
    assert.equal(await a.members(), 3);
    assert.deepEqual(await wrongNumbers(store), []);
  });
});

test("holds no lock for a list of which only the start has been read", async () => {
  const url = await server.newDatabase();
  const store = await PostgresStore.open(url, retention);
  const pages = await longList(store);
  assert.equal((await pages.next()).value?.isLast, false);
  await query(url, "SET lock_timeout = '1s'; TRUNCATE campaign_event");
  const rest = [];
  for (let next = await pages.next(); next.done !== true; next = await pages.next()) rest.push(next.value);
  assert.ok(rest.length <= 1, "no more than was read ahead");
  await store.close();
});

describe("with a replica", () => {
  /** A copy of the database at one moment, like a lagging replica. */
  async function withReplica(): Promise<{ url: string; replica: string; start: string }> {
    const url = await server.newDatabase();
    const first = await PostgresStore.open(url, retention);
    await (await longList(first)).return?.();
    await first.close();
    const replica = await server.newDatabase(new URL(url).pathname.slice(1));
    await query(
      url,
      "UPDATE subscriber SET address = 'later-' || address; UPDATE campaign_event SET address = 'later-' || address",
    );
    return { url, replica, start: "<p0@example.org>" };
  }
  const bytesOf = async (store: Store): Promise<string> => {
    const pages = [];
    for await (const { bytes } of encodedList(store, 1, 1)) pages.push(Buffer.from(bytes));
    return Buffer.concat(pages).toString();
  };
  test("reads long lists from the replica, and everything else from the database", async () => {
    const { url, replica, start } = await withReplica();
    const store = await PostgresStore.open(url, retention, replica);
    assert.ok((await bytesOf(store)).startsWith(start));
    const address = parseAddress("p0@example.org");
    assert.ok(address);
    const person = await store.subscribers.byAddress({ account: 1, address });
    assert.equal(person?.address, "later-p0@example.org");
    await store.close();
  });
  test("reads long lists from the database while the replica is away", async () => {
    const { url, start } = await withReplica();
    const store = await PostgresStore.open(url, retention, "postgres://u@127.0.0.1:1/away");
    const text = await bytesOf(store);
    assert.ok(text.startsWith(`<later-${start.slice(1)}`));
    assert.equal(text.split("<").length - 1, 2501);
    await store.close();
  });
});

describe("two nodes", () => {
  test("creates the tables and the first account once for two nodes that start concurrently", async () => {
    const url = await server.emptyDatabase();
    const nodes = await Promise.all([1, 2, 3].map(() => PostgresStore.open(url, retention)));
    const key = { ...storedForm("K"), label: "", scope: "full", expiresAt: null, at: 1 } as const;
    const made = await Promise.all(
      nodes.map((node) => node.accounts.firstStart({ account: "A", list: "L", key })),
    );
    assert.equal(made.filter((result) => result !== null).length, 1);
    const [first] = nodes;
    assert.ok(first);
    assert.equal((await collect(first.accounts.all.pages({}))).length, 1);
    await Promise.all(nodes.map((node) => node.close()));
  });
  test("keeps exact counts, and loses or repeats no add, with two nodes writing to one list", async () => {
    const url = await server.newDatabase();
    const [first, second] = [
      await PostgresStore.open(url, retention),
      await PostgresStore.open(url, retention),
    ];
    const nodes = [first, second];
    const { account, list, about } = await newAccount(first);
    const other = await newAccount(first);
    const hammer = async (node: Store, worker: number): Promise<void> => {
      for (let n = 0; n < 60; n += 1) {
        const email = `p${(n * 7 + worker * 3) % 100}@x.org`;
        await node.subscribers.add({ ...about(email), list });
        if (n % 5 === 0) await node.subscribers.remove({ ...about(email), list });
        if (n % 4 === 0) await node.subscribers.add({ ...other.about(email), list: other.list });
        if (n % 9 === 0) await node.subscribers.unsubscribe(about(email));
        if (n % 9 === 0)
          await node.subscribers.reactivate({
            ...about(email),
            suppression: "unsubscribed",
            reason: "again",
          });
        if (n % 20 === 0) await addBlock(node, { ...about(email), pattern: `p${n}@x.org` });
        if (n % 20 === 10) await removeBlock(node, { ...about(email), pattern: `p${n - 10}@x.org` });
      }
    };
    await Promise.all(
      nodes.flatMap((node) => Array.from({ length: 16 }, (_, worker) => hammer(node, worker))),
    );
    for (const pattern of ["p0@x.org", "p20@x.org", "p40@x.org"])
      await removeBlock(first, { ...about(pattern), pattern });
    await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        (n % 2 === 0 ? first : second).subscribers.add({ ...about(`p${n}@x.org`), list }),
      ),
    );
    assert.deepEqual(await wrongNumbers(first), []);
    const members = (await collect(first.lists.all.pages({ account }))).find(
      ({ id }) => id === list,
    )?.members;
    const inactive = await query<{ n: string }>(
      url,
      `SELECT count(*) AS n FROM subscriber WHERE account_id = ${account} AND coalesce(unsubscribed_at, blocked_at) IS NOT NULL`,
    );
    assert.equal((members ?? 0) + Number(inactive[0]?.n), 100, "everybody is a member or inactive");
    const doubled = await query(
      url,
      "SELECT account_id, lower(address) FROM subscriber GROUP BY 1, 2 HAVING count(*) > 1",
    );
    assert.deepEqual(doubled, []);
    await Promise.all(nodes.map((node) => node.close()));
  });
});

describe("databases", () => {
  test("migrates a database of an older version with its data", async () => {
    const url = await server.emptyDatabase();
    const first = new URL("../../src/store/postgres/migrations/0001-first.sql", import.meta.url);
    await query(
      url,
      `CREATE TABLE schema_migration (number integer PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL);
       INSERT INTO schema_migration VALUES (1, 'first', 1);
       ${readFileSync(first, "utf8")};
       INSERT INTO account (name, created_at) VALUES ('Of old', 1)`,
    );
    const store = await PostgresStore.open(url, retention);
    assert.equal((await collect(store.accounts.all.pages({})))[0]?.name, "Of old");
    assert.equal((await newAccount(store)).account, 2);
    await store.close();
  });
  test("refuses in one line to migrate tables that are locked, without blocking others", async () => {
    const url = await server.newDatabase();
    const store = await PostgresStore.open(url, retention);
    const a = await newAccount(store);
    await query(url, TO_SCHEMA_3);
    const rival = new Client({ connectionString: url, application_name: "report" });
    await rival.connect();
    await rival.query("BEGIN; SELECT 1 FROM account");
    const migrated = new AbortController();
    const answers: string[] = [];
    const calling = (async () => {
      // Needs no column of a later schema.
      for (; !migrated.signal.aborted; await delay(20))
        answers.push(
          await store.keys.revoke({ account: a.account, id: 99, at: 1 }).then(
            (key) => (key === null ? "answered" : "revoked"),
            (error: Error) => error.name,
          ),
        );
    })();
    const refusal = await PostgresStore.open(url, retention).then(
      () => null,
      (error: unknown) => error,
    );
    migrated.abort();
    await calling;
    assert.ok(refusal instanceof StoreRefused, String(refusal));
    assert.match(
      refusal.message,
      /cannot be migrated.*account by session \d+ of mailroll \(report\).*; end those sessions/,
    );
    assert.deepEqual(new Set(answers), new Set(["answered"]));
    const opening = PostgresStore.open(url, retention);
    await rival.query("SELECT pg_sleep(1.2); COMMIT");
    await rival.end();
    await (await opening).close();
    await store.close();
  });
  test("migrates after the writes of older nodes, and locks no table that they are about to need", async () => {
    const url = await server.emptyDatabase();
    await query(url, schemaBefore("postgres", "membership-status"));
    const older = new Client({ connectionString: url });
    await older.connect();
    await older.query("BEGIN; LOCK TABLE account IN ROW SHARE MODE");
    const opening = PostgresStore.open(url, retention);
    for (let isWaiting = false; !isWaiting; )
      isWaiting =
        (await query(url, "SELECT FROM pg_locks WHERE relation = 'account'::regclass AND NOT granted"))
          .length > 0;
    await older.query(
      "LOCK TABLE subscriber, membership, history, list IN ROW EXCLUSIVE MODE NOWAIT; COMMIT",
    );
    await older.end();
    await (await opening).close();
  });
  test("writes nothing to a database that a newer version has migrated meanwhile", async () => {
    const url = await server.newDatabase();
    const store = await PostgresStore.open(url, retention);
    const a = await newAccount(store);
    await query(url, "INSERT INTO schema_migration VALUES (9999, 'from the future', 0)");
    const createList = () => store.lists.create({ account: a.account, name: "M", at: 1 });
    const probe = () => store.health.probeWrite();
    for (const write of [() => a.add("a@x.org"), createList, probe])
      await assert.rejects(write, (error: Error) => {
        assert.ok(error instanceof StoreUnavailable, String(error));
        assert.match(error.message, /migrated by a newer Mailroll .*; update this node/);
        return true;
      });
    assert.equal(await a.members(), 0, "what is read is what is there");
    await query(url, "DELETE FROM schema_migration WHERE number = 9999");
    assert.equal(await a.add("a@x.org"), "Done");
    await store.close();
  });
  test("refuses a database of a newer version in one line", async () => {
    const url = await server.newDatabase();
    await query(url, "INSERT INTO schema_migration VALUES (9999, 'from the future', 0)");
    await assert.rejects(PostgresStore.open(url, retention), (error: Error) => {
      assert.ok(error instanceof StoreRefused);
      assert.match(error.message, /was written by a newer Mailroll \(schema 9999, this version knows \d+\)/);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });
  });
  test("refuses a missing or forbidden database without showing the password", async () => {
    const wrong = "wrong-secret";
    for (const url of [server.urlOf("nowhere"), server.urlOf("postgres", wrong)])
      await assert.rejects(PostgresStore.open(url, retention), (error: Error) => {
        assert.ok(error instanceof StoreRefused, String(error));
        const told = `${error.stack} ${JSON.stringify(error)} ${String(error.cause)} ${JSON.stringify(error.cause)}`;
        for (const secret of [wrong, PASSWORD, encodeURIComponent(PASSWORD)])
          assert.ok(!told.includes(secret), told);
        return true;
      });
  });
  test("refuses a database with foreign tables, and leaves it unchanged", async () => {
    const url = await server.emptyDatabase();
    await query(url, "CREATE TABLE refused (mine text)");
    await assert.rejects(PostgresStore.open(url, retention), (error: Error) => {
      assert.ok(error instanceof StoreRefused);
      assert.match(error.message, /cannot be used: relation "refused" already exists$/);
      return true;
    });
    assert.deepEqual(await query(url, "SELECT to_regclass('account') AS made"), [{ made: null }]);
  });
  test("reports an unreachable database as unavailable without showing the password", async () => {
    await assert.rejects(
      PostgresStore.open("postgres://u:hidden@127.0.0.1:1/m?password=hidden", retention),
      (error: Error) => {
        assert.ok(error instanceof StoreUnavailable);
        assert.match(error.message, /does not answer.*\(127\.0\.0\.1:1\/m\)/);
        assert.doesNotMatch(`${error.stack} ${String(error.cause)} ${JSON.stringify(error)}`, /hidden/);
        return true;
      },
    );
  });
  test("stores 64-bit ids of fields exactly", async () => {
    const url = await server.newDatabase();
    const store = await PostgresStore.open(url, retention);
    const { account, about, list } = await newAccount(store);
    await query(url, "ALTER TABLE field ALTER COLUMN id RESTART WITH 9007199254740993");
    await store.fields.add({
      ...about("x"),
      field: { name: "Far", type: "STRING", isPrivate: false },
    });
    const [field] = await collect(store.fields.all.pages({ account }));
    assert.equal(field?.id, 9007199254740993n);
    const data = { firstName: null, lastName: null, gender: null, birthday: null, countryNumber: null };
    const values = [{ field: 9007199254740993n, value: "v" }];
    const args = {
      ...about("a@x.org"),
      list,
      data: { ...data, values },
    };
    assert.equal(await store.subscribers.addWithData(args), "Done");
    const address = parseAddress("a@x.org");
    assert.ok(address);
    assert.equal(
      (await store.subscribers.byAddress({ account, address }))?.values[0]?.field,
      9007199254740993n,
    );
    await store.close();
  });
});
