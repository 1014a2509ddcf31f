/** Start, shutdown and failures: calls in flight are finished, and an unreachable database is reported. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { collect } from "#domain/paging.ts";
import { BodyReader } from "#http/body/body.ts";
import { HttpServer } from "#http/server.ts";
import { temporaryPair } from "../certificate-files.ts";
import { call, leapingClock, startService, withKey } from "../service.ts";

test("answers and stores calls in flight while it shuts down", async () => {
  const service = await startService();
  const count = 50;
  const calls = Array.from({ length: count }, (_, n) =>
    call(
      service,
      "Subscriber.Add",
      withKey(`<SubscribersListID>1</SubscribersListID><EMail>p${n}@example.org</EMail>`),
      { Connection: "close" },
    ),
  );
  const settled = Promise.allSettled(calls);
  await calls[0];
  const copy = join(mkdtempSync(join(tmpdir(), "mailroll-copy-")), "m.db");
  await service.stop();
  const answered = (await settled).filter((result) => result.status === "fulfilled");
  assert.ok(answered.length > 0);
  for (const { value } of answered) assert.equal(value.result, "0");
  await assert.rejects(call(service, "Client.TestApiConnection", withKey()));
  copyFileSync(join(service.folder, "m.db"), copy);
  const db = new DatabaseSync(copy, { readOnly: true });
  const kept = db.prepare("SELECT count(*) AS n FROM membership").get() as { n: number };
  db.close();
  assert.ok(kept.n >= answered.length, `${kept.n} kept of ${answered.length} answered`);
  await service.close();
});

describe("shuts down without waiting for connections that never sent a request", () => {
  for (const [scheme, certificate] of [
    ["HTTP", null],
    ["HTTPS", temporaryPair("localhost")],
  ] as const)
    test(`over ${scheme}`, async () => {
      const server = new HttpServer(() => false, new BodyReader(1024), { certificate });
      const port = await server.listen("127.0.0.1", 0);
      const silent = connect(port, "127.0.0.1");
      await once(silent, "connect");
      const began = connect(port, "127.0.0.1");
      // Half a request, or the start of a handshake.
      began.write(certificate === null ? "GET / HT" : Buffer.from([0x16, 3, 1, 1, 0]));
      const ended = [silent, began].map((socket) => once(socket.on("error", () => {}).resume(), "close"));
      await once(server.fastify.server, "connection");
      // Longer than the test may take: the timeout must not be what ends them.
      await server.close(3_600_000);
      await Promise.all(ended);
    });
});

describe("a database that does not answer", () => {
  test("answers Unavailable with Retry-After, and serves again when the database is back", async () => {
    const service = await startService();
    const file = join(service.folder, "m.db");
    try {
      assert.equal((await call(service, "Client.TestApiConnection", withKey())).result, "true");
      // The service may be writing at this moment.
      const rival = new DatabaseSync(file, { timeout: 5000 });
      rival.exec("BEGIN EXCLUSIVE");
      const add = withKey("<SubscribersListID>1</SubscribersListID><EMail>ada@example.org</EMail>");
      const refused = await call(service, "Subscriber.Add", add);
      assert.equal(refused.status, 503);
      assert.equal(refused.code, "Unavailable");
      assert.equal(refused.headers.get("retry-after"), "5");
      rival.exec("ROLLBACK");
      rival.close();
      assert.equal((await call(service, "Subscriber.Add", add)).result, "0");
    } finally {
      await service.close();
    }
  });
});

test("is not ready with a broken database, while /healthz stays ok", async () => {
  const service = await startService({}, leapingClock());
  const get = async (path: string) => (await fetch(`${service.origin}${path}`)).status;
  assert.equal(await get("/readyz"), 200);
  await service.store.close();
  for (const file of ["m.db", "m.db-wal", "m.db-shm"]) rmSync(join(service.folder, file), { force: true });
  writeFileSync(join(service.folder, "m.db"), "no database any more");
  assert.equal(await get("/readyz"), 503);
  assert.equal(await get("/healthz"), 200);
  assert.equal((await call(service, "Client.GetCampaignsList", withKey())).code, "Unavailable");
  await service.stop().catch(() => {});
  rmSync(service.folder, { recursive: true });
});

test("creates an account, a key and a list on the first start only", async () => {
  const service = await startService();
  assert.match(service.firstStart?.curl ?? "", /Subscriber\.Add/);
  assert.equal(service.firstStart?.list, 1);
  assert.deepEqual(
    (await collect(service.store.lists.all.pages({ account: 1 }))).map(({ name }) => name),
    ["Newsletter"],
  );
  const again = await startService({ database: `sqlite:${join(service.folder, "m.db")}` });
  assert.equal(again.firstStart, null);
  await again.close();
  await service.close();
});
