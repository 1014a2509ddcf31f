/**
 * The PostgreSQL server that all test files of a run share. `npm test` starts it once, by
 * start-shared-postgres.ts; a test file that runs by itself starts one for itself.
 */
import { after } from "node:test";
import { PostgresDatabases } from "./postgres-databases.ts";
import { PostgresServer, type Prepared } from "./postgres-server.ts";

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

/** Call it at the top level of a test file: a server that had to be started ends with the file. */
export async function sharedPostgres(): Promise<PostgresDatabases> {
  const found = shared();
  if (found !== null) return new PostgresDatabases(found.port, true);
  const server = await PostgresServer.start();
  after(() => server.stop());
  return server;
}

/**
 * A server that the test file may stop, configure and give roles, and whose sessions are all its own. The
 * caller stops it.
 */
export function ownPostgres(): Promise<PostgresServer> {
  return PostgresServer.start({ prepared: shared()?.prepared ?? null });
}
