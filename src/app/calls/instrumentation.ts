/** Updates the metrics: calls, responses and connections as they happen, everything else at collection. */
import cluster from "node:cluster";
import type { FastifyInstance } from "fastify";
import type { Described } from "#asmx/description.ts";
import type { Served } from "#asmx/endpoint.ts";
import { leftStateOf, rewriteDueSince } from "#domain/job/job.ts";
import type { Jobs } from "#domain/ports/jobs.ts";
import type { Store } from "#domain/ports/store.ts";
import { type Check, freeBytes } from "#health/readiness.ts";
import type { ServiceMetrics } from "#metrics/service-metrics.ts";
import type { StorageSnapshot } from "#metrics/storage.ts";
import { answerPrimary, type MetricsCollector } from "#metrics/workers.ts";
import { countCampaigns } from "../delivery.ts";
import type { Log } from "../log/log.ts";

export function countServed(
  { calls, traffic }: ServiceMetrics,
  { reply, ms, broken }: Served<unknown>,
): void {
  calls.served(reply.operation, reply.version.name, reply.outcome, ms);
  traffic.answered("soap", reply.status);
  if (broken !== null) traffic.listAborted();
}

export function countDescribed({ traffic }: ServiceMetrics, { status }: Described): void {
  traffic.answered("document", status);
}

/** Connections, and the responses of everything but the endpoint. */
export function countTraffic({ traffic }: ServiceMetrics, fastify: FastifyInstance): void {
  fastify.server.on("connection", (socket) => {
    // A connection over the limit has been closed already.
    if (!socket.destroyed) socket.once("close", traffic.connected());
  });
  fastify.server.on("tlsClientError", () => traffic.handshakeFailed());
}

export function countResponses({ traffic }: ServiceMetrics, fastify: FastifyInstance): void {
  fastify.addHook("onResponse", async (_request, reply) => traffic.answered("route", reply.statusCode));
}

/** Where the values come from that are read at collection. */
export interface MetricsSources {
  readonly store: Store;
  /** The folder of the SQLite file; null for PostgreSQL. */
  readonly folder: string | null;
  readonly checks: () => Promise<readonly Check[]>;
  readonly certificate: { readonly validity: { readonly until: number } } | null;
  readonly delivery: { readonly connections: number };
}

export async function watchJobs(
  jobs: Jobs,
  now: number,
): Promise<Pick<StorageSnapshot, "jobs" | "rewriteDueMs">> {
  const counts = { waiting: 0, running: 0, retrying: 0 };
  const left = await jobs.left();
  for (const job of left) counts[leftStateOf(job, now)] += 1;
  return { jobs: counts, rewriteDueMs: now - (rewriteDueSince(left, now) ?? now) };
}

/** Collects the text of /metrics: of this process, or of all workers. */
export function collectMetrics(
  metrics: ServiceMetrics,
  { store, folder, checks, certificate, delivery }: MetricsSources,
  log: Log,
): MetricsCollector {
  metrics.registry.onCollect(async () => {
    // A database or disk that does not answer is reported by the readiness checks.
    const [databaseBytes, free, jobs, campaigns, made] = await Promise.all([
      store.health.databaseBytes().catch(() => null),
      folder === null ? null : freeBytes(folder).catch(() => null),
      watchJobs(store.jobs, Date.now()).catch(() => ({ jobs: null, rewriteDueMs: null })),
      countCampaigns(store.ledger, Date.now()).catch(() => null),
      checks(),
    ]);
    if (certificate !== null) metrics.traffic.certificateExpires(certificate.validity.until);
    metrics.sending.update({ connections: delivery.connections, campaigns });
    const passed = new Map(made.map(({ name, status }) => [name, status === "ok"]));
    metrics.storage.update({ ...store.load, databaseBytes, freeBytes: free, ...jobs, checks: passed });
  });
  if (cluster.isPrimary) return { text: () => metrics.text(), stop: () => {} };
  return answerPrimary(metrics.registry, (error) => log.error("metrics snapshot failed", {}, error));
}
