/** The embedded store: the common suite, and its own behaviour (file, migrations, threads, durability). */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, type TestContext, test } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";
import workers from "node:worker_threads";
import { parseAddress } from "#domain/address.ts";
import { collect } from "#domain/paging.ts";
import { StoreRefused, StoreUnavailable } from "#domain/ports/errors.ts";
import type { Store } from "#domain/ports/store.ts";
import { addBlock, deleteList, removeBlock } from "#jobs/in-batches.ts";
import { integer, text } from "#store/cold/kit/statement.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { rewrite } from "#store/sqlite/file/rewrite.ts";
import { statement } from "#store/sqlite/statement.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import type { OpenedDatabase } from "#store/sqlite/threads/thread-data.ts";
import { groupWriter, type WriteCall } from "#store/sqlite/writer.ts";
import { Thread } from "#store/threads/thread.ts";
import { SmallDisk, whyNoDisk } from "../faults/small-disk.ts";
import { correctionSuite } from "./correction-suite.ts";
import { erasureSuite } from "./erasure-suite.ts";
import { importSuite } from "./import-suite.ts";
import { importValuesSuite } from "./import-values-suite.ts";
import { deletedOf } from "./job-steps.ts";
import { membershipSuite } from "./membership-suite.ts";
import { closeSound, wrongNumbers } from "./recount.ts";
import { longList, storeSuite } from "./suite.ts";
import { whoSuite } from "./who-suite.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-store-"));
after(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = (): string => {
  files += 1;
  return join(folder, `${files}.db`);
};
const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
/** Closed after the test even if that fails: otherwise its threads keep the process alive. */
async function openFor(t: TestContext, file: string): Promise<Store> {
  const store = await SqliteStore.open(file, retention);
  t.after(() => store.close());
  return store;
}

storeSuite("the SQLite store", (kept) => SqliteStore.open(newFile(), kept));
importSuite("the SQLite store", (kept) => SqliteStore.open(newFile(), kept));
importValuesSuite("the SQLite store", (kept) => SqliteStore.open(newFile(), kept));
correctionSuite("the SQLite store", (kept) => SqliteStore.open(newFile(), kept));
erasureSuite("the SQLite store", (kept) => SqliteStore.open(newFile(), kept));
whoSuite("the SQLite store", () => SqliteStore.open(newFile(), retention));
membershipSuite("the SQLite store", (kept) => SqliteStore.open(newFile(), kept));

/** How many threads are started meanwhile. */
async function threadsStarted(work: () => Promise<unknown>): Promise<number> {
  const { Worker } = workers;
  let started = 0;
  const counting = new Proxy(Worker, {
    construct(target, args: ConstructorParameters<typeof Worker>) {
      started += 1;
      return new target(...args);
    },
  });
  workers.Worker = counting;
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    workers.Worker = Worker;
    syncBuiltinESMExports();
  }
  return started;
}

describe("threads", () => {
  test("are not started for what the service reads by itself, but for the writer's", async (t) => {
    const file = newFile();
    let store: Store | undefined;
    const idle = async (): Promise<void> => {
      store = await openFor(t, file);
      await Promise.all([
        store.keys.recent({ since: 0, limit: 10 }),
        store.users.recentTokens({ since: 0, limit: 10 }),
        store.jobs.owners(),
        store.ledger.due({ now: 1 }),
        store.ledger.unattended({ now: 1 }),
        store.health.clock(),
      ]);
      assert.equal(await store.accounts.exist(), false);
      await store.accounts.create({ name: "A", at: 1 });
      assert.equal(await store.accounts.exist(), true);
    };
    assert.equal(await threadsStarted(idle), 1);
    assert.equal(await threadsStarted(async () => store?.accounts.byId({ id: 1 })), 1);
  });
  test("are not started for a caller that has nothing to do meanwhile", async () => {
    const work = async (): Promise<void> => {
      const options = { mayMigrate: true, hasThreads: false };
      const store = await SqliteStore.open(newFile(), retention, null, options);
      const { id } = await store.accounts.create({ name: "A", at: 1 });
      assert.equal((await store.forOperators.accounts.byId({ id }))?.name, "A");
      assert.equal((await collect(store.accounts.all.pages({}))).length, 1);
      await assert.rejects(store.accounts.create({ name: null as never, at: 1 }), /NOT NULL/);
      await store.close();
    };
    assert.equal(await threadsStarted(work), 0);
  });
  test("a file that cannot be opened is reported without a thread, too", async () => {
    const file = newFile();
    writeFileSync(file, "no database at all");
    const options = { mayMigrate: false, hasThreads: false };
    await assert.rejects(SqliteStore.open(file, retention, null, options), StoreRefused);
  });
});

