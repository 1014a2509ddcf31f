/**
 * Starts the PostgreSQL server that test files share, before the first of them; see `--test-global-setup`.
 */
import { PostgresServer } from "./postgres-server.ts";
import { share } from "./shared-postgres.ts";

let server: PostgresServer | null = null;

export async function globalSetup(): Promise<void> {
  server = await PostgresServer.start({ keepsPrepared: true });
  await share(server);
}

export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
