/** The settings of a service on each database. */
import { sharedPostgres } from "../shared-postgres.ts";

const postgres = await sharedPostgres();
export const databases: readonly (readonly [string, () => Promise<Readonly<Record<string, string>>>])[] = [
  ["SQLite", async () => ({})],
  ["PostgreSQL", async () => ({ database: await postgres.newDatabase() })],
];