describe("database files", () => {
  test("creates the file and its folder with access for the owner only", async (t) => {
    const file = join(folder, "deep", "er", "m.db");
    await openFor(t, file);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(`${file}-wal`).mode & 0o777, 0o600);
    assert.equal(statSync(join(folder, "deep")).mode & 0o777, 0o700);
  });
  test("keeps everything over a restart", async () => {
    const file = newFile();
    const first = await SqliteStore.open(file, retention);
    await first.accounts.create({ name: "Kept", at: 1 });
    await first.close();
    const second = await SqliteStore.open(file, retention);
    assert.equal((await collect(second.accounts.all.pages({})))[0]?.name, "Kept");
    assert.equal(second.schemaVersion, first.schemaVersion);
    await second.close();
  });
  test("writes nothing to a file that a newer version has migrated meanwhile", async (t) => {
    const file = newFile();
    const store = await openFor(t, file);
    const db = new DatabaseSync(file);
    db.exec("INSERT INTO schema_migration VALUES (9999, 'from the future', 0)");
    const create = () => store.accounts.create({ name: "A", at: 1 });
    await assert.rejects(create, (error: Error) => {
      assert.ok(error instanceof StoreUnavailable, String(error));
      assert.match(error.message, /migrated by a newer Mailroll .*; update this node/);
      return true;
    });
    assert.deepEqual(await collect(store.accounts.all.pages({})), []);
    db.exec("DELETE FROM schema_migration WHERE number = 9999");
    db.close();
    assert.equal((await create()).name, "A");
  });
  test("refuses a file of a newer version in one line, and leaves it unchanged", async () => {
    const file = newFile();
    await (await SqliteStore.open(file, retention)).close();
    const db = new DatabaseSync(file);
    db.exec("INSERT INTO schema_migration VALUES (9999, 'from the future', 0)");
    db.close();
    const bytes = readFileSync(file);
    await assert.rejects(SqliteStore.open(file, retention), (error: Error) => {
      assert.ok(error instanceof StoreRefused);
      assert.match(error.message, /was written by a newer Mailroll \(schema 9999, this version knows \d+\)/);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });
    assert.ok(readFileSync(file).equals(bytes));
  });
  test("refuses a file that is not a database, and overwrites nothing", async () => {
    const file = newFile();
    writeFileSync(file, "my shopping list, not a database");
    await assert.rejects(
      SqliteStore.open(file, retention),
      /is not a SQLite database; it was left unchanged/,
    );
    assert.equal(readFileSync(file, "utf8"), "my shopping list, not a database");
  });
  test("refuses the database of another program, and leaves it unchanged", async () => {
    const file = newFile();
    const db = new DatabaseSync(file);
    db.exec("CREATE TABLE recipes (name TEXT)");
    db.close();
    const bytes = readFileSync(file);
    await assert.rejects(
      SqliteStore.open(file, retention),
      /is a database of another program; it was left unchanged/,
    );
    assert.ok(readFileSync(file).equals(bytes));
  });
  test("refuses an impossible path with the reason", async () => {
    const file = newFile();
    writeFileSync(file, "");
    await assert.rejects(SqliteStore.open(join(file, "m.db"), retention), StoreRefused);
  });
  test("waits for a file that another program has locked for a moment", async () => {
    const file = newFile();
    await (await SqliteStore.open(file, retention)).close();
    const rival = new DatabaseSync(file);
    rival.exec("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE");
    const opening = SqliteStore.open(file, retention);
    await setTimeout(300);
    rival.exec("ROLLBACK");
    rival.close();
    await (await opening).close();
  });
  test("restores a file to its former state after a process was killed while filling it", async () => {
    const file = newFile();
    await (await SqliteStore.open(file, retention)).close();
    const fill = `
      const db = new (require("node:sqlite").DatabaseSync)(process.argv[1]);
      db.exec("PRAGMA journal_mode=DELETE; PRAGMA cache_size=5; BEGIN EXCLUSIVE");
      const add = db.prepare("INSERT INTO account (name, created_at) VALUES (?, 1)");
      for (let n = 0; n < 1000; n += 1) add.run("x".repeat(1000));
      process.kill(process.pid, "SIGKILL")`;
    const { signal } = spawnSync(process.execPath, ["-e", fill, file]);
    assert.equal(signal, "SIGKILL");
    assert.ok(statSync(file).size > 1_000_000, "some of it is in the file");
    const store = await SqliteStore.open(file, retention);
    assert.deepEqual(await collect(store.accounts.all.pages({})), []);
    await store.close();
  });
  test("serves two processes that write to one file", async () => {
    const file = newFile();
    const [one, two] = [await SqliteStore.open(file, retention), await SqliteStore.open(file, retention)];
    const account = (await one.accounts.create({ name: "Shared", at: 1 })).id;
    const list = (await two.lists.create({ account, name: "L", at: 1 })).id;
    const add = (store: Store, n: number) =>
      store.subscribers.add({
        account,
        list,
        at: 1,
        origin: { kind: "operator" },
        recordedCall: null,
        address: parseAddress(`p${n}@example.org`),
      });
    await Promise.all(Array.from({ length: 200 }, (_, n) => add(n % 2 === 0 ? one : two, n % 50)));
    assert.equal((await collect(one.lists.all.pages({ account })))[0]?.members, 50);
    await Promise.all([one.close(), two.close()]);
  });
});

