/** Fills the service's numbers: calls, answers and connections as they come, the rest when somebody asks. */
import cluster from "node:cluster";
import type { FastifyInstance } from "fastify";
import { type Check, freeBytes } from "./api/readiness.ts";
import type { Described } from "./asmx/description.ts";
import type { Served } from "./asmx/endpoint.ts";
import type { Store } from "./domain/ports.ts";
import type { Log } from "./log.ts";
import type { ServiceMetrics } from "./metrics/service-metrics.ts";
import { answerPrimary, type Gathering } from "./metrics/workers.ts";

export function countServed(
  { calls, traffic }: ServiceMetrics,
  { reply, ms, broken }: Served<unknown>,
): void {
  calls.served(reply.operation, reply.version.name, reply.outcome, ms);
  traffic.answered("soap", reply.status);
  if (broken !== null) traffic.listBroken();
}

export function countDescribed({ traffic }: ServiceMetrics, { status }: Described): void {
  traffic.answered("document", status);
}

/** Connections, and the answers of everything but the endpoint. */
export function countTraffic({ traffic }: ServiceMetrics, fastify: FastifyInstance): void {
  fastify.server.on("connection", (socket) => {
    // Unless it was closed at once.
    if (!socket.destroyed) socket.once("close", traffic.connected());
  });
  fastify.server.on("tlsClientError", () => traffic.handshakeFailed());
  fastify.addHook("onResponse", async (_request, reply) => traffic.answered("route", reply.statusCode));
}

/** Who is asked for the rest. */
export interface Sources {
  readonly store: Store;
  /** Where the database's file is; null where it is not on this machine. */
  readonly folder: string | null;
  readonly checks: () => Promise<readonly Check[]>;
  readonly certificate: { readonly validity: { readonly until: number } } | null;
}

/** How to get the text of /metrics: of this process, or of all workers together. */
export function gatherMetrics(
  metrics: ServiceMetrics,
  { store, folder, checks, certificate }: Sources,
  log: Log,
): Gathering {
  metrics.registry.before(async () => {
    // A database or disk that does not answer is told by the checks.
    const [databaseBytes, free, made] = await Promise.all([
      store.read("databaseBytes", {}).catch(() => null),
      folder === null ? null : freeBytes(folder).catch(() => null),
      checks(),
    ]);
    if (certificate !== null) metrics.traffic.certificateExpires(certificate.validity.until);
    const passed = new Map(made.map(({ name, status }) => [name, status === "ok"]));
    metrics.storage.now({ ...store.load, databaseBytes, freeBytes: free, checks: passed });
  });
  if (cluster.isPrimary) return { text: () => metrics.text(), stop: () => {} };
  return answerPrimary(metrics.registry, (error) => log.error("the numbers could not be told", {}, error));
}
