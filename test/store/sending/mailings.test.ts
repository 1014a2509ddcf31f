/** Composed campaigns, and what becomes known of them later, on both stores. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { sharedPostgres } from "../../shared-postgres.ts";
import { mailingChangesSuite } from "./mailing-changes-suite.ts";
import { mailingDeletionsSuite } from "./mailing-deletions-suite.ts";
import { mailingLedgerSuite } from "./mailing-ledger-suite.ts";
import { mailingsSuite } from "./mailings-suite.ts";
import { webhooksSuite } from "./webhooks-suite.ts";
import { postgresSql, sqliteSql } from "./world.ts";

const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
const folder = mkdtempSync(join(tmpdir(), "mailroll-mailings-"));
const file = join(folder, "m.db");
const server = await sharedPostgres();
const url = await server.newDatabase();
const { sql, end } = await postgresSql(url);
after(async () => {
  await end();
  rmSync(folder, { recursive: true });
});

const suites = [mailingsSuite, mailingChangesSuite, mailingLedgerSuite, mailingDeletionsSuite, webhooksSuite];
for (const suite of suites) {
  suite("the SQLite store", () => SqliteStore.open(file, retention), sqliteSql(file));
  suite("the PostgreSQL store", () => PostgresStore.open(url, retention), sql);
}
