/** The suite about users on both stores. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { PostgresStore } from "../../src/store/postgres/store.ts";
import { SqliteStore } from "../../src/store/sqlite/store.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { usersSuite } from "./users-suite.ts";

const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
const folder = mkdtempSync(join(tmpdir(), "mailroll-users-"));
const server = await sharedPostgres();
const url = await server.newDatabase();
after(() => rmSync(folder, { recursive: true }));

usersSuite("the SQLite store", () => SqliteStore.open(join(folder, "m.db"), retention));
usersSuite("the PostgreSQL store", () => PostgresStore.open(url, retention));
