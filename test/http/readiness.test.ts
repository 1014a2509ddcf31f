/** /readyz turns red before callers notice anything, and says which check failed and what to do. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, type TestContext, test } from "node:test";
import type { Check } from "../../src/api/readiness.ts";
import { sharedReadiness } from "../../src/api/shared-readiness.ts";
import { call, leapingClock, type Service, startService as startServiceAt, withKey } from "../service.ts";

/** What a look has found is told for a second, which has passed here whenever somebody asks. */
const startService = (flags: Readonly<Record<string, string>> = {}): Promise<Service> =>
  startServiceAt(flags, leapingClock());

interface Ready {
  readonly http: number;
  readonly status: string;
  readonly checks: readonly Check[];
}
async function ready({ origin }: Service): Promise<Ready> {
  const response = await fetch(`${origin}/readyz`);
  assert.equal(response.headers.get("cache-control"), "no-store");
  const body = (await response.json()) as Omit<Ready, "http">;
  assert.equal((await fetch(`${origin}/healthz`)).status, 200, "the process is well whatever the rest is");
  return { http: response.status, ...body };
}
const failures = ({ checks }: Ready): readonly string[] =>
  checks.map((check) =>
    check.status === "ok" ? check.name : `${check.name}: ${check.reason}. ${check.todo}`,
  );

const add = withKey("<SubscribersListID>1</SubscribersListID><EMail>ada@example.org</EMail>");

test("a service that is well says what it has looked at", async () => {
  const service = await startService();
  const { http, status, checks } = await ready(service);
  await service.close();
  assert.equal(http, 200);
  assert.equal(status, "ok");
  assert.deepEqual(
    checks,
    ["database", "schema", "disk"].map((name) => ({ name, status: "ok" })),
  );
});

test("a disk with less room than is to be kept makes it red while writes still succeed", async () => {
  const service = await startService({ "disk-reserve": "4000000GiB" });
  const found = await ready(service);
  assert.equal((await call(service, "Subscriber.Add", add)).result, "0");
  await service.close();
  assert.equal(found.http, 503);
  assert.equal(found.status, "unavailable");
  assert.match(
    failures(found).join("\n"),
    /^database\nschema\ndisk: \d+ MiB are free .* and 4096000000 are to be\. Make room .*MAILROLL_DISK_RESERVE\.$/,
  );
});

test("a reserve of 0 is never too little", async () => {
  const service = await startService({ "disk-reserve": "0" });
  assert.equal((await ready(service)).http, 200);
  await service.close();
});

/** A file system of 16 MiB at the folder; false where this user may not make one. */
function mounted(folder: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

test("a real disk that fills up is red before it is full, and green again when there is room", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-disk-"));
  if (!mounted(folder)) {
    rmSync(folder, { recursive: true });
    return t.skip("this user may not mount a file system");
  }
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
    assert.match(failures(full).at(-1) ?? "", /^disk: [0-7] MiB are free/);
    assert.equal((await call(service, "Subscriber.Add", add)).result, "0", "nobody has been hurt yet");
    rmSync(ballast);
    assert.equal((await ready(service)).http, 200);
    await service.close();
  } finally {
    execFileSync("umount", [folder]);
    rmSync(folder, { recursive: true });
  }
});

test("a database exchanged for one of another schema is red, and says which way", async () => {
  const service = await startService();
  const rival = new DatabaseSync(join(service.folder, "m.db"));
  rival.exec("UPDATE schema_migration SET number = number + 1000");
  const newer = await ready(service);
  rival.exec("DELETE FROM schema_migration");
  const older = await ready(service);
  rival.close();
  await service.close();
  assert.equal(newer.http, 503);
  assert.match(
    failures(newer)[1] ?? "",
    /^schema: a newer Mailroll has migrated it: .* 100\d, .* Run that version/,
  );
  assert.equal(older.http, 503);
  assert.match(failures(older)[1] ?? "", /^schema: a migration is pending: .*schema 0, .* Restart/);
});

test("a database that does not answer says no more than that", async () => {
  const service = await startService();
  await service.store.close();
  for (const file of ["m.db", "m.db-wal", "m.db-shm"]) rmSync(join(service.folder, file), { force: true });
  writeFileSync(join(service.folder, "m.db"), "no database any more");
  const found = await ready(service);
  await service.stop().catch(() => {});
  rmSync(service.folder, { recursive: true });
  assert.equal(found.http, 503);
  assert.match(failures(found).join("\n"), /^database: the database does not answer\. .*\ndisk$/);
  assert.ok(!JSON.stringify(found).includes(service.folder), "no path is told");
});

describe("however many ask", () => {
  /** A service on which time stands still, and how often its database was looked at. */
  async function start(t: TestContext) {
    const state = { now: Date.now(), looks: 0 };
    const service = await startServiceAt({}, () => state.now);
    t.after(() => service.close());
    const { store } = service;
    const read = store.read.bind(store);
    store.read = ((kind: never, args: never) => {
      if (kind === "ping") state.looks += 1;
      return read(kind, args);
    }) as typeof store.read;
    return { service, state };
  }

  test("at once, or within a second, there is one look", async (t) => {
    const { service, state } = await start(t);
    const all = await Promise.all(Array.from({ length: 200 }, () => ready(service)));
    assert.deepEqual(new Set(all.map(({ http }) => http)), new Set([200]));
    assert.equal(state.looks, 1);
    state.now += 999;
    await ready(service);
    assert.equal(state.looks, 1);
    state.now += 1;
    await ready(service);
    assert.equal(state.looks, 2);
    state.now -= 3_600_000;
    await ready(service);
    assert.equal(state.looks, 3, "what was found after now is no news");
  });

  test("while a look takes long, there is still one, and all get what it finds", async (t) => {
    const { service, state } = await start(t);
    const { store } = service;
    const slow = Promise.withResolvers<never>();
    store.read = (() => {
      state.looks += 1;
      return slow.promise;
    }) as typeof store.read;
    const checks = sharedReadiness({
      store,
      folder: null,
      diskReserve: 0,
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
    assert.equal(state.looks, 1);
  });

  test("the log is told what has changed, once, and why", async (t) => {
    const { service, state } = await start(t);
    const told: string[] = [];
    const checks = sharedReadiness({
      store: service.store,
      folder: service.folder,
      diskReserve: 0,
      clock: () => state.now,
      onChange: (failed, cause) => told.push([...failed, String(cause)].join(" ")),
    });
    const look = async () => {
      state.now += 1000;
      await checks();
    };
    const rival = new DatabaseSync(join(service.folder, "m.db"));
    for (let n = 0; n < 3; n += 1) await look();
    assert.deepEqual(told, []);
    rival.exec("UPDATE schema_migration SET number = number + 1000");
    for (let n = 0; n < 3; n += 1) await look();
    assert.deepEqual(told, ["schema undefined"]);
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
