/** How a server starts, ends and fails: in flight calls are finished, and a database that is gone is said. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { call, startService, withKey } from "../service.ts";

test("calls in flight when it closes are answered, and are in the database", async () => {
  const service = await startService();
  const calls = Array.from({ length: 50 }, (_, n) =>
    call(
      service,
      "Subscriber.Add",
      withKey(`<SubscribersListID>1</SubscribersListID><EMail>p${n}@example.org</EMail>`),
      { Connection: "close" },
    ),
  );
  await calls[0];
  const closing = service.close();
  const settled = await Promise.allSettled(calls);
  await closing;
  for (const result of settled) if (result.status === "fulfilled") assert.equal(result.value.result, "0");
  await assert.rejects(call(service, "Client.TestApiConnection", withKey()));
});

describe("a database that does not answer", () => {
  test("is Unavailable with Retry-After, and not ready; the next call works when it is back", async () => {
    const service = await startService();
    const file = join(service.folder, "m.db");
    try {
      assert.equal((await call(service, "Client.TestApiConnection", withKey())).result, "true");
      const rival = new DatabaseSync(file);
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

test("the first start makes one account, key and list; a second start makes none", async () => {
  const service = await startService();
  assert.match(service.firstStart?.curl ?? "", /Subscriber\.Add/);
  assert.equal(service.firstStart?.list, 1);
  assert.deepEqual(
    (await service.store.read("lists", { account: 1 })).map(({ name }) => name),
    ["Newsletter"],
  );
  const again = await startService({ database: `sqlite:${join(service.folder, "m.db")}` });
  assert.equal(again.firstStart, null);
  await again.close();
  await service.close();
});
