/** The suite about users on both stores. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hashToken } from "#domain/access/session.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { holdingProxy } from "../holding-proxy.ts";
import { bothStores, sharedPostgres } from "../shared-postgres.ts";
import { addressOf, NOW } from "./actor.ts";
import { query } from "./postgres-account.ts";
import { usersSuite } from "./users-suite.ts";

const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
const server = await sharedPostgres();

for (const [name, open] of await bothStores()) usersSuite(name, open);

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
    for (const { id, isAdministrator } of await collect(first.users.ofInstallation.pages({})))
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

test("two nodes on PostgreSQL that revoke one token at the same time leave one entry in the audit log", async (t) => {
  const shared = await server.newDatabase();
  const proxy = await holdingProxy(shared);
  const [held, other] = await Promise.all([
    PostgresStore.open(proxy.url, retention),
    PostgresStore.open(shared, retention),
  ]);
  t.after(async () => {
    await Promise.all([held.close(), other.close()]);
    await proxy.close();
  });
  const user = await other.users.create({
    ...{ name: "", isAdministrator: true, role: null, at: NOW },
    address: addressOf("ada@example.org"),
  });
  assert.ok(typeof user === "object");
  const token = await other.users.createToken({
    ...{ user: user.id, hash: hashToken("secret"), name: "Report", role: "viewer", isLogIn: false },
    ...{ expiresAt: null, at: NOW },
  });
  assert.ok(token);
  const revoke = (store: Store, at: number) =>
    store.users.revokeToken({
      ...{ user: user.id, id: token.id, at },
      audit: { at, origin: { kind: "operator" }, from: null, action: "user.token.revoke" },
    });
  const isHeld = proxy.holdAt("INSERT INTO audit");
  const first = revoke(held, NOW + 1);
  await isHeld;
  const second = revoke(other, NOW + 2);
  const waiting = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  while ((await query(shared, waiting)).length === 0);
  proxy.release();
  assert.deepEqual(
    (await Promise.all([first, second])).map((revoked) => revoked?.revokedAt),
    [NOW + 1, NOW + 1],
  );
  const entries = await collect(
    other.audit.ofInstallation.pages({ action: "user.token.revoke", since: null }),
  );
  assert.equal(entries.length, 1);
});
const one = (id: number) => ({ id, within: null, settings: { isAdministrator: false } });
