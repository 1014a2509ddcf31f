/** A command that awaits, in the thread that writes to SQLite, while other commands arrive. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { parseAddress } from "#domain/address.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import type { WriteCall } from "#store/sqlite/writer.ts";
import { Thread } from "#store/threads/thread.ts";
import type { Settled } from "#store/writes/group-commit.ts";
import { NOW, newAccount } from "./actor.ts";

const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };

test("commands that arrive during a slow one are answered after it, in transactions of their own", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-slow-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "slow.db");
  const store = await SqliteStore.open(file, retention);
  const account = await newAccount(store);
  const list = (await store.lists.create({ account, name: "L", at: NOW })).id;
  await store.close();

  const entry = new URL("./slow-thread.ts", import.meta.url);
  const thread = new Thread(entry, { file, retention, mayMigrate: true, files: null });
  await thread.open();
  t.after(() => thread.close());
  const order: string[] = [];
  const commit = async (name: string, group: readonly WriteCall[]): Promise<readonly unknown[]> => {
    const results = (await thread.ask(group)) as readonly Settled<unknown>[];
    order.push(name);
    return results.map((settled) => (settled.ok ? settled.value : assert.fail(settled.error)));
  };
  const add = (name: string): WriteCall => [
    "subscribers.add",
    {
      account,
      at: NOW,
      origin: { kind: "operator" },
      recordedCall: null,
      list,
      address: parseAddress(`${name}@example.org`),
    },
  ];
  const flags = new Int32Array(new SharedArrayBuffer(8));
  const slow = commit("slow", [add("first"), ["test.slow", { list, flags }], add("second")]);
  await Atomics.waitAsync(flags, 0, 0).value;
  const later = [commit("third", [add("third")]), commit("rest", [add("fourth"), add("fifth")])];
  const rival = new DatabaseSync(file, { readOnly: true });
  const counted = () =>
    rival.prepare("SELECT name, member_count AS members FROM list WHERE id = ?").get(list) as unknown;
  assert.deepEqual({ ...(counted() as object) }, { name: "L", members: 0 }, "nothing is committed yet");
  assert.deepEqual(order, []);
  Atomics.store(flags, 1, 1);
  Atomics.notify(flags, 1);

  // It sees the add before it in its own group, and none of those that arrived meanwhile.
  assert.deepEqual(await slow, ["Done", [1, 1], "Done"]);
  assert.deepEqual(await Promise.all(later), [["Done"], ["Done", "Done"]]);
  assert.deepEqual(order, ["slow", "third", "rest"]);
  assert.deepEqual({ ...(counted() as object) }, { name: "slow", members: 5 });
  rival.close();
});
