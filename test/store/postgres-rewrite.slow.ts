/** Removing an erased subscriber from PostgreSQL's files, by a role that owns the tables and nothing else. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { parseAddress } from "#domain/address.ts";
import { StoreRefused, StoreUnavailable } from "#domain/ports/errors.ts";
import { rewrite } from "#store/postgres/rewrite.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import type { PostgresServer } from "../postgres-server.ts";
import { ownPostgres } from "../shared-postgres.ts";
import { newAccount, query } from "./postgres-account.ts";

const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
const TRACE = "xanthippe@erase-me.example";

let server: PostgresServer;
before(async () => {
  server = await ownPostgres();
  await query(server.urlOf("postgres"), "CREATE ROLE tenant LOGIN PASSWORD 'tenant'");
});
after(() => server.stop());

/** A database whose tables the tenant owns; one of its two subscribers was just erased. */
async function erased({ ownsDatabase }: { readonly ownsDatabase: boolean }) {
  const url = await server.emptyDatabase();
  const name = new URL(url).pathname.slice(1);
  await query(url, "GRANT CREATE ON SCHEMA public TO tenant");
  if (ownsDatabase) await query(url, `ALTER DATABASE ${name} OWNER TO tenant`);
  const tenant = new URL(url);
  [tenant.username, tenant.password] = ["tenant", "tenant"];
  const store = await PostgresStore.open(tenant.href, retention);
  const a = await newAccount(store);
  await Promise.all([a.add(TRACE), a.add("other@x.org")]);
  await query(url, "ANALYZE");
  return {
    url,
    tenant: tenant.href,
    erase: async () => {
      const address = parseAddress(TRACE) ?? assert.fail();
      await store.subscribers.erase({ account: a.account, address, at: 2 });
      await store.close();
    },
    isInFiles: async () => {
      await query(url, "CHECKPOINT");
      const [found] = await query<{ folder: string }>(
        url,
        "SELECT current_setting('data_directory') || '/base/' || oid AS folder FROM pg_database WHERE datname = current_database()",
      );
      const folder = found?.folder ?? "";
      return readdirSync(folder).some((file) => readFileSync(join(folder, file)).includes(TRACE));
    },
  };
}

describe("rewriting the tables", () => {
  for (const [what, begin, isElsewhere] of [
    ["reads from a snapshot", "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1", false],
    ["has a transaction that writes", "BEGIN; SELECT pg_current_xact_id()", false],
    ["has one in another database of the server", "BEGIN; SELECT pg_current_xact_id()", true],
  ] as const)
    test(`refuses to rewrite while a session that began before the erasure ${what}`, async () => {
      const { url, tenant, erase, isInFiles } = await erased({ ownsDatabase: true });
      const rival = new Client({ connectionString: isElsewhere ? server.urlOf("postgres") : url });
      await rival.connect();
      await rival.query(begin);
      await erase();
      await assert.rejects(rewrite(tenant, true, { timeoutMs: 0 }), (error: Error) => {
        assert.ok(error instanceof StoreUnavailable, String(error));
        assert.match(error.message, /^session \d+ of mailroll can still see deleted rows.*; end it \(/);
        return true;
      });
      await rival.query("ROLLBACK");
      await rewrite(tenant, true);
      assert.equal(await isInFiles(), false);
      await rival.end();
    });

  test("waits for a transaction that ends before the timeout", async () => {
    const { url, tenant, erase, isInFiles } = await erased({ ownsDatabase: true });
    const rival = new Client({ connectionString: url });
    await rival.connect();
    await rival.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
    await erase();
    const rewriting = rewrite(tenant, true);
    await rival.query("SELECT pg_sleep(0.3)");
    await rival.end();
    await rewriting;
    assert.equal(await isInFiles(), false);
  });

  test("reports statistics that belong to another role", async () => {
    const { tenant, erase } = await erased({ ownsDatabase: false });
    await erase();
    await assert.rejects(rewrite(tenant, true), (error: Error) => {
      assert.ok(error instanceof StoreRefused, String(error));
      assert.match(
        error.message,
        /permission denied to vacuum "pg_statistic".*; run as the database's owner: VACUUM \(FULL\) pg_statistic$/,
      );
      return true;
    });
    await rewrite(tenant, false);
  });
});
