/**
 * The PostgreSQL server that all test files of a run share. `npm test` starts it in run.ts, other runs in
 * start-shared-postgres.ts. A test file that runs by itself starts one for itself.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after } from "node:test";
import type { Store } from "#domain/ports/store.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { PostgresDatabases } from "./postgres-databases.ts";
import { PostgresServer, type Prepared } from "./postgres-server.ts";
import { query } from "./store/postgres-account.ts";

/** The variable that tells test files about it. */
const SHARED = "TEST_POSTGRES";
interface Shared {
  readonly port: number;
  readonly prepared: Prepared;
}
function shared(): Shared | null {
  const text = process.env[SHARED];
  return text === undefined ? null : (JSON.parse(text) as Shared);
}

/** For processes that this one starts from now on. */
export async function share(server: PostgresServer): Promise<void> {
  await server.migrated();
  const { port, prepared } = server;
  process.env[SHARED] = JSON.stringify({ port, prepared } satisfies Shared);
}

let databases: Promise<PostgresDatabases> | null = null;
/**
 * A server that had to be started ends with the process, after everything that the file has to end. Each
 * caller gets a promise of its own: what is declared after the one of another file belongs to that file.
 */
export async function sharedPostgres(): Promise<PostgresDatabases> {
  databases ??= connected();
  return await databases;
}
async function connected(): Promise<PostgresDatabases> {
  const found = shared();
  if (found !== null) return new PostgresDatabases(found.port, true);
  const server = await PostgresServer.start();
  server.unref();
  return server;
}

type Opened = readonly [
  name: "SQLite" | "PostgreSQL",
  open: () => Promise<Store>,
  /** Changes the database past the store. */
  sql: (text: string) => Promise<unknown>,
];
/** For tests that are the same on both stores; for the top level. Opened again, a store has what it had. */
export async function bothStores(): Promise<readonly Opened[]> {
  const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
  const folder = mkdtempSync(join(tmpdir(), "mailroll-both-"));
  after(() => rmSync(folder, { recursive: true }));
  const url = await (await sharedPostgres()).newDatabase();
  const file = join(folder, "m.db");
  const inSqlite = async (text: string): Promise<void> => {
    const db = new DatabaseSync(file, { timeout: 5000 });
    db.exec(text);
    db.close();
  };
  return [
    ["SQLite", () => SqliteStore.open(file, retention), inSqlite],
    ["PostgreSQL", () => PostgresStore.open(url, retention), (text) => query(url, text)],
  ];
}

/**
 * A server that the test file may stop, configure and give roles, and whose sessions are all its own. The
 * caller stops it.
 */
export function ownPostgres(): Promise<PostgresServer> {
  return PostgresServer.start({ prepared: shared()?.prepared ?? null });
}
