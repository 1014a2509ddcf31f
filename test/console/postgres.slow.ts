/**
 * The tests of the console's pages once more, on PostgreSQL. They run in one process, one file after the
 * other: starting one for each file would take longer than the tests.
 */
import { globSync } from "node:fs";
import { describe } from "node:test";
import { PostgresStore } from "#store/postgres/store.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { openStoresWith } from "./console-server.ts";

/** The store has no part in what they test. */
const withoutStore = new Set([
  "kit.test.ts",
  "local-time.test.ts",
  "encrypted-query.test.ts",
  "subscribers/sentences.test.ts",
]);
/** It uses both databases itself. */
const withBoth = new Set(["hostile-values.test.ts"]);

const server = await sharedPostgres();
openStoresWith(async () =>
  PostgresStore.open(await server.newDatabase(), { days: 90, rows: 1000, bytes: 2 ** 28 }),
);

for (const file of globSync("**/*.test.ts", { cwd: import.meta.dirname }).toSorted())
  if (!withoutStore.has(file) && !withBoth.has(file))
    describe(`${file} on PostgreSQL`, async () => {
      await import(`./${file}`);
    });
