/** A start of the service on a SQLite file of an older schema: it copies, migrates, and says so. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { serve } from "#app/app.ts";
import { Log } from "#app/log/log.ts";
import { loadConfig } from "#app/settings/load-config.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { migrate, newestSchema } from "#store/sqlite/migrate.ts";
import { Installation } from "./cli/program.ts";
import { SmallDisk, whyNoDisk } from "./faults/small-disk.ts";
import { freePort } from "./free-port.ts";

const NEWEST = newestSchema();
const DAY_MS = 86_400_000;
let home: Installation;
let folder: string;
beforeEach(() => {
  home = new Installation();
  folder = mkdtempSync(join(tmpdir(), "mailroll-copy-"));
});
afterEach(async () => {
  await home.remove();
  rmSync(folder, { recursive: true });
});

/** A database as an older version left it, with a list. */
function makeOlder(file: string, schema: number): void {
  const db = new Connection(file, { readOnly: false });
  migrate(db, file, 1, schema);
  db.exec(`INSERT INTO account (name, created_at) VALUES ('Of old', 1);
    INSERT INTO list (account_id, name, created_at) VALUES (1, 'News', 1);`);
  db.close();
}
const databaseIn = (place: string) => join(place, "mailroll.db");
const copiesIn = (place: string) =>
  readdirSync(place).filter((name) => name.startsWith("mailroll.db.before-"));
const start = (
  place: string,
  {
    port = 0,
    now = Date.now,
    copiesFirst,
  }: { port?: number; now?: () => number; copiesFirst?: boolean } = {},
) => {
  const flags = { port: String(port), database: `sqlite:${databaseIn(place)}`, log: "silent" };
  const config = loadConfig({ flags, env: {}, folder: place });
  const clocks = { wall: now, monotonic: () => performance.now() };
  return serve(config, new Log("silent"), { clocks, ...(copiesFirst === undefined ? {} : { copiesFirst }) });
};
const startAndStop = async (...args: Parameters<typeof start>) => (await start(...args)).close();
const run = async (...words: readonly string[]) => {
  const { code, out, err } = await home.runHere([...words, "--database", `sqlite:${databaseIn(folder)}`]);
  assert.equal(code, 0, err + out);
  return out;
};
const schemaOf = (file: string) => {
  const db = new DatabaseSync(file, { readOnly: true });
  const { n } = db.prepare("SELECT max(number) AS n FROM schema_migration").get() ?? {};
  db.close();
  return n;
};

test("keeps a backup of the file as it was, which can be restored and pruned", async () => {
  makeOlder(databaseIn(folder), NEWEST - 1);
  await startAndStop(folder);
  assert.equal(schemaOf(databaseIn(folder)), NEWEST);
  const copy = join(folder, `mailroll.db.before-${NEWEST - 1}`);
  assert.deepEqual(copiesIn(folder), [basename(copy)]);
  assert.equal(statSync(copy).mode & 0o777, 0o600);
  assert.equal(schemaOf(copy), NEWEST - 1);
  const restored = ["--database", `sqlite:${join(folder, "restored.db")}`];
  assert.equal((await home.runHere(["restore", copy, ...restored])).code, 0);
  assert.match((await home.runHere(["list", "list", ...restored])).out, /News/);
  const doctor = await run("doctor");
  assert.match(doctor, /^ok +schema +version \d+; last written by a server of Mailroll \d+\.\d+\.\d+, /m);
  assert.match(doctor, /^ok +copy +.*before-.*backup prune/m);

  await startAndStop(folder);
  assert.deepEqual(copiesIn(folder), [basename(copy)], "nothing to migrate");
  assert.match(await run("backup", "prune"), /^Removed .*before-/);
  assert.deepEqual(copiesIn(folder), []);
  assert.match(await run("backup", "prune"), /^There is no copy /);
});

test("keeps one copy only, and none if the operator wants none", async () => {
  makeOlder(databaseIn(folder), NEWEST - 2);
  await startAndStop(folder);
  rmSync(databaseIn(folder));
  makeOlder(databaseIn(folder), NEWEST - 1);
  await startAndStop(folder);
  assert.deepEqual(copiesIn(folder), [`mailroll.db.before-${NEWEST - 1}`]);
  await run("backup", "prune");
  rmSync(databaseIn(folder));
  makeOlder(databaseIn(folder), NEWEST - 1);
  await startAndStop(folder, { copiesFirst: false });
  assert.equal(schemaOf(databaseIn(folder)), NEWEST);
  assert.deepEqual(copiesIn(folder), []);
});

test("removes the copy seven days after the first good start, and not before", async () => {
  makeOlder(databaseIn(folder), NEWEST - 1);
  const first = Date.now();
  await startAndStop(folder, { now: () => first });
  await startAndStop(folder, { now: () => first + 7 * DAY_MS - 1 });
  assert.equal(copiesIn(folder).length, 1);
  await startAndStop(folder, { now: () => first + 7 * DAY_MS });
  assert.deepEqual(copiesIn(folder), []);
});

test("an erasure names the copy that still has the person, and removes it with --now", async () => {
  makeOlder(databaseIn(folder), NEWEST - 1);
  await startAndStop(folder);
  const kept = await run("subscriber", "erase", "ada@example.org", "--yes");
  assert.match(kept, /before-\d+ was made before a migration and still has the subscriber\. .*backup prune/);
  assert.equal(copiesIn(folder).length, 1);
  const removed = await run("subscriber", "erase", "ada@example.org", "--yes", "--now");
  assert.match(removed, /^Removed .*before-\d+, which had the subscriber too\.$/m);
  assert.deepEqual(copiesIn(folder), []);
});

test("answers that it is not ready until the database is migrated, and then serves at the same port", async () => {
  makeOlder(databaseIn(folder), NEWEST - 1);
  const port = await freePort();
  const other = new DatabaseSync(databaseIn(folder));
  other.exec("BEGIN IMMEDIATE");
  const starting = start(folder, { port });
  const get = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, init);
  const answersAt = async (path: string) => {
    for (;;) {
      const response = await get(path).catch(() => null);
      if (response !== null) return response;
      await delay(5);
    }
  };
  const notReady = await answersAt("/readyz");
  assert.equal(notReady.status, 503);
  assert.match(await notReady.text(), /"schema".*is being migrated/);
  assert.equal((await get("/healthz")).status, 200);
  const called = await get("/default.asmx", { method: "POST", body: "x".repeat(100_000) });
  assert.equal(called.status, 503);
  assert.equal(called.headers.get("Retry-After"), "10");
  await called.text();
  other.exec("ROLLBACK");
  other.close();
  const running = await starting;
  assert.equal(running.port, port);
  assert.equal((await get("/readyz")).status, 200);
  await running.close();
});

test("does not begin if there is no room for the copy, and says how to go on", {
  skip: whyNoDisk(),
}, async () => {
  const disk = SmallDisk.make();
  try {
    makeOlder(databaseIn(disk.path), NEWEST - 1);
    const spare = join(disk.path, "spare");
    writeFileSync(spare, Buffer.alloc(200_000));
    disk.fill();
    rmSync(spare);
    assert.ok(statSync(databaseIn(disk.path)).size > 200_000, "the database is larger than what is free");
    await assert.rejects(start(disk.path), /no room for the copy .* needs \d+ MiB, .*--no-backup/);
    assert.equal(schemaOf(databaseIn(disk.path)), NEWEST - 1);
    assert.deepEqual(copiesIn(disk.path), []);
  } finally {
    disk.remove();
  }
});
