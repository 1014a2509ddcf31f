/** Idempotency keys on both stores, and what concerns one of them. */
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { copyPages } from "#store/sqlite/file/page-copy.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { temporaryTables } from "#store/tables/tables.ts";
import { STEP_BYTES } from "#store/writes/step-limits.ts";
import { holdingProxy } from "../holding-proxy.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { actor, addressOf, NOW, newAccount } from "./actor.ts";
import { idempotencySuite, request } from "./idempotency-suite.ts";
import { query } from "./postgres-account.ts";

const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
const folder = mkdtempSync(join(tmpdir(), "mailroll-idempotency-"));
const file = join(folder, "m.db");
const server = await sharedPostgres();
const url = await server.newDatabase();
after(() => rmSync(folder, { recursive: true }));

async function inFile(from: string, sql: string): Promise<readonly object[]> {
  const db = new DatabaseSync(from, { readOnly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

idempotencySuite(
  "the SQLite store",
  () => SqliteStore.open(file, retention),
  (sql) => inFile(file, sql),
);
idempotencySuite(
  "the PostgreSQL store",
  () => PostgresStore.open(url, retention),
  (sql) => query<object>(url, sql),
);

/** Calls and admin commands alike. */
const writes = {
  "an admin command": (store: Store, account: number) => store.lists.create({ account, name: "A", at: NOW }),
  "a call": (store: Store, account: number) => actor(store, account).field("Town"),
};
for (const [what, write] of Object.entries(writes))
  test(`lets ${what} with the same key wait for the one on another node, and answers it from the record`, async () => {
    const database = await server.newDatabase();
    const proxy = await holdingProxy(database);
    const [held, other] = await Promise.all([
      PostgresStore.open(proxy.url, retention),
      PostgresStore.open(database, retention),
    ]);
    try {
      const account = await newAccount(other);
      const one = request();
      const isHeld = proxy.holdAt("INSERT INTO idempotency_result");
      const first = write(held.idempotent(one), account);
      await isHeld;
      const again = other.idempotent(one);
      const second = write(again, account);
      const waiting = `SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%idempotency_key%'`;
      const done = new AbortController();
      void Promise.allSettled([second]).then(() => done.abort());
      while (!done.signal.aborted && (await query(database, waiting)).length === 0);
      assert.equal(done.signal.aborted, false, "it waits");
      proxy.release();
      assert.deepEqual(await second, await first);
      assert.equal(again.isRepeat, true);
      const lists = await collect(other.lists.all.pages({ account }));
      const fields = await collect(other.fields.all.pages({ account }));
      assert.equal(lists.length + fields.length, 1);
    } finally {
      proxy.release();
      await Promise.all([held.close(), other.close()]);
      await proxy.close();
    }
  });

test("a write without a key does not touch the tables of the keys", async () => {
  const database = await server.newDatabase();
  const store = await PostgresStore.open(database, retention);
  try {
    const account = await newAccount(store);
    await query(database, temporaryTables.map((name) => `DROP TABLE ${name}`).join("; "));
    const a = actor(store, account);
    const list = await a.list();
    assert.equal(await a.add(list, "ada@example.org"), "Done");
    await assert.rejects(actor(store.idempotent(request()), account).add(list, "bob@example.org"));
  } finally {
    await store.close();
  }
});

test("a backup contains nothing of the keys, also not in free pages", async () => {
  const [from, to] = [join(folder, "from.db"), join(folder, "to.db")];
  const store = await SqliteStore.open(from, retention);
  const account = await newAccount(store);
  // There is no such block, so the record of the request is all that contains the address.
  const on = store.idempotent(request());
  assert.equal(await actor(on, account).unblock("unmistakable@example.org"), false);
  await store.close();
  const signal = new AbortController().signal;
  await copyPages(from, to, { onProgress: () => {}, signal });
  for (const name of temporaryTables.filter((one) => one.startsWith("idempotency"))) {
    assert.equal((await inFile(from, `SELECT 1 FROM ${name}`)).length, 1);
    assert.equal((await inFile(to, `SELECT 1 FROM ${name}`)).length, 0);
  }
  assert.ok(readFileSync(from).includes("unmistakable"));
  assert.ok(!readFileSync(to).includes("unmistakable"));
});

const databases = {
  SQLite: {
    address: join(folder, "killed.db"),
    open: (address: string) => SqliteStore.open(address, retention),
  },
  PostgreSQL: {
    address: await server.newDatabase(),
    open: (address: string) => PostgresStore.open(address, retention),
  },
};
for (const [name, { address, open }] of Object.entries(databases))
  test(`on ${name}, a request that is repeated after kill -9 makes each of its writes once`, async () => {
    const store = await open(address);
    const account = await newAccount(store);
    await store.close();
    const child = fork(new URL("./killed-request.ts", import.meta.url), [address, String(account)]);
    await once(child, "exit");
    assert.equal(child.signalCode, "SIGKILL");
    const again = await open(address);
    try {
      const { killedRequest, makeLists, LISTS } = await import("./killed-request.ts");
      const before = (await collect(again.lists.all.pages({ account }))).length;
      assert.ok(before > 0 && before < LISTS, `${before} lists before the repeat`);
      const on = again.idempotent(killedRequest);
      const made = await makeLists(on, account, () => {});
      assert.equal(on.isRepeat, true);
      assert.deepEqual(await collect(again.lists.all.pages({ account })), made);
      assert.equal(made.length, LISTS);
    } finally {
      await again.close();
    }
  });

test("a request can make as many writes as the search of all refused calls of an account takes", async () => {
  const store = await SqliteStore.open(file, retention);
  const account = await newAccount(store);
  const on = store.idempotent(request("many writes"));
  const address = addressOf("ada@example.org");
  const steps = Array.from({ length: 1 + retention.bytes / STEP_BYTES }, () =>
    on.refusals.erase({ account, address, after: 0 }),
  );
  assert.equal((await Promise.all(steps)).length, 1025);
  await store.close();
});
