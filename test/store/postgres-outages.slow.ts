/**
 * The PostgreSQL store while the server is slow, silent, down or back: no call hangs, and nothing
 * acknowledged is lost.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { parseAddress } from "#domain/address.ts";
import { collect } from "#domain/paging.ts";
import { DiskFailed, StoreUnavailable } from "#domain/ports/errors.ts";
import { opened, sessionConfig } from "#store/postgres/sessions/connection.ts";
import { asStoreError, isConflict, isLost } from "#store/postgres/sessions/failures.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { failingProxy } from "../failing-proxy.ts";
import type { PostgresServer } from "../postgres-server.ts";
import { ownPostgres } from "../shared-postgres.ts";
import { newAccount, query } from "./postgres-account.ts";
import { wrongNumbers } from "./recount.ts";

let server: PostgresServer;
before(async () => {
  server = await ownPostgres();
  await query(server.urlOf("postgres"), "CREATE ROLE tenant LOGIN PASSWORD 'tenant'");
});
after(() => server.stop());
const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };

describe("outages of PostgreSQL", () => {
  const inTime = async <T>(work: Promise<T>): Promise<T> => {
    const since = performance.now();
    try {
      return await work;
    } finally {
      assert.ok(performance.now() - since < 5000, "answered within five seconds");
    }
  };
  test("answers unavailable in time while a lock is held for too long, and continues when it is free", async () => {
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
  test("answers unavailable in time while the server is silent, and can be closed", async () => {
    const proxy = await failingProxy(await server.newDatabase());
    const store = await PostgresStore.open(proxy.url, retention);
    const a = await newAccount(store);
    await Promise.all([a.add("a@x.org"), a.members()]);
    proxy.fallSilent();
    const asked = [
      a.add("b@x.org"),
      a.add("c@x.org"),
      a.members(),
      store.accounts.create({ name: "B", at: 1 }),
    ];
    for (const result of await inTime(Promise.allSettled(asked)))
      assert.ok(result.status === "rejected" && result.reason instanceof StoreUnavailable);
    await inTime(store.close());
    await proxy.close();
  });
  test("answers unavailable while the server is read-only, and continues when it takes writes again", async (t) => {
    const url = await server.newDatabase();
    const name = new URL(url).pathname.slice(1);
    const store = await PostgresStore.open(url, retention);
    const a = await newAccount(store);
    await a.add("a@x.org");
    const now = performance.now.bind(performance);
    let ahead = 0;
    t.mock.method(performance, "now", () => now() + ahead);
    await query(
      url,
      `ALTER DATABASE ${name} SET default_transaction_read_only = on;
       SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`,
    );
    for (let call = 0; call < 5; call += 1) {
      // Calls further apart than plans are kept.
      ahead += 1500;
      await assert.rejects(a.add("b@x.org"), (error: Error) => {
        assert.ok(error instanceof StoreUnavailable, String(error));
        assert.match(error.message, /read-only transaction/);
        return true;
      });
      await assert.rejects(store.health.probeWrite(), StoreUnavailable);
    }
    await query(server.urlOf("postgres"), `ALTER DATABASE ${name} RESET default_transaction_read_only`);
    assert.equal(await store.health.probeWrite(), null);
    assert.equal(await a.add("b@x.org"), "Done");
    await store.close();
  });
  for (const [what, spoil, mend] of [
    ["refuses the role", "ALTER ROLE tenant NOLOGIN", "ALTER ROLE tenant LOGIN"],
    ["wants another password", "ALTER ROLE tenant PASSWORD 'new'", "ALTER ROLE tenant PASSWORD 'tenant'"],
    [
      "allows no connections",
      "ALTER DATABASE moved ALLOW_CONNECTIONS false",
      "ALTER DATABASE moved ALLOW_CONNECTIONS true",
    ],
    ["is renamed", "ALTER DATABASE moved RENAME TO gone", "ALTER DATABASE gone RENAME TO moved"],
    ["shows no tables", "ALTER ROLE tenant SET search_path = nowhere", "ALTER ROLE tenant RESET search_path"],
  ] as const)
    test(`answers unavailable when the database ${what}, and continues when that is repaired`, async () => {
      const admin = server.urlOf("postgres");
      await query(admin, "DROP DATABASE IF EXISTS moved WITH (FORCE)");
      await query(admin, "CREATE DATABASE moved OWNER tenant");
      const url = new URL(server.urlOf("moved"));
      [url.username, url.password] = ["tenant", "tenant"];
      const store = await PostgresStore.open(url.href, retention);
      const a = await newAccount(store);
      await a.add("a@x.org");
      const end = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'tenant'";
      await query(admin, end);
      await query(admin, spoil);
      const asked = [
        a.add("b@x.org"),
        store.health.probeWrite(),
        collect(store.accounts.all.pages({})),
        store.accounts.create({ name: "B", at: 1 }),
      ];
      for (const result of await inTime(Promise.allSettled(asked))) {
        const reason: unknown = result.status === "rejected" ? result.reason : "no failure";
        assert.ok(reason instanceof StoreUnavailable, String(reason));
      }
      await query(admin, mend);
      await query(admin, end);
      assert.equal(await a.add("b@x.org"), "Done");
      await store.close();
    });
  test("answers unavailable to adds and the write probe when a right that they need is revoked", async () => {
    const url = await server.newDatabase();
    await (await PostgresStore.open(url, retention)).close();
    const rights = "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public";
    await query(url, `GRANT ${rights} TO tenant; GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO tenant`);
    const address = new URL(url);
    [address.username, address.password] = ["tenant", "tenant"];
    const store = await PostgresStore.open(address.href, retention);
    const a = await newAccount(store);
    assert.equal(await store.health.probeWrite(), null);
    for (const right of [
      "INSERT ON subscriber",
      "SELECT ON block",
      "UPDATE ON list",
      "USAGE ON subscriber_id",
    ]) {
      await query(url, `REVOKE ${right} FROM tenant`);
      await assert.rejects(store.health.probeWrite(), StoreUnavailable, right);
      await assert.rejects(a.add(`${right.length}@x.org`), StoreUnavailable, right);
      await query(url, `GRANT ${right} TO tenant`);
      assert.equal(await store.health.probeWrite(), null, right);
      assert.equal(await a.add(`${right.length}@x.org`), "Done", right);
    }
    await store.close();
  });
  test("overrides session defaults of the server", async () => {
    const url = await server.newDatabase();
    const name = new URL(url).pathname.slice(1);
    await query(
      url,
      `ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable';
       ALTER DATABASE ${name} SET array_nulls = off;
       ALTER DATABASE ${name} SET transaction_timeout = '2s'`,
    );
    const client = new Client(sessionConfig(url, { statementMs: 0 }));
    await opened(client);
    for (const [setting, value] of [
      ["default_transaction_isolation", "read committed"],
      ["array_nulls", "on"],
      ["transaction_timeout", "0"],
    ] as const)
      assert.deepEqual((await client.query(`SHOW ${setting}`)).rows, [{ [setting]: value }]);
    await client.end();
    const store = await PostgresStore.open(url, retention);
    const a = await newAccount(store);
    assert.equal(await a.add("a@x.org"), "Done");
    assert.deepEqual(await wrongNumbers(store), []);
    await store.close();
  });
  test("survives the loss of an idle connection without a failed call", async () => {
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
    assert.equal((await store.lists.create({ account: a.account, name: "M", at: 1 })).name, "M");
    assert.equal(await a.members(), 2);
    await store.close();
  });
  test("uses no id twice when the server crashes and assigns ids of a lost group again", async () => {
    const url = await server.newDatabase();
    const proxy = await failingProxy(url);
    const store = await PostgresStore.open(proxy.url, retention);
    const other = await PostgresStore.open(url, retention);
    const a = await newAccount(store);
    await a.add("a@x.org");
    proxy.breakAt("COMMIT");
    await assert.rejects(a.add("a@x.org"), StoreUnavailable);
    // As after a crash: the advance of the sequence was not on disk yet.
    await query(url, "SELECT setval('subscriber_id', (SELECT max(id) FROM subscriber))");
    const command = { ...a.about("b@x.org"), list: a.list };
    assert.equal(await other.subscribers.add(command), "Done");
    assert.equal(await a.add("c@x.org"), "Done");
    assert.equal(await a.members(), 3);
    await Promise.all([store.close(), other.close()]);
    await proxy.close();
  });
  test("answers unavailable in time while the server is away, and resumes by itself", async () => {
    const store = await PostgresStore.open(await server.newDatabase(), retention);
    const a = await newAccount(store);
    await a.add("before@x.org");
    const stopping = new AbortController();
    const outcomes = new Map<string, string>();
    const busy = (async () => {
      for (let n = 0; !stopping.signal.aborted; n += 1)
        outcomes.set(`p${n}@x.org`, await inTime(a.add(`p${n}@x.org`)).catch((error: Error) => error.name));
    })();
    await server.pause();
    try {
      stopping.abort();
      await busy;
      const asked = [
        a.add("c@x.org"),
        a.members(),
        store.health.ping(),
        store.accounts.create({ name: "B", at: 1 }),
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
      const person = await store.subscribers.byAddress({ account: a.account, address });
      if (outcome === "Done") assert.ok(person, `${email} was answered, so it is there`);
    }
    assert.deepEqual(await wrongNumbers(store), []);
    await store.close();
  });
  test("repeats a group whose connection was lost before the commit was sent", async () => {
    const proxy = await failingProxy(await server.newDatabase());
    const store = await PostgresStore.open(proxy.url, retention);
    const a = await newAccount(store);
    await a.add("a@x.org");
    proxy.breakAt("BEGIN");
    assert.deepEqual(await Promise.all([a.add("b@x.org"), a.add("c@x.org")]), ["Done", "Done"]);
    assert.equal(await a.members(), 3);
    await store.close();
    await proxy.close();
  });
  test("reports an unknown result, and repeats nothing, when the connection is lost during the commit", async () => {
    const proxy = await failingProxy(await server.newDatabase());
    const store = await PostgresStore.open(proxy.url, retention);
    const a = await newAccount(store);
    await a.add("a@x.org");
    proxy.breakAt("COMMIT");
    await assert.rejects(a.add("b@x.org"), (error: Error) => {
      assert.ok(error instanceof StoreUnavailable);
      assert.match(error.message, /during a commit: it is not known/);
      return true;
    });
    assert.equal(await a.add("b@x.org"), "Done");
    assert.equal(await a.members(), 2);
    assert.deepEqual(await wrongNumbers(store), []);
    await store.close();
    await proxy.close();
  });
  test("repeats a transaction that the server aborted in favour of another", async () => {
    const url = await server.newDatabase();
    const store = await PostgresStore.open(url, retention);
    const a = await newAccount(store);
    await query(
      url,
      `CREATE SEQUENCE times MINVALUE -1000 START 1;
       CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN IF nextval('times') < 3 THEN RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END IF; RETURN NEW; END $$;
       CREATE TRIGGER conflicts BEFORE INSERT ON membership FOR EACH ROW EXECUTE FUNCTION conflict()`,
    );
    assert.equal(await a.add("a@x.org"), "Done");
    await query(url, "ALTER SEQUENCE times RESTART WITH -1000");
    await assert.rejects(a.add("b@x.org"), StoreUnavailable, "but not for ever");
    assert.deepEqual(await wrongNumbers(store), []);
    await store.close();
  });
});

test("does not report an error of our own code or SQL as an outage", () => {
  const named = (code: string): Error => Object.assign(new Error("text"), { code });
  for (const code of ["ERR_INVALID_ARG_TYPE", "23505", "42601", "42703", "22021"]) {
    assert.ok(!(asStoreError(named(code)) instanceof StoreUnavailable), code);
    assert.equal(isLost(named(code)), false, code);
  }
  for (const code of [
    "ECONNRESET",
    "EPIPE",
    "ENOTFOUND",
    "57P01",
    "08006",
    "25P02",
    "25P03",
    "25P04",
    "57P05",
    "CERT_HAS_EXPIRED",
  ]) {
    assert.ok(asStoreError(named(code)) instanceof StoreUnavailable, code);
    assert.equal(isLost(named(code)), true, code);
  }
  for (const code of [
    "57014",
    "53100",
    "55P03",
    "40P01",
    "28P01",
    "28000",
    "3D000",
    "3F000",
    "42501",
    "42P01",
    "55000",
  ]) {
    assert.ok(asStoreError(named(code)) instanceof StoreUnavailable, code);
    assert.equal(isLost(named(code)), false, code);
  }
  assert.deepEqual(
    ["53100", "58030", "57014"].map((code) => asStoreError(named(code)) instanceof DiskFailed),
    [true, true, false],
  );
  assert.deepEqual(
    ["40001", "40P01", "23505"].map((code) => isConflict(named(code))),
    [true, true, false],
  );
});
