/** PostgreSQL outages under load: connections are cut, processes killed, the server stopped at once. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { failingProxy } from "../failing-proxy.ts";
import type { PostgresServer } from "../postgres-server.ts";
import type { Figures } from "./figures.ts";
import { Random } from "./random.ts";
import { originOf, SystemUnderTest } from "./system-under-test.ts";

const CONNECTIONS = 32;
const RESTART_MS = 20_000;

const ofMailroll = (database: string): string =>
  `FROM pg_stat_activity WHERE application_name = 'mailroll' AND datname = '${new URL(database).pathname.slice(1)}'`;

async function ask(server: PostgresServer, sql: string): Promise<readonly { readonly n: number }[]> {
  const client = new Client({ connectionString: server.urlOf("postgres") });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<{ n: number }>(sql)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Cuts between transactions, within one, and during a commit. A commit that succeeded must not be repeated,
 * and one that failed must not be acknowledged.
 */
export async function cutConnections(server: PostgresServer, ms: number, seed: number): Promise<Figures> {
  const proxy = await failingProxy(await server.emptyDatabase());
  const site = await SystemUnderTest.make(proxy.url, CONNECTIONS);
  try {
    const origins = [originOf(await site.serve())];
    const random = new Random(seed);
    const calls = site.callers.start(seed, origins);
    const terminate = `SELECT count(pg_terminate_backend(pid))::int AS n ${ofMailroll(site.database)}`;
    let [rounds, cut] = [0, 0];
    for (const until = performance.now() + ms; performance.now() < until; rounds += 1) {
      await delay(random.below(100));
      if (random.below(2) === 0) proxy.breakAt("COMMIT");
      else cut += (await ask(server, terminate))[0]?.n ?? 0;
    }
    await calls.stop();
    assert.ok(cut >= rounds / 4, `${cut} connections were there to be cut in ${rounds} rounds`);
    await site.serves(seed + 1, origins);
    await site.verify();
    const more = `chosen at random: PostgreSQL closes all connections of Mailroll (${cut} connections in all rounds together), or the connection of a commit is cut after the commit was sent`;
    return { rounds, more, ...site.callers.tally };
  } finally {
    await site.remove();
    await proxy.close();
  }
}

/** `kill -9` of a backend that serves our writes. PostgreSQL then ends all sessions and recovers. */
async function killBackend(server: PostgresServer, database: string): Promise<void> {
  for (const { n } of await ask(server, `SELECT pid AS n ${ofMailroll(database)} LIMIT 1`))
    process.kill(n, "SIGKILL");
}

async function restart(server: PostgresServer, signal: NodeJS.Signals, awayMs: number): Promise<void> {
  await server.pause(signal);
  await delay(awayMs);
  for (const until = performance.now() + RESTART_MS; ; await delay(100))
    try {
      return await server.resume();
    } catch (error) {
      // The child processes of a killed postmaster take a moment to end, and prevent a new start until then.
      if (performance.now() > until) throw error;
    }
}

const attacks: readonly ((server: PostgresServer, database: string, random: Random) => Promise<void>)[] = [
  (server, _, random) => restart(server, "SIGQUIT", random.below(1500)),
  (server, database) => killBackend(server, database),
  (server, _, random) => restart(server, "SIGKILL", random.below(1500)),
];

export async function crashPostgres(server: PostgresServer, rounds: number, seed: number): Promise<Figures> {
  const site = await SystemUnderTest.make(await server.emptyDatabase(), CONNECTIONS);
  try {
    const origins = [originOf(await site.serve())];
    for (let round = 0; round < rounds; round += 1) {
      const random = new Random(seed + round);
      const calls = site.callers.start(seed + round, origins);
      await delay(random.between(100, 800));
      await attacks[round % attacks.length]?.(server, site.database, random);
      await delay(random.below(300));
      await calls.stop();
      await site.serves(seed + 1000 + round, origins);
      await site.verify();
    }
    const more = "alternating: immediate stop, `kill -9` of a backend, `kill -9` of the postmaster";
    return { rounds, more, ...site.callers.tally };
  } finally {
    await site.remove();
  }
}
