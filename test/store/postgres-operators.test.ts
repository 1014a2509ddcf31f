/**
 * Admin commands on PostgreSQL send BEGIN, the check of the schema, the lock and their first statements in
 * one packet. If the transaction cannot begin or must not go on, nothing of it is stored, and the next
 * command works.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { collect } from "#domain/paging.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { startProxy } from "../proxy.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { newAccount, query } from "./postgres-account.ts";

const server = await sharedPostgres();
const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };

/**
 * Through a proxy that can spoil BEGIN: the server rejects it, and keeps the session. It can also end all
 * sessions at the server in such a way that the store learns it only from its next statement.
 */
async function world() {
  const url = await server.newDatabase();
  let spoils = false;
  let spoilt = 0;
  let hidesEnds = false;
  let open = 0;
  const proxy = await startProxy(url, (near, far) => {
    open += 1;
    near.on("data", (chunk: Buffer) => {
      if (far.destroyed) return near.destroy();
      const at = spoils ? chunk.indexOf("BEGIN\0") : -1;
      if (at >= 0) {
        spoilt += 1;
        chunk.write("BEGUN", at);
      }
      far.write(chunk);
    });
    far.on("data", (chunk) => hidesEnds || near.write(chunk));
    near.on("close", () => far.end());
    far.on("close", () => {
      open -= 1;
      if (!hidesEnds) near.destroy();
    });
  });
  const store = await PostgresStore.open(proxy.url, retention);
  const { account, list } = await newAccount(store);
  return {
    ...{ url, store },
    create: (name: string) => store.lists.create({ account, name, at: 1 }),
    rename: (name: string) => store.lists.set({ account, id: list, name }),
    lists: async () => (await collect(store.lists.all.pages({ account }))).map(({ name }) => name),
    spoilBegin: (isOn: boolean) => {
      spoils = isOn;
    },
    spoilt: () => spoilt,
    endSessions: async () => {
      hidesEnds = true;
      const name = new URL(url).pathname.slice(1);
      const others = `datname = '${name}' AND pid <> pg_backend_pid()`;
      await query(url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`);
      while (open > 0) await new Promise(setImmediate);
      hidesEnds = false;
    },
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await proxy.close();
    },
  };
}

test("stores nothing of a command whose transaction could not begin, and the next one works", async () => {
  await using w = await world();
  await w.create("before");
  w.spoilBegin(true);
  await assert.rejects(w.create("lost"), /syntax error at or near "BEGUN"/);
  await assert.rejects(w.rename("lost"), /syntax error at or near "BEGUN"/);
  assert.equal(w.spoilt(), 2, "it is not tried again");
  w.spoilBegin(false);
  assert.deepEqual(await w.lists(), ["L", "before"]);
  await w.create("after");
  assert.deepEqual(await w.lists(), ["L", "before", "after"]);
});

test("executes a command once if its session was terminated just before", async () => {
  await using w = await world();
  await w.create("before");
  await w.endSessions();
  assert.equal((await w.create("during")).name, "during");
  await w.create("after");
  assert.deepEqual(await w.lists(), ["L", "before", "during", "after"]);
});

test("stores nothing of a command if a newer version has migrated the database, and says so", async () => {
  await using w = await world();
  await w.create("before");
  const newer = "INSERT INTO schema_migration (number, name, applied_at) VALUES (9999, 'newer', 1)";
  await query(w.url, newer);
  for (const change of [w.create, w.rename])
    await assert.rejects(change("lost"), (error) => {
      assert.ok(error instanceof StoreUnavailable, String(error));
      assert.match(error.message, /migrated by a newer Mailroll \(schema 9999, .*update this node/);
      return true;
    });
  await query(w.url, "DELETE FROM schema_migration WHERE number = 9999");
  assert.deepEqual(await w.lists(), ["L", "before"]);
  await w.create("after");
  assert.deepEqual(await w.lists(), ["L", "before", "after"]);
});
