/** /readyz fails before callers notice anything, and says which check failed and what to do. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { backupDatabase, restoreDatabase } from "#app/database.ts";
import type { Check } from "#health/readiness.ts";
import { cachedReadiness } from "#health/readiness.ts";
import { SmallDisk, whyNoDisk } from "../faults/small-disk.ts";
import { sendRequest } from "../send-request.ts";
import { call, leapingClock, type Service, startService as startServiceAt, withKey } from "../service.ts";
import { ownPostgres } from "../shared-postgres.ts";
import { skipUnless } from "../skip-unless.ts";

/** Results are cached for one second. With this clock, a second has passed before every request. */
const startService = (flags: Readonly<Record<string, string>> = {}): Promise<Service> =>
  startServiceAt(flags, leapingClock());

interface Ready {
  readonly http: number;
  readonly status: string;
  readonly checks: readonly Check[];
}
async function ready({ origin }: Service): Promise<Ready> {
  const { status, headers, body } = await sendRequest(`${origin}/readyz`);
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal(
    (await sendRequest(`${origin}/healthz`)).status,
    200,
    "the process is well whatever the rest is",
  );
  return { http: status, ...(JSON.parse(body) as Omit<Ready, "http">) };
}
const failures = ({ checks }: Ready): readonly string[] =>
  checks.map((check) =>
    check.status === "ok" ? check.name : `${check.name}: ${check.reason}. ${check.todo}`,
  );

/** Polls until the status matches; returns the last response if that takes too long. */
async function readyWith(service: Service, http: number): Promise<Ready> {
  const until = Date.now() + 20_000;
  for (;;) {
    const found = await ready(service);
    if (found.http === http || Date.now() > until) return found;
    await delay(50);
  }
}

const person = (email: string): string =>
  withKey(`<SubscribersListID>1</SubscribersListID><EMail>${email}</EMail>`);
const add = person("ada@example.org");

test("answers 200 with the checks that passed, and never fails the disk check with a reserve of 0", async () => {
  const service = await startService({ "disk-reserve": "0" });
  const { http, status, checks } = await ready(service);
  await service.close();
  assert.equal(http, 200);
  assert.equal(status, "ok");
  assert.deepEqual(
    checks,
    ["database", "schema", "writes", "disk"].map((name) => ({ name, status: "ok" })),
  );
});

test("fails the disk check below the reserve, while writes still succeed", async () => {
  const service = await startService({ "disk-reserve": "4000000GiB" });
  const found = await ready(service);
  assert.equal((await call(service, "Subscriber.Add", add)).result, "0");
  await service.close();
  assert.equal(found.http, 503);
  assert.equal(found.status, "unavailable");
  assert.match(
    failures(found).join("\n"),
    /^database\nschema\nwrites\ndisk: \d+ MiB free .*; 4096000000 MiB required\. Free disk space .*MAILROLL_DISK_RESERVE\.$/,
  );
});

/** Mounts a file system of 16 MiB at the folder; false if this user may not mount. */
function mounted(folder: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

test("fails the check before a real disk is full, and passes again when there is room", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-disk-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const reason = skipUnless(mounted(folder), "this user may not mount a file system; run it as root");
  if (reason !== false) return t.skip(reason);
  try {
    const service = await startService({
      database: `sqlite:${join(folder, "m.db")}`,
      "disk-reserve": "8MiB",
    });
    assert.equal((await ready(service)).http, 200);
    const ballast = join(folder, "ballast");
    writeFileSync(ballast, Buffer.alloc(9 * 1024 ** 2));
    const full = await ready(service);
    assert.equal(full.http, 503);
    assert.match(failures(full).at(-1) ?? "", /^disk: [0-7] MiB free/);
    assert.equal((await call(service, "Subscriber.Add", add)).result, "0", "calls still succeed");
    rmSync(ballast);
    assert.equal((await ready(service)).http, 200);
    await service.close();
  } finally {
    execFileSync("umount", [folder]);
  }
});

