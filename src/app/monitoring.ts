/** Which metrics there are, from what the contract declares, and where they are served, from the settings. */

import type { FastifyInstance } from "fastify";
import { faultKinds } from "#contract/faults.ts";
import { contract } from "#contract/operations.ts";
import { checkNames } from "#health/readiness.ts";
import { METRICS_PATH } from "#metrics/registry.ts";
import { listen, type Scrape, scrape, scrapeServer } from "#metrics/scrape.ts";
import { ServiceMetrics } from "#metrics/service-metrics.ts";
import { VERSION } from "#shipped.ts";
import type { Log } from "./log/log.ts";
import type { Config } from "./settings/config.ts";

/** The outcome of operations that declare none. */
const VALUE = "ok";

export const createMetrics = (): ServiceMetrics =>
  new ServiceMetrics({
    operations: Object.fromEntries(
      Object.entries(contract.operations).map(([name, operation]) => {
        const outcomes = Object.keys(operation.outcomes);
        return [name, outcomes.length === 0 ? [VALUE] : outcomes];
      }),
    ),
    faults: Object.keys(faultKinds),
    successes: [VALUE, "Done"],
    defect: "InternalError",
    checks: checkNames,
    build: { version: VERSION, node: process.versions.node },
  });

export const isMonitored = ({ metricsPort, metricsToken }: Config): boolean =>
  metricsPort !== null || metricsToken !== null;

export const metricsScrape = ({ metricsToken }: Config, log: Log, text: () => Promise<string>): Scrape =>
  scrape({
    text,
    token: metricsToken,
    onFailure: (error) => log.error("metrics collection failed", {}, error),
  });

export interface MetricsPort {
  /** null where none is configured. */
  readonly port: number | null;
  close(): void;
}

class MetricsPortError extends Error {
  override readonly name = "MetricsPortError";
  readonly code = "ERR_METRICS_PORT";
}

/** Serves /metrics on the port of the service, which requires the token. */
export function addMetricsRoute(fastify: FastifyInstance, { metricsToken }: Config, answer: Scrape): void {
  if (metricsToken === null) return;
  fastify.get(METRICS_PATH, { config: { isProbe: true } }, (request, reply) => {
    reply.hijack();
    return answer(request.raw, reply.raw);
  });
}

/** Serves /metrics on a port of its own. */
export async function serveMetrics(config: Config, log: Log, answer: Scrape): Promise<MetricsPort> {
  if (config.metricsPort === null) return { port: null, close: () => {} };
  const { metricsHost: host, metricsPort: wanted } = config;
  const server = scrapeServer(answer);
  const port = await listen(server, host, wanted).catch((cause: Error) => {
    const advice = "set MAILROLL_METRICS_PORT to another one (0 picks a free one), or MAILROLL_METRICS_HOST";
    throw new MetricsPortError(`port ${wanted} for /metrics cannot be opened (${cause.message}); ${advice}`, {
      cause,
    });
  });
  log.info("serving metrics", { host, port });
  return {
    port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
