/** Servers of the console on each database, for tests that use both themselves. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Store } from "#domain/ports/store.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const postgres = await sharedPostgres();
export const databases: readonly (readonly [string, { readonly open?: (file: string) => Promise<Store> }])[] =
  [
    ["SQLite", {}],
    [
      "PostgreSQL",
      {
        open: async () =>
          await PostgresStore.open(await postgres.newDatabase(), { days: 90, rows: 1000, bytes: 2 ** 28 }),
      },
    ],
  ];

/** With an account and a list. It is closed after the test, and must have had no defect. */
export async function start(t: TestContext, options: object): Promise<ConsoleServer> {
  const server = await startConsole(options);
  t.after(async () => {
    await server.close();
    assert.deepEqual(server.defects, []);
  });
  await server.store.accounts.create({ name: "Default", at: 1 });
  await server.store.lists.create({ account: 1, name: "News", at: 1 });
  return server;
}
