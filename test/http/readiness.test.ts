/** /readyz turns red before callers notice anything, and says which check failed and what to do. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Check } from "../../src/api/readiness.ts";
import { call, type Service, startService, withKey } from "../service.ts";
import { skipUnless } from "../skip-unless.ts";

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
    assert.match(failures(full).at(-1) ?? "", /^disk: [0-7] MiB are free/);
    assert.equal((await call(service, "Subscriber.Add", add)).result, "0", "nobody has been hurt yet");
    rmSync(ballast);
    assert.equal((await ready(service)).http, 200);
    await service.close();
  } finally {
    execFileSync("umount", [folder]);
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
