/** The suites about jobs on both stores. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { PostgresStore } from "../../src/store/postgres/store.ts";
import { SqliteStore } from "../../src/store/sqlite/store.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { bulkSuite } from "./bulk-suite.ts";
import { deletionSuite } from "./deletion-suite.ts";
import { endedJobsSuite } from "./ended-jobs-suite.ts";
import { jobTakeoverSuite } from "./job-takeover-suite.ts";
import { jobsSuite } from "./jobs-suite.ts";

const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
const folder = mkdtempSync(join(tmpdir(), "mailroll-jobs-"));
const server = await sharedPostgres();
const url = await server.newDatabase();
after(() => rmSync(folder, { recursive: true }));

for (const suite of [jobsSuite, jobTakeoverSuite, deletionSuite, endedJobsSuite, bulkSuite]) {
  suite("the SQLite store", () => SqliteStore.open(join(folder, "m.db"), retention));
  suite("the PostgreSQL store", () => PostgresStore.open(url, retention));
}
