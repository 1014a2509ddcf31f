/** Reads of operators do not delay those of callers, on both stores. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { constants, getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { Client } from "pg";
import type { Store } from "#domain/ports/store.ts";
import { mayWalk } from "#store/cold/features.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { actor, newAccount } from "./actor.ts";

const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
const server = await sharedPostgres();
const first = { after: null, limit: 10 };
const anybody = { address: null, name: null, state: null, list: null, filter: [] };

const listsOf = (store: Store, account: number) => store.lists.all.page({ account }, first);
const search = (store: Store, account: number) =>
  store.forOperators.subscribers.search.page({ account, ...anybody, name: "Nobody" }, first);

test("on SQLite, a caller's read does not wait for the operators' reads that are queued", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-operators-"));
  const store = await SqliteStore.open(join(folder, "m.db"), retention);
  try {
    const account = await newAccount(store);
    const list = await actor(store, account).list();
    await actor(store, account).add(list, "ada@example.org");
    // Both threads are running.
    await Promise.all([listsOf(store, account), search(store, account)]);
    let answered = 0;
    // Of different names, so that no two share a query.
    const names = Array.from({ length: 2000 }, (_, n) => `Nobody ${n}`);
    const searches = names.map(async (name) => {
      const page = await store.forOperators.subscribers.search.page({ account, ...anybody, name }, first);
      answered += 1;
      return page.rows.length;
    });
    assert.deepEqual(
      (await listsOf(store, account)).rows.map(({ id }) => id),
      [list],
    );
    assert.ok(answered < names.length, `${answered} of ${names.length} searches were answered before`);
    assert.equal(Math.max(...(await Promise.all(searches))), 0);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
});

test("a page that looks for the rows of one kind among many is a walk", () => {
  for (const [kind, args, expected] of [
    ["mailings.recipients", { state: null }, false],
    ["mailings.recipients", { state: "failed" }, true],
    ["mailings.retriable", { state: "failed" }, true],
    ["mailings.candidates", {}, false],
    ["lists.all", {}, false],
    ["subscribers.search", anybody, false],
    ["subscribers.search", { ...anybody, filter: [{ about: "country", test: "is", value: "DE" }] }, true],
  ] as const)
    assert.equal(mayWalk(kind, args), expected, `${kind} ${JSON.stringify(args)}`);
});

test("on SQLite, neither a read of a few rows nor a page of a list waits for a walk over many", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-operators-"));
  const file = join(folder, "m.db");
  const store = await SqliteStore.open(file, retention);
  const rival = new DatabaseSync(file);
  try {
    const account = await newAccount(store);
    const list = await actor(store, account).list();
    rival.exec(
      `WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 20000)
       INSERT INTO subscriber (account_id, address, address_key, known_since)
       SELECT ${account}, n || '@example.org', n || '@example.org', 5 FROM s;
       UPDATE account SET active_subscribers = 20000`,
    );
    // The thread is running.
    await listsOf(store.forOperators, account);
    const answered: string[] = [];
    const answer = async (name: string, read: Promise<unknown>) => {
      await read;
      answered.push(name);
    };
    const walk = (name: string) =>
      store.forOperators.subscribers.search.page({ account, ...anybody, name }, first);
    const walks = ["One", "Two", "Three"].map((name) => answer(name, walk(name)));
    await Promise.all([
      answer("point", store.forOperators.lists.byId({ account, id: list })),
      answer("page", listsOf(store.forOperators, account)),
      answer("everybody", store.forOperators.subscribers.search.page({ account, ...anybody }, first)),
    ]);
    assert.deepEqual(answered.toSorted(), ["everybody", "page", "point"]);
    await Promise.all(walks);
    assert.deepEqual(answered.slice(3), ["One", "Two", "Three"]);
  } finally {
    rival.close();
    await store.close();
    rmSync(folder, { recursive: true });
  }
});

test("on PostgreSQL, a caller's read does not wait for a connection of operators", async () => {
  const url = await server.newDatabase();
  const store = await PostgresStore.open(url, retention);
  const rival = new Client({ connectionString: url });
  await rival.connect();
  try {
    const account = await newAccount(store);
    const list = await actor(store, account).list();
    await rival.query("BEGIN; LOCK TABLE subscriber IN ACCESS EXCLUSIVE MODE");
    let answered = 0;
    const names = Array.from({ length: 10 }, (_, n) => `Nobody ${n}`);
    const searches = names.map(async (name) => {
      await store.forOperators.subscribers.search.page({ account, ...anybody, name }, first);
      answered += 1;
    });
    assert.deepEqual(
      (await listsOf(store, account)).rows.map(({ id }) => id),
      [list],
    );
    assert.equal(answered, 0, "no search was answered");
    await rival.query("COMMIT");
    await Promise.all(searches);
  } finally {
    await rival.end();
    await store.close();
  }
});

test("operators see what callers have written, and write through the same groups", async () => {
  const url = await server.newDatabase();
  const store = await PostgresStore.open(url, retention);
  try {
    const account = await newAccount(store);
    const a = actor(store.forOperators, account);
    const list = await a.list();
    assert.equal(await a.add(list, "ada@example.org"), "Done");
    assert.equal((await a.show("ada@example.org"))?.state, "active");
    assert.equal(await actor(store, account).members(list), 1);
    assert.equal(store.forOperators, store.forOperators, "it is made once");
  } finally {
    await store.close();
  }
});

test("a thread for operators has a lower priority, and the others keep theirs", {
  skip: process.platform === "linux" ? false : "priorities belong to threads on Linux only",
}, async () => {
  const before = getPriority();
  const worker = new Worker(new URL("./low-priority-thread.ts", import.meta.url));
  const [priority] = (await once(worker, "message")) as [number];
  assert.equal(priority, constants.priority.PRIORITY_BELOW_NORMAL);
  assert.equal(getPriority(), before);
});
