/** The suite about users on both stores. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { collect } from "../../src/domain/paging/pages.ts";
import { PostgresStore } from "../../src/store/postgres/store.ts";
import { SqliteStore } from "../../src/store/sqlite/store.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { addressOf, NOW } from "./actor.ts";
import { usersSuite } from "./users-suite.ts";

const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
const folder = mkdtempSync(join(tmpdir(), "mailroll-users-"));
const server = await sharedPostgres();
const url = await server.newDatabase();
after(() => rmSync(folder, { recursive: true }));

usersSuite("the SQLite store", () => SqliteStore.open(join(folder, "m.db"), retention));
usersSuite("the PostgreSQL store", () => PostgresStore.open(url, retention));

test("two nodes on PostgreSQL that remove one administrator each leave one", async (t) => {
  const shared = await server.newDatabase();
  const nodes = [await PostgresStore.open(shared, retention), await PostgresStore.open(shared, retention)];
  t.after(() => Promise.all(nodes.map((node) => node.close())));
  const [first] = nodes;
  assert.ok(first);
  for (let n = 0; n < 10; n += 1) {
    const made = await Promise.all(
      nodes.map((node, index) =>
        node.users.create({
          ...{ name: "", isAdministrator: true, role: null, at: NOW },
          address: addressOf(`admin${n}-${index}@example.org`),
        }),
      ),
    );
    // Only the two of this round are left to be the last.
    for (const { id, isAdministrator } of await collect(first.users.all.pages({ account: null })))
      if (isAdministrator && !made.some((user) => typeof user === "object" && user.id === id))
        await first.users.set({ ...one(id), keepsAdministrator: false });
    const results = await Promise.all(
      nodes.map((node, index) => {
        const user = made[index];
        assert.ok(typeof user === "object");
        return node.users.set({ ...one(user.id), keepsAdministrator: true });
      }),
    );
    assert.equal(results.filter((result) => result === "LastAdministrator").length, 1, `round ${n}`);
  }
});
const one = (id: number) => ({ id, within: null, settings: { isAdministrator: false } });
