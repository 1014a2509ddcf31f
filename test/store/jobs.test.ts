/** The jobs suite on both stores. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { PostgresStore } from "../../src/store/postgres/store.ts";
import { SqliteStore } from "../../src/store/sqlite/store.ts";
import { PostgresServer } from "../postgres-server.ts";
import { jobsSuite } from "./jobs-suite.ts";

const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
const folder = mkdtempSync(join(tmpdir(), "mailroll-jobs-"));
const server = await PostgresServer.start();
const url = await server.newDatabase();
after(async () => {
  rmSync(folder, { recursive: true });
  await server.stop();
});

jobsSuite("the SQLite store", () => SqliteStore.open(join(folder, "m.db"), retention));
jobsSuite("the PostgreSQL store", () => PostgresStore.open(url, retention));
