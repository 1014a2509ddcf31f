/** The service with many members of one list, and a store that prepares campaigns beside it. */
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import type { Store } from "#domain/ports/store.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { Databases } from "../data/databases.ts";
import { withMembers } from "../data/dataset.ts";
import type { PostgresDatabases } from "../data/postgres.ts";
import { membersIn } from "../data/sqlite.ts";
import type { RunFolder } from "../run-folder.ts";
import { startMailroll } from "../servers/mailroll.ts";
import type { Server } from "../servers/server.ts";

export interface SendingService {
  readonly server: Server;
  readonly store: Store;
  /** The bytes of the ledger on the disk, with its indexes. */
  readonly ledgerBytes: () => Promise<number>;
  stop(): Promise<void>;
}
export type StartService = (members: number) => Promise<SendingService>;

const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
const name = "Mailroll";

export const onSqlite =
  (folder: RunFolder): StartService =>
  async (members) => {
    const file = (await Databases.prepare(folder)).mailroll(withMembers(members));
    const server = await startMailroll(folder, {
      name,
      database: `sqlite:${file}`,
      members: () => membersIn(file),
    });
    const store = await SqliteStore.open(file, retention);
    return {
      server,
      store,
      ledgerBytes: async () => {
        const db = new DatabaseSync(file, { readOnly: true });
        try {
          const row = db.prepare("SELECT sum(pgsize) AS bytes FROM dbstat WHERE name = 'recipient'").get();
          return Number(row?.bytes);
        } finally {
          db.close();
        }
      },
      stop: async () => {
        await store.close();
        await server.stop();
      },
    };
  };

export const onPostgres =
  (folder: RunFolder, databases: PostgresDatabases): StartService =>
  async (members) => {
    const { url, pid, members: count } = await databases.database(withMembers(members));
    const server = await startMailroll(folder, { name, database: url, databasePid: pid, members: count });
    const store = await PostgresStore.open(url, retention, null);
    return {
      server,
      store,
      ledgerBytes: async () => {
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        try {
          const { rows } = await client.query("SELECT pg_total_relation_size('recipient')::text AS bytes");
          return Number(rows[0]?.bytes);
        } finally {
          await client.end();
        }
      },
      stop: async () => {
        await store.close();
        await server.stop();
      },
    };
  };
