/** The suite about senders on both stores. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after } from "node:test";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { query } from "./postgres-account.ts";
import { sendersSuite } from "./senders-suite.ts";

const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
const folder = mkdtempSync(join(tmpdir(), "mailroll-senders-"));
const file = join(folder, "m.db");
const url = await (await sharedPostgres()).newDatabase();
after(() => rmSync(folder, { recursive: true }));

sendersSuite(
  "the SQLite store",
  () => SqliteStore.open(file, retention),
  async (sql) => {
    const db = new DatabaseSync(file);
    db.exec(sql);
    db.close();
  },
);
sendersSuite(
  "the PostgreSQL store",
  () => PostgresStore.open(url, retention),
  (sql) => query(url, sql),
);