describe("database files that are replaced while the service runs", () => {
  const file = ({ folder }: Service) => join(folder, "m.db");
  const addressesIn = (database: string): readonly unknown[] => {
    const db = new DatabaseSync(database, { readOnly: true });
    try {
      const rows = db.prepare("SELECT address FROM subscriber ORDER BY id").all();
      return rows.map(({ address }) => address);
    } finally {
      db.close();
    }
  };
  const whole = { onProgress: () => {}, signal: new AbortController().signal };

  /** No call is answered from the open file, and no write to it is acknowledged. */
  async function refused(service: Service, how: string): Promise<void> {
    const written = await call(service, "Subscriber.Add", person("lost@example.org"));
    assert.deepEqual([written.status, written.code], [503, "Unavailable"], how);
    const read = await call(service, "Client.GetSubscribersLists", withKey());
    assert.deepEqual([read.status, read.code], [503, "Unavailable"], how);
    const found = await readyWith(service, 503);
    assert.match(
      failures(found).join("\n"),
      /^database: the database file was moved, deleted or replaced while it was open, .*restart the service /,
      how,
    );
    assert.ok(!JSON.stringify(found).includes(service.folder), "no path is disclosed");
  }

  test("acknowledges no write after a backup has replaced the database file", async () => {
    const service = await startService();
    assert.equal((await call(service, "Subscriber.Add", add)).result, "0");
    const backup = `${service.folder}-backup.db`;
    await backupDatabase({ kind: "sqlite", file: file(service) }, backup, { ...whole, mayReplace: false });
    const before = `${service.folder}-before`;
    renameSync(service.folder, before);
    await restoreDatabase(backup, { kind: "sqlite", file: file(service) }, whole);
    await refused(service, "another one is there");
    for (const database of [join(before, "m.db"), file(service)])
      assert.deepEqual(addressesIn(database), ["ada@example.org"], "nothing came of it");

    rmSync(service.folder, { recursive: true });
    renameSync(before, service.folder);
    assert.equal((await readyWith(service, 200)).http, 200, "the first one is back");
    assert.equal((await call(service, "Subscriber.Add", person("bob@example.org"))).result, "0");
    await service.close();
    rmSync(backup);
  });

  test("acknowledges no write after a database file has been deleted", async () => {
    for (const gone of [["m.db", "m.db-wal", "m.db-shm"], ["m.db"], ["m.db-wal"]]) {
      const service = await startService();
      assert.equal((await call(service, "Subscriber.Add", add)).result, "0");
      for (const name of gone) rmSync(join(service.folder, name));
      await refused(service, gone.join(", "));
      await service.close();
    }
  });

  test("does not acknowledge a write during which the database file is replaced", async () => {
    const service = await startService();
    assert.equal((await call(service, "Subscriber.Add", add)).result, "0");
    const rival = new DatabaseSync(file(service), { timeout: 5000 });
    rival.exec("BEGIN IMMEDIATE");
    const waiting = service.store.lists.create({ account: 1, name: "Lost", at: 1 });
    while (service.store.load.waiting > 0) await delay(5);
    await delay(100);
    const before = `${service.folder}-before`;
    renameSync(service.folder, before);
    mkdirSync(service.folder);
    rival.exec("ROLLBACK");
    await assert.rejects(waiting, /was moved, deleted or replaced while it was open/);
    rival.close();
    await service.close();
    rmSync(before, { recursive: true });
  });
});

describe("a database that answers but rejects writes", () => {
  const readOnly = /^database\nschema\nwrites: the database answers, but rejects writes\. .*\bdisk\b/s;

  test("fails the writes check on a disk that has turned read-only", { skip: whyNoDisk() }, async () => {
    const disk = SmallDisk.make();
    try {
      const service = await startService({
        database: `sqlite:${join(disk.path, "m.db")}`,
        "disk-reserve": "0",
      });
      assert.equal((await call(service, "Subscriber.Add", add)).result, "0");
      assert.equal((await ready(service)).http, 200);
      disk.turnReadOnly();
      assert.match(failures(await readyWith(service, 503)).join("\n"), readOnly);
      assert.equal((await call(service, "Client.TestApiConnection", withKey())).result, "true");
      await service.close();
    } finally {
      disk.remove();
    }
  });

  test("fails the writes check while another process has locked the file, and passes again after that", async () => {
    const service = await startService();
    const rival = new DatabaseSync(join(service.folder, "m.db"), { timeout: 5000 });
    rival.exec("BEGIN IMMEDIATE");
    const locked = await readyWith(service, 503);
    rival.exec("ROLLBACK");
    rival.close();
    assert.match(failures(locked).join("\n"), readOnly);
    assert.equal((await readyWith(service, 200)).http, 200);
    await service.close();
  });

  test("fails the writes check while PostgreSQL is read-only, locked or lacks a table, and passes again after that", async () => {
    const server = await ownPostgres();
    const database = await server.newDatabase();
    const service = await startService({ database });
    const rival = new pg.Client({ connectionString: database });
    try {
      await rival.connect();
      assert.equal((await ready(service)).http, 200);
      for (const [spoil, mend] of [
        ["ALTER SYSTEM SET default_transaction_read_only = on", "ALTER SYSTEM RESET ALL"],
        ["BEGIN; SELECT 1 FROM account FOR UPDATE", "ROLLBACK"],
        ["BEGIN; LOCK subscriber", "ROLLBACK"],
        ["ALTER TABLE membership RENAME TO gone", "ALTER TABLE gone RENAME TO membership"],
      ] as const) {
        await rival.query(spoil);
        await rival.query("SELECT pg_reload_conf()");
        assert.match(failures(await readyWith(service, 503)).join("\n"), readOnly, spoil);
        await rival.query(mend);
        await rival.query("SELECT pg_reload_conf()");
        assert.equal((await readyWith(service, 200)).http, 200, mend);
      }
    } finally {
      await rival.end();
      await service.close();
      await server.stop();
    }
  });
});

