/**
 * What the tests of killed processes share: databases that a process can open, and nodes that finish its
 * work.
 */
import { join } from "node:path";
import { jobHandlers } from "#admin/job-handlers/job-handlers.ts";
import type { Clock } from "#domain/clocks.ts";
import { LEASE_MS } from "#domain/job/job.ts";
import type { JobKind } from "#domain/job/kinds.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import { JobRunner } from "#jobs/runner.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import type { PostgresDatabases } from "../postgres-databases.ts";

const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };

export const databasesIn = (folder: string, server: PostgresDatabases) => ({
  SQLite: {
    url: async () => `sqlite:${join(folder, "m.db")}`,
    open: (url: string) => SqliteStore.open(url.slice("sqlite:".length), retention),
  },
  PostgreSQL: {
    url: () => server.newDatabase(),
    open: (url: string) => PostgresStore.open(url, retention),
  },
});

export async function membersOf(store: Store, account: number, id: number): Promise<number> {
  const lists = await collect(store.lists.all.pages({ account }));
  return lists.find((list) => list.id === id)?.members ?? 0;
}

/** Nodes whose clocks, by default, are past the lease of the killed process. */
export async function finishedByRunners(
  nodes: readonly Store[],
  finished: JobKind,
  clock: Clock = () => Date.now() + LEASE_MS,
): Promise<void> {
  let runners: readonly JobRunner[] = [];
  await new Promise<void>((resolve, reject) => {
    runners = nodes.map(
      (node, n) =>
        new JobRunner({
          jobs: node.jobs,
          works: jobHandlers({ store: node, clock }),
          owner: `runner ${n}`,
          clock,
          sleep: (_, signal) =>
            new Promise((wake) => signal?.addEventListener("abort", () => wake(), { once: true })),
          events: {
            onEnded: ({ kind }) => kind === finished && resolve(),
            onFailed: (_, error) => reject(error as Error),
            onLost: () => reject(new Error("a lease was lost")),
            onClaimed: () => {},
            onClaimFailed: reject,
          },
        }),
    );
    for (const runner of runners) runner.start();
  });
  await Promise.all(runners.map((runner) => runner.stop()));
}
