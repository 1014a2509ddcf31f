/** The PostgreSQL store: the common suite on a real server, and what is its own (groups, nodes, time-outs, outages). */
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { after, before, describe, mock, test } from "node:test";
import { Client } from "pg";
import { runCommandLine } from "../../src/cli/command-line.ts";
import { parseAddress } from "../../src/domain/address.ts";
import { hashKey } from "../../src/domain/key.ts";
import { type Store, StoreRefused, StoreUnavailable, type Writes } from "../../src/domain/ports.ts";
import { sessionConfig } from "../../src/store/postgres/connection.ts";
import { PostgresStore } from "../../src/store/postgres/store.ts";
import { PASSWORD, PostgresServer } from "../postgres-server.ts";
import { call, startService, withKey } from "../service.ts";
import { silentProxy } from "../silent-proxy.ts";
import { storeSuite } from "./suite.ts";

let server: PostgresServer;
before(async () => {
  server = await PostgresServer.start();
});
after(() => server.stop());
const retention = { days: 90, rows: 100_000 };

storeSuite("the PostgreSQL store", async (kept) => PostgresStore.open(await server.newDatabase(), kept));

async function query<Row extends object>(url: string, sql: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** An account with a list, a field and a campaign, and commands about it. */
async function newAccount(store: Store) {
  const account = (await store.write("createAccount", { name: "A", at: 1 })).id;
  const list = (await store.write("createList", { account, name: "L", at: 1 })).id;
  const campaign = await store.write("recordCampaign", {
    account,
    name: "C",
    lists: [list],
    createdAt: 1,
    sentAt: 1,
  });
  assert.ok("id" in campaign);
  const about = (email: string, at = 1) =>
    ({
      account,
      at,
      origin: { kind: "operator" },
      asked: { operation: "Op", args: email, isCut: false },
      address: parseAddress(email),
    }) as const;
  return {
    account,
    list,
    campaign: campaign.id,
    about,
    add: (email: string, at = 1) => store.write("addSubscriber", { ...about(email, at), list }),
    remove: (email: string) => store.write("removeSubscriber", { ...about(email), list }),
    unsubscribe: (email: string) => store.write("unsubscribe", about(email)),
    reactivate: (email: string) =>
      store.write("reactivate", { ...about(email), fact: "unsubscribed", reason: "asked" }),
    members: async () =>
      (await store.read("lists", { account })).find(({ id }) => id === list)?.members ?? null,
  };
}
const wrongNumbers = async (store: Store) =>
  (await store.read("recount", {})).filter(({ kept, counted }) => kept !== counted);

/** What is sent to the server while something is done. */
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

describe("a group of writes", () => {
  let url: string;
  let store: PostgresStore;
  before(async () => {
    url = await server.newDatabase();
    store = await PostgresStore.open(url, retention);
  });
  after(() => store.close());

  /** Commands of every kind about different people, in one group. */
  async function mixedGroup(size: number): Promise<readonly string[]> {
    const a = await newAccount(store);
    const { account, list, campaign, about } = a;
    await store.write("addField", {
      ...about("x"),
      field: { name: "City", type: "STRING", isPrivate: false },
    });
    const [city] = await store.read("fields", { account });
    assert.ok(city);
    await Promise.all(
      ["left", "gone", "out"].flatMap((word) =>
        Array.from({ length: size }, (_, n) => a.add(`${word}${n}@x.org`)),
      ),
    );
    await Promise.all(Array.from({ length: size }, (_, n) => a.unsubscribe(`out${n}@x.org`)));
    const data = { firstName: "A", lastName: "B", gender: null, birthday: null, countryNumber: null };
    return statementsOf(async () => {
      // The first one goes alone, and all the others together while it is on its way.
      const writes: Promise<unknown>[] = [a.add("first@x.org")];
      for (let n = 0; n < size; n += 1)
        writes.push(
          a.add(`new${n}@x.org`),
          a.add("no address"),
          a.remove(`left${n}@x.org`),
          a.remove(`stranger${n}@x.org`),
          a.unsubscribe(`gone${n}@x.org`),
          a.reactivate(`out${n}@x.org`),
          store.write("recordEvent", { ...about(`left${n}@x.org`), campaign, event: "hard-bounce" }),
          store.write("addField", {
            ...about("x"),
            field: { name: `F${n}`, type: "STRING", isPrivate: true },
          }),
          store.write("addSubscriberWithData", {
            ...about(`data${n}@x.org`),
            list,
            data: { ...data, values: [{ field: city.id, value: "Rome" }] },
          }),
        );
      await Promise.all(writes);
      assert.deepEqual(await wrongNumbers(store), []);
    });
  }
  /**
   * From the second beginning to its commit: the group after the one that went alone. Without what depends on groups
   * before it: ids that are still free, and plans that are made anew once a second.
   */
  const groupIn = (sent: readonly string[]): readonly string[] =>
    sent
      .slice(
        sent.indexOf("BEGIN", sent.indexOf("COMMIT")),
        sent.indexOf("COMMIT", sent.indexOf("COMMIT") + 1) + 1,
      )
      .filter((sql) => !/nextval|DISCARD PLANS/.test(sql));

  test("of every kind is the same statements, two of them or fifty", async () => {
    const [few, many] = [groupIn(await mixedGroup(2)), groupIn(await mixedGroup(50))];
    assert.deepEqual(many, few);
    assert.equal(new Set(few).size, few.length, "none is sent twice");
    assert.ok(few.length <= 24, `${few.length} statements`);
  });
  test("of two hundred adds takes no more statements than one of two", async () => {
    const a = await newAccount(store);
    const adds = (word: string, size: number) =>
      statementsOf(() => Promise.all(Array.from({ length: size + 1 }, (_, n) => a.add(`${word}${n}@x.org`))));
    const [few, many] = [groupIn(await adds("few", 2)), groupIn(await adds("many", 200))];
    assert.deepEqual(many, few);
    assert.equal(await a.members(), 204);
  });
  test("finds every row by its whole key, also in tables that nobody has analysed", async () => {
    const sent = groupIn(await mixedGroup(2)).filter((sql) => sql.includes("$1"));
    const { account, list, campaign } = await newAccount(store);
    await query(
      url,
      `INSERT INTO subscriber (account_id, id, address, address_key, known_since) SELECT ${account}, 1000000 + n, n, n, 1 FROM generate_series(1, 20000) AS n;
       INSERT INTO membership SELECT ${account}, 1000000 + n, ${list}, 1 FROM generate_series(1, 20000) AS n;
       INSERT INTO campaign_event (account_id, subscriber_id, campaign_id, event, at, joined_at) SELECT ${account}, 1000000 + n, ${campaign}, 'hard-bounce', 1, 1 FROM generate_series(1, 20000) AS n`,
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
      `DELETE FROM subscriber WHERE id > 1000000; DELETE FROM membership WHERE subscriber_id > 1000000; DELETE FROM campaign_event WHERE subscriber_id > 1000000`,
    );
  });
  test("is decided in order: each command sees what those before it did", async () => {
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
    const person = await store.read("subscriber", { account: a.account, address: ada });
    assert.equal(person?.lists[0]?.joinedAt, 7);
    const again = await store.read("subscriber", { account: a.account, address: lock });
    assert.equal(again?.lists[0]?.joinedAt, 9, "left and joined again within the group");
    assert.deepEqual(await wrongNumbers(store), []);
  });
  test("is not needed to block a domain of many thousands", async () => {
    const a = await newAccount(store);
    const { account } = a;
    await Promise.all(Array.from({ length: 5003 }, (_, n) => a.add(`p${n}@many.org`)));
    const command = { account, at: 1, origin: { kind: "operator" }, pattern: "@many.org" } as const;
    assert.equal(await store.write("block", command), true);
    assert.equal(await a.members(), 0);
    assert.equal(await store.write("unblock", command), true);
    assert.equal(await a.members(), 5003);
    assert.deepEqual(await wrongNumbers(store), []);
  });
  test("with one that the database refuses keeps all the others", async () => {
    const a = await newAccount(store);
    const poison = { ...a.about("bad@x.org"), fact: "unsubscribed", reason: "a NUL: \0" } as const;
    await a.unsubscribe("bad@x.org");
    const results = await Promise.allSettled([
      a.add("a@x.org"),
      a.add("b@x.org"),
      store.write("reactivate", poison),
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

describe("two nodes", () => {
  test("that start at once make the tables and the first account once", async () => {
    const url = await server.newDatabase();
    const nodes = await Promise.all([1, 2, 3].map(() => PostgresStore.open(url, retention)));
    const key = { hash: hashKey("K"), hint: "K", label: "", scope: "full", expiresAt: null, at: 1 } as const;
    const made = await Promise.all(
      nodes.map((node) => node.write("firstStart", { account: "A", list: "L", key })),
    );
    assert.equal(made.filter((result) => result !== null).length, 1);
    assert.equal((await nodes[0]?.read("accounts", {}))?.length, 1);
    await Promise.all(nodes.map((node) => node.close()));
  });
  test("hammering one list leave exact numbers, and nobody lost or doubled", async () => {
    const url = await server.newDatabase();
    const [first, second] = [
      await PostgresStore.open(url, retention),
      await PostgresStore.open(url, retention),
    ];
    const nodes = [first, second];
    const { account, list, about } = await newAccount(first);
    const other = await newAccount(first);
    const hammer = async (node: PostgresStore, worker: number): Promise<void> => {
      for (let n = 0; n < 60; n += 1) {
        const email = `p${(n * 7 + worker * 3) % 100}@x.org`;
        await node.write("addSubscriber", { ...about(email), list });
        if (n % 5 === 0) await node.write("removeSubscriber", { ...about(email), list });
        if (n % 4 === 0) await node.write("addSubscriber", { ...other.about(email), list: other.list });
        if (n % 9 === 0) await node.write("unsubscribe", about(email));
        if (n % 9 === 0)
          await node.write("reactivate", { ...about(email), fact: "unsubscribed", reason: "again" });
        if (n % 20 === 0) await node.write("block", { ...about(email), pattern: `p${n}@x.org` });
        if (n % 20 === 10) await node.write("unblock", { ...about(email), pattern: `p${n - 10}@x.org` });
      }
    };
    await Promise.all(
      nodes.flatMap((node) => Array.from({ length: 16 }, (_, worker) => hammer(node, worker))),
    );
    for (const pattern of ["p0@x.org", "p20@x.org", "p40@x.org"])
      await first.write("unblock", { ...about(pattern), pattern });
    await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        (n % 2 === 0 ? first : second).write("addSubscriber", { ...about(`p${n}@x.org`), list }),
      ),
    );
    assert.deepEqual(await wrongNumbers(first), []);
    const members = (await first.read("lists", { account })).find(({ id }) => id === list)?.members;
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

describe("a database", () => {
  test("of a newer version is refused in one line", async () => {
    const url = await server.newDatabase();
    await (await PostgresStore.open(url, retention)).close();
    await query(url, "INSERT INTO schema_migration VALUES (9999, 'from the future', 0)");
    await assert.rejects(PostgresStore.open(url, retention), (error: Error) => {
      assert.ok(error instanceof StoreRefused);
      assert.match(error.message, /was written by a newer Mailroll \(schema 9999, this one knows 1\)/);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });
  });
  test("that is not there, or that one may not use, is refused without the password", async () => {
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
  test("with tables of somebody else is refused, and left as it is", async () => {
    const url = await server.newDatabase();
    await query(url, "CREATE TABLE refused (mine text)");
    await assert.rejects(PostgresStore.open(url, retention), (error: Error) => {
      assert.ok(error instanceof StoreRefused);
      assert.match(error.message, /cannot be used: relation "refused" already exists$/);
      return true;
    });
    assert.deepEqual(await query(url, "SELECT to_regclass('account') AS made"), [{ made: null }]);
  });
  test("that cannot be reached is unavailable, without the password", async () => {
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
  test("keeps fields' ids of 64 bits exactly", async () => {
    const url = await server.newDatabase();
    const store = await PostgresStore.open(url, retention);
    const { account, about, list } = await newAccount(store);
    await query(url, "ALTER TABLE field ALTER COLUMN id RESTART WITH 9007199254740993");
    await store.write("addField", {
      ...about("x"),
      field: { name: "Far", type: "STRING", isPrivate: false },
    });
    const [field] = await store.read("fields", { account });
    assert.equal(field?.id, 9007199254740993n);
    const data = { firstName: null, lastName: null, gender: null, birthday: null, countryNumber: null };
    const values = [{ field: 9007199254740993n, value: "v" }];
    const args: Writes["addSubscriberWithData"]["args"] = {
      ...about("a@x.org"),
      list,
      data: { ...data, values },
    };
    assert.equal(await store.write("addSubscriberWithData", args), "Done");
    const address = parseAddress("a@x.org");
    assert.ok(address);
    assert.equal((await store.read("subscriber", { account, address }))?.values[0]?.field, 9007199254740993n);
    await store.close();
  });
});

describe("when the database", () => {
  const inTime = async <T>(work: Promise<T>): Promise<T> => {
    const since = performance.now();
    try {
      return await work;
    } finally {
      assert.ok(performance.now() - since < 5000, "answered within five seconds");
    }
  };
  test("holds a lock for too long, callers are told in time, and go on when it is free", async () => {
    const url = await server.newDatabase();
    const store = await PostgresStore.open(url, retention);
    const a = await newAccount(store);
    const rival = new Client({ connectionString: url });
    await rival.connect();
    await rival.query("BEGIN; SELECT 1 FROM account FOR UPDATE");
    const first = a.add("a@x.org");
    const behind = a.add("b@x.org");
    const results = await inTime(Promise.allSettled([first, behind]));
    for (const result of results)
      assert.ok(result.status === "rejected" && result.reason instanceof StoreUnavailable);
    assert.equal(await inTime(a.members()), 0, "a read does not wait");
    await rival.query("ROLLBACK");
    await rival.end();
    assert.equal(await a.add("a@x.org"), "Done");
    assert.equal(await a.members(), 1);
    await store.close();
  });
  test("falls silent, everybody is told in time, and closing ends", async () => {
    const proxy = await silentProxy(await server.newDatabase());
    const store = await PostgresStore.open(proxy.url, retention);
    const a = await newAccount(store);
    await Promise.all([a.add("a@x.org"), a.members()]);
    proxy.fallSilent();
    const asked = [
      a.add("b@x.org"),
      a.add("c@x.org"),
      a.members(),
      store.write("createAccount", { name: "B", at: 1 }),
    ];
    for (const result of await inTime(Promise.allSettled(asked)))
      assert.ok(result.status === "rejected" && result.reason instanceof StoreUnavailable);
    await inTime(store.close());
    await proxy.close();
  });
  test("breaks off an idle connection, nobody notices", async () => {
    const url = await server.newDatabase();
    const store = await PostgresStore.open(url, retention);
    const a = await newAccount(store);
    await a.add("a@x.org");
    await a.members();
    await query(
      url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    assert.deepEqual(await Promise.all([a.add("b@x.org"), a.members().then(() => "read")]), ["Done", "read"]);
    assert.equal((await store.write("createList", { account: a.account, name: "M", at: 1 })).name, "M");
    assert.equal(await a.members(), 2);
    await store.close();
  });
  test("goes away, everybody is told in time; when it is back, service resumes by itself", async () => {
    const store = await PostgresStore.open(await server.newDatabase(), retention);
    const a = await newAccount(store);
    await a.add("before@x.org");
    let isStopped = false;
    const outcomes = new Map<string, string>();
    const busy = (async () => {
      for (let n = 0; !isStopped; n += 1)
        outcomes.set(`p${n}@x.org`, await inTime(a.add(`p${n}@x.org`)).catch((error: Error) => error.name));
    })();
    await server.pause();
    try {
      isStopped = true;
      await busy;
      const asked = [
        a.add("c@x.org"),
        a.members(),
        store.read("ping", {}),
        store.write("createAccount", { name: "B", at: 1 }),
      ];
      for (const result of await inTime(Promise.allSettled(asked)))
        assert.ok(
          result.status === "rejected" && result.reason instanceof StoreUnavailable,
          String(result.status),
        );
    } finally {
      await server.resume();
    }
    assert.equal(await a.add("after@x.org"), "Done");
    assert.deepEqual(
      new Set([...outcomes.values(), "Done"]).difference(new Set(["Done", "StoreUnavailable"])),
      new Set(),
    );
    for (const [email, outcome] of outcomes) {
      const address = parseAddress(email);
      assert.ok(address);
      const person = await store.read("subscriber", { account: a.account, address });
      if (outcome === "Done") assert.ok(person, `${email} was answered, so it is there`);
    }
    assert.deepEqual(await wrongNumbers(store), []);
    await store.close();
  });
});

test("the whole service over PostgreSQL answers by SOAP", async () => {
  const service = await startService({ database: await server.newDatabase() });
  try {
    const list = service.firstStart?.list ?? 0;
    const add = `<SubscribersListID>${list}</SubscribersListID><EMail>ada@example.org</EMail>`;
    assert.equal((await call(service, "Subscriber.Add", withKey(add))).result, "0");
    const lists = await call(service, "Client.GetSubscribersLists", withKey());
    assert.equal(lists.status, 200);
    assert.match(lists.result ?? "", /Newsletter/);
    assert.match(lists.result ?? "", />1</);
    assert.equal((await call(service, "Subscriber.Add", withKey(add, "UNKNOWN-KEY"))).code, "InvalidApiKey");
  } finally {
    await service.close();
  }
});

describe("the command line over PostgreSQL", () => {
  const run = async (words: string, database: string) => {
    const output = { out: "", err: "" };
    const code = await runCommandLine(words.split(" "), {
      out: (text) => {
        output.out += text;
      },
      err: (text) => {
        output.err += text;
      },
      env: { MAILROLL_DATABASE: database },
      folder: tmpdir(),
      confirm: async () => null,
    });
    return { code, ...output };
  };
  test("makes what it needs, and the doctor finds it sound", async () => {
    const url = await server.newDatabase();
    assert.equal((await run("account create Acme", url)).code, 0);
    assert.equal((await run("key create", url)).code, 0);
    const { code, out } = await run("doctor", url);
    assert.equal(code, 0, out);
    assert.match(out, /^ok +schema +version 1\nok +integrity .*\nok +counters .*\nok +accounts +account 1/m);
  });
  test("says in one line that the server does not answer, or that the address is none, without the password", async () => {
    const unreachable = await run("doctor", "postgres://u:hidden@127.0.0.1:1/m");
    assert.equal(unreachable.code, 1);
    assert.match(
      unreachable.out,
      /^problem +database +the database does not answer: .*see that the server runs/m,
    );
    const misspelt = await run("doctor", "postgress://u:hidden@127.0.0.1/m");
    assert.equal(misspelt.code, 78);
    assert.match(misspelt.err, /^mailroll: MAILROLL_DATABASE: the value is not sqlite: and a file/);
    assert.doesNotMatch(JSON.stringify([unreachable, misspelt]), /hidden/);
  });
});