test("fails the schema check for a database that another version has migrated, and says which version is newer", async () => {
  const service = await startService();
  const rival = new DatabaseSync(join(service.folder, "m.db"), { timeout: 5000 });
  rival.exec("UPDATE schema_migration SET number = number + 1000");
  const newer = await ready(service);
  rival.exec("DELETE FROM schema_migration");
  const older = await ready(service);
  rival.close();
  await service.close();
  assert.equal(newer.http, 503);
  assert.match(
    failures(newer)[1] ?? "",
    /^schema: a newer Mailroll has migrated it: .* 10\d\d, .* Run that version/,
  );
  assert.equal(older.http, 503);
  assert.match(failures(older)[1] ?? "", /^schema: a migration is pending: .*schema 0, .* Restart/);
});

test("reports only that the database does not answer, without details", async () => {
  const service = await startService();
  await service.store.close();
  for (const file of ["m.db", "m.db-wal", "m.db-shm"]) rmSync(join(service.folder, file), { force: true });
  writeFileSync(join(service.folder, "m.db"), "no database any more");
  const found = await ready(service);
  await service.stop().catch(() => {});
  rmSync(service.folder, { recursive: true });
  assert.equal(found.http, 503);
  assert.match(failures(found).join("\n"), /^database: the database does not answer\. .*\ndisk$/);
  assert.ok(!JSON.stringify(found).includes(service.folder), "no path is disclosed");
});

describe("caching of readiness checks", () => {
  /** Clocks that stand still. */
  const state = { now: 0, wall: Date.now() };
  let service: Service;
  before(async () => {
    service = await startServiceAt({}, { wall: () => state.wall, monotonic: () => state.now });
  });
  after(() => service.close());

  /** Forgets the last result, and returns a counter of the checks of the database. */
  function countLooks(t: TestContext): () => number {
    state.now += 10_000;
    const looks = t.mock.method(service.store.health, "ping");
    return () => looks.mock.callCount();
  }

  test("runs the checks once for concurrent probes and for those within a second", async (t) => {
    const looks = countLooks(t);
    const all = await Promise.all(Array.from({ length: 200 }, () => ready(service)));
    assert.deepEqual(new Set(all.map(({ http }) => http)), new Set([200]));
    assert.equal(looks(), 1);
    state.now += 999;
    await ready(service);
    assert.equal(looks(), 1);
    state.now += 1;
    await ready(service);
    assert.equal(looks(), 2);
  });

  test("keeps no old result when the wall clock is set back", async (t) => {
    const looks = countLooks(t);
    await ready(service);
    state.wall -= 3_600_000;
    state.now += 999;
    await ready(service);
    assert.equal(looks(), 1);
    state.now += 1;
    await ready(service);
    assert.equal(looks(), 2);
  });

  test("runs slow checks once, and gives all probes their result", async (t) => {
    const { store } = service;
    const slow = Promise.withResolvers<never>();
    const looks = t.mock.method(store.health, "ping", () => slow.promise);
    const checks = cachedReadiness({
      store,
      folder: null,
      diskReserve: 0,
      diskFailure: () => null,
      clock: () => state.now,
      onChange: () => {},
    });
    const first = checks();
    state.now += 10_000;
    const second = checks();
    slow.reject(new Error("too slow"));
    assert.deepEqual(
      (await first).map(({ status }) => status),
      ["failed"],
    );
    assert.equal(await second, await first);
    assert.equal(looks.mock.callCount(), 1);
  });

  test("logs each change of the failing checks once, with its cause", async () => {
    const told: string[] = [];
    const checks = cachedReadiness({
      store: service.store,
      folder: service.folder,
      diskReserve: 0,
      diskFailure: () => null,
      clock: () => state.now,
      onChange: (failed, cause) => told.push([...failed, String(cause)].join(" ")),
    });
    const look = async () => {
      state.now += 1000;
      await checks();
    };
    const rival = new DatabaseSync(join(service.folder, "m.db"), { timeout: 5000 });
    for (let n = 0; n < 3; n += 1) await look();
    assert.equal(told.length, 0);
    rival.exec("UPDATE schema_migration SET number = number + 1000");
    for (let n = 0; n < 3; n += 1) await look();
    assert.equal(told.length, 1);
    assert.match(told[0] ?? "", /^schema writes .*migrated by a newer Mailroll/);
    rival.exec("ALTER TABLE schema_migration RENAME TO gone");
    for (let n = 0; n < 3; n += 1) await look();
    assert.match(told[1] ?? "", /^database .*schema_migration/);
    rival.exec(
      "ALTER TABLE gone RENAME TO schema_migration; UPDATE schema_migration SET number = number - 1000",
    );
    for (let n = 0; n < 3; n += 1) await look();
    rival.close();
    assert.deepEqual(told.slice(2), ["undefined"]);
  });
});