test("commits a write, visible to other connections, before it is answered", async (t) => {
  const file = newFile();
  const store = await openFor(t, file);
  const other = new DatabaseSync(file, { readOnly: true });
  for (let n = 1; n <= 20; n += 1) {
    await store.accounts.create({ name: `A${n}`, at: 1 });
    assert.equal((other.prepare("SELECT count(*) AS n FROM account").get() as { n: number }).n, n);
  }
  other.close();
});

test("flushes the journal to disk with every commit", async () => {
  const db = new Connection(newFile(), { readOnly: false });
  assert.equal(db.get(statement({ synchronous: integer }, "PRAGMA synchronous"))?.synchronous, 2);
  assert.equal(db.get(statement({ journal_mode: text }, "PRAGMA journal_mode"))?.journal_mode, "wal");
  db.close();
});

test("reports that a file cannot be rewritten while another process reads it", async (t) => {
  const file = newFile();
  const store = await openFor(t, file);
  await store.accounts.create({ name: "Old", at: 1 });
  const reader = new DatabaseSync(file, { readOnly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT name FROM account").get();
  const before = statSync(`${file}-wal`).size;
  assert.throws(
    () => rewrite(file),
    (error: Error) => {
      assert.ok(error instanceof StoreUnavailable);
      assert.match(
        error.message,
        /the journal of \S+ cannot be emptied because of a long read, such as a backup; run the command again later/,
      );
      return true;
    },
  );
  assert.equal(statSync(`${file}-wal`).size, before, "it has not begun, so the journal does not grow");
  reader.exec("COMMIT");
  assert.ok(rewrite(file));
  assert.equal(statSync(`${file}-wal`).size, 0);
  reader.close();
});

test("ends a rewrite between two tables when it is stopped, and changes nothing", async (t) => {
  const file = newFile();
  const store = await openFor(t, file);
  await store.accounts.create({ name: "A", at: 1 });
  let asked = 0;
  assert.equal(
    rewrite(file, () => ++asked > 100),
    false,
  );
  assert.ok(asked < 110, "nothing follows the first refusal");
  assert.equal((await collect(store.accounts.all.pages({}))).length, 1);
  await store.accounts.create({ name: "B", at: 1 });
  assert.ok(rewrite(file, () => false));
});

test("reports how much room a rewrite takes where the disk has too little", {
  skip: whyNoDisk(),
}, async () => {
  const disk = SmallDisk.make();
  try {
    const file = join(disk.path, "m.db");
    const store = await SqliteStore.open(file, retention);
    const { id: account } = await store.accounts.create({ name: "A", at: 1 });
    await store.lists.create({ account, name: "x".repeat(12 * 1024 ** 2), at: 1 });
    assert.throws(
      () => rewrite(file),
      (error: Error) => {
        assert.ok(error instanceof StoreUnavailable);
        assert.match(error.message, /^the disk is full: rewriting \S+m\.db needs twice its size free/);
        return true;
      },
    );
    assert.equal((await collect(store.accounts.all.pages({}))).length, 1, "everything is as it was");
    await store.close();
  } finally {
    disk.remove();
  }
});

test("answers a read during a long write", async (t) => {
  const file = newFile();
  const store = await openFor(t, file);
  await store.accounts.create({ name: "A", at: 1 });
  const rival = new DatabaseSync(file);
  rival.exec("BEGIN IMMEDIATE");
  const write = store.accounts.create({ name: "B", at: 1 });
  assert.equal((await collect(store.accounts.all.pages({}))).length, 1, "answered while the write is stuck");
  rival.exec("ROLLBACK");
  rival.close();
  await write;
  assert.equal((await collect(store.accounts.all.pages({}))).length, 2);
});

test("lets the journal be checkpointed while a list is only partly read", async (t) => {
  const file = newFile();
  const store = await openFor(t, file);
  const pages = await longList(store);
  assert.equal((await pages.next()).value?.isLast, false);
  // The thread that writes may be at it too, for a moment.
  const rival = new DatabaseSync(file, { timeout: 5000 });
  assert.deepEqual(
    { ...rival.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() },
    { busy: 0, log: 0, checkpointed: 0 },
  );
  rival.close();
  await pages.return?.();
});

class CountingConnection extends Connection {
  transactions = 0;
  override transact<T>(work: () => Promise<T>): Promise<T> {
    this.transactions += 1;
    return super.transact(work);
  }
}

test("a write that waited for another one has the same deadline, from its own arrival", async (t) => {
  const file = newFile();
  const store = await openFor(t, file);
  const rival = new DatabaseSync(file);
  rival.exec("BEGIN IMMEDIATE");
  const refusedAfter = async (): Promise<number> => {
    const since = performance.now();
    await assert.rejects(store.accounts.create({ name: "A", at: 1 }), StoreUnavailable);
    return performance.now() - since;
  };
  const first = refusedAfter();
  // The first one is with the writer then, so the second one is of the next group.
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  const second = refusedAfter();
  const ratio = (await second) / (await first);
  assert.ok(ratio < 1.5, `waited ${ratio.toFixed(2)} times as long`);
  rival.exec("ROLLBACK");
  rival.close();
  await store.accounts.create({ name: "A", at: 1 });
});

test("fails a whole group after one wait for a locked database", async () => {
  const file = newFile();
  const store = await SqliteStore.open(file, retention);
  await store.close();
  const db = new CountingConnection(file, { readOnly: false, busyTimeoutMs: 50 });
  const commit = groupWriter(db, { retention, ledgerDays: 400 }, store.schemaVersion);
  const rival = new DatabaseSync(file);
  rival.exec("BEGIN IMMEDIATE");
  const group = Array.from({ length: 50 }, () => ["accounts.create", { name: "A", at: 1 }] as const);
  const results = await commit(group);
  assert.equal(db.transactions, 1, "not one wait for each");
  assert.ok(results.every((result) => !result.ok && result.error instanceof StoreUnavailable));
  rival.exec("ROLLBACK");
  rival.close();
  assert.ok((await commit(group)).every(({ ok }) => ok));
  db.close();
});

describe("a command that fails in a group", () => {
  for (const { name, failing, transactions } of [
    { name: "an admin command that is refused", failing: "refused", transactions: 1 },
    { name: "a refused admin command with an idempotency key", failing: "keyed", transactions: 1 },
    { name: "a call that fails by a defect", failing: "defect", transactions: 2 },
  ] as const)
    test(`changes nothing, and the others are not committed one by one: ${name}`, async () => {
      const file = newFile();
      const store = await SqliteStore.open(file, retention);
      const account = (await store.accounts.create({ name: "A", at: 1 })).id;
      const list = (await store.lists.create({ account, name: "L", at: 1 })).id;
      await store.close();
      const by = { at: 1, origin: { kind: "operator" }, recordedCall: null } as const;
      const add = (number: number, of = account): WriteCall => [
        "subscribers.add",
        { ...by, account: of, list, address: parseAddress(`${number}@example.org`) },
      ];
      const audit = { at: 1, origin: by.origin, from: null, action: "test", ifVersion: "old" };
      const rename: WriteCall = ["lists.set", { account, id: list, name: "Never", audit }];
      const key = { owner: 1, hash: Buffer.alloc(32), fingerprint: Buffer.alloc(32), ordinal: 0, at: 1 };
      const keyed: WriteCall = [rename[0], rename[1], key];
      const bad = { refused: rename, keyed, defect: add(0, 99) }[failing];
      const group = Array.from({ length: 400 }, (_, number) => (number % 4 === 3 ? bad : add(number)));
      const db = new CountingConnection(file, { readOnly: false });
      const results = await groupWriter(db, { retention, ledgerDays: 400 }, store.schemaVersion)(group);
      assert.equal(db.transactions, transactions);
      db.close();
      assert.deepEqual(
        results.map(({ ok }) => ok),
        group.map((call) => call !== bad),
      );
      const again = await SqliteStore.open(file, retention);
      const [found] = await collect(again.lists.all.pages({ account }));
      assert.deepEqual([found?.name, found?.members], ["L", 300]);
      await closeSound(again);
      const reader = new DatabaseSync(file, { readOnly: true });
      assert.deepEqual(reader.prepare("SELECT * FROM idempotency_key").all(), []);
      reader.close();
    });
});

test("decides the commands of a group in order, even when lists, fields, blocks and limits change in between", async (t) => {
  const store = await openFor(t, newFile());
  const account = (await store.accounts.create({ name: "A", at: 1 })).id;
  const by = { account, at: 1, origin: { kind: "operator" }, recordedCall: null } as const;
  const noData = { firstName: null, lastName: null, gender: null, birthday: null, countryNumber: null };
  const add = (name: string) =>
    store.subscribers.add({ ...by, list: 1, address: parseAddress(`${name}@example.org`) });
  const addValue = (name: string) =>
    store.subscribers.addWithData({
      ...by,
      list: 1,
      address: parseAddress(`${name}@example.org`),
      data: { ...noData, values: [{ field: 1n, value: "x" }] },
    });
  const limit = (limitSubscribers: number | null) =>
    store.accounts.set({ id: account, settings: { limitSubscribers } });
  const outcomes = await Promise.all([
    add("a"),
    store.lists.create({ account, name: "L", at: 1 }).then(({ members }) => members),
    add("a"),
    addValue("b"),
    store.fields.add({ ...by, field: { name: "F", type: "STRING", isPrivate: false } }),
    addValue("b"),
    addBlock(store, { ...by, pattern: "c@example.org" }),
    add("c"),
    removeBlock(store, { ...by, pattern: "c@example.org" }),
    limit(2).then((found) => found?.activeSubscribers),
    add("c"),
    limit(3).then((found) => found?.activeSubscribers),
    add("c"),
    add("d"),
    deleteList(store, { ...by, id: 1 }).then((found) => deletedOf(found).list.members),
    add("a"),
  ]);
  assert.deepEqual(outcomes, [
    "UnknownList",
    0,
    "Done",
    "UnknownField",
    "Done",
    "Done",
    { isChanged: true, job: null },
    "Blocked",
    { isChanged: true, job: null },
    2,
    "LimitReached",
    2,
    "Done",
    "LimitReached",
    3,
    "UnknownList",
  ]);
  assert.equal((await collect(store.accounts.all.pages({})))[0]?.activeSubscribers, 3);
});

test("reports a thread that died, and starts another with the next call", async () => {
  const file = newFile();
  await (await SqliteStore.open(file, retention)).close();
  const thread = new Thread<OpenedDatabase>(new URL("./dying-thread.ts", import.meta.url), {
    file,
    retention,
    mayMigrate: true,
    files: null,
  });
  await thread.open();
  await assert.rejects(thread.ask("die"), (error: Error) => {
    assert.ok(error instanceof StoreUnavailable);
    assert.match(error.message, /the database thread ended/);
    return true;
  });
  assert.equal(await thread.ask("live"), "alive");
  await thread.close();
});

/**
 * When a process closes any descriptor of a file, the system drops all its locks on that file. Another
 * process that closes the database would then remove the journal while it is in use.
 */
test("keeps the locks of other threads when the writer is restarted", {
  skip: process.platform === "linux" ? false : "locks are read from /proc",
}, async () => {
  const file = newFile();
  const entry = (name: string) =>
    new URL(`../../src/store/sqlite/threads/${name}-thread.ts`, import.meta.url);
  const first = new Thread<OpenedDatabase>(entry("writer"), {
    file,
    retention,
    mayMigrate: true,
    files: null,
  });
  const { files: identities } = await first.open();
  const reader = new Thread<OpenedDatabase>(entry("reader"), {
    file,
    retention,
    mayMigrate: true,
    files: identities,
  });
  await reader.open();
  const locks = () =>
    readFileSync("/proc/locks", "utf8")
      .split("\n")
      .filter((line) => line.includes(`:${statSync(file).ino} `)).length;
  const before = locks();
  const restarted = new Thread<OpenedDatabase>(entry("writer"), {
    file,
    retention,
    mayMigrate: true,
    files: identities,
  });
  await restarted.open();
  const after = locks();
  for (const thread of [restarted, reader, first]) await thread.close();
  assert.deepEqual([before, after], [1, 1]);
});

test("finishes pending writes before it closes", async () => {
  const file = newFile();
  const store = await SqliteStore.open(file, retention);
  const writes = Array.from({ length: 700 }, (_, n) => store.accounts.create({ name: `A${n}`, at: 1 }));
  await store.close();
  await Promise.all(writes);
  const db = new DatabaseSync(file, { readOnly: true });
  assert.equal((db.prepare("SELECT count(*) AS n FROM account").get() as { n: number }).n, 700);
  db.close();
});

test("reads the number of members without counting memberships", async () => {
  const file = newFile();
  const store = await SqliteStore.open(file, retention);
  const account = (await store.accounts.create({ name: "A", at: 1 })).id;
  const list = (await store.lists.create({ account, name: "L", at: 1 })).id;
  await store.close();
  const db = new DatabaseSync(file);
  db.exec(`UPDATE list SET member_count = 12345 WHERE id = ${list}`);
  db.close();
  const again = await SqliteStore.open(file, retention);
  assert.equal((await collect(again.lists.all.pages({ account })))[0]?.members, 12345);
  assert.deepEqual(await wrongNumbers(again), [
    { what: `members of list ${list}`, kept: 12345, counted: 0, isCorrectable: false },
  ]);
  await again.close();
});
