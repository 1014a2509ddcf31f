/** The composition root: the only place that sees everything, and puts it together from the settings. */
import cluster from "node:cluster";
import { dirname } from "node:path";
import { addApiRoutes } from "./api/routes.ts";
import { sharedReadiness } from "./api/shared-readiness.ts";
import { Addresses } from "./asmx/addresses.ts";
import { AsmxEndpoint, tooBusy } from "./asmx/endpoint.ts";
import type { Config } from "./config.ts";
import { contract } from "./contract/operations.ts";
import { countDescribed, countServed, countTraffic, gatherMetrics } from "./counting.ts";
import { openStore } from "./database.ts";
import type { Clock, Store } from "./domain/ports.ts";
import { type FirstStart, makeFirstAccount } from "./first-start.ts";
import { keepHouse } from "./housekeeping.ts";
import type { Certificate } from "./http/certificate.ts";
import { ClientAddresses } from "./http/client-address.ts";
import { type Bounds, boundsFor, Load } from "./http/load.ts";
import { HttpServer } from "./http/server.ts";
import type { Log } from "./log.ts";
import type { ServiceMetrics } from "./metrics/service-metrics.ts";
import {
  addMetricsRoute,
  createMetrics,
  isMonitored,
  type MetricsPort,
  metricsScrape,
  serveMetrics,
} from "./monitoring.ts";
import { FailedKeys } from "./operations/failed-keys.ts";
import { createHandlers } from "./operations/handlers.ts";
import { KeyRate } from "./operations/key-rate.ts";
import { KeyRing } from "./operations/key-ring.ts";
import { Call, logDefects, logDescribed, logDropped, logRoutes, logServed } from "./request-log.ts";
import { certificateOf, keepRenewed } from "./tls.ts";

const DRAIN_MS = 10_000;

export interface Running {
  readonly endpoint: string;
  readonly port: number;
  /** The one for /metrics alone. */
  readonly metricsPort: number | null;
  /** For a host program, such as a test, that prepares data. */
  readonly store: Store;
  readonly firstStart: FirstStart | null;
  close(): Promise<void>;
}

/** What is put together to serve. */
interface Parts {
  readonly config: Config;
  readonly log: Log;
  readonly store: Store;
  readonly metrics: ServiceMetrics;
  readonly clock: Clock;
  readonly bounds: Bounds;
  readonly certificate: Certificate | null;
}

export async function serve(
  config: Config,
  log: Log,
  clock: Clock = Date.now,
  bounds: Bounds = boundsFor(config.bodyLimit),
): Promise<Running> {
  const certificate = certificateOf(config);
  const metrics = createMetrics();
  const store = await openStore(config, metrics.storage, { mayMigrate: true });
  try {
    return await serveStore({ config, log, store, metrics, clock, bounds, certificate });
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function serveStore(parts: Parts): Promise<Running> {
  const { config, log, store, metrics, clock, certificate } = parts;
  const { server, addresses, keys, gathering, scrape } = compose(parts);
  // Listened first: where the port is taken, no account is made whose key nobody would ever see.
  const port = await server.listen(config.host, config.port);
  addresses.port = port;
  let firstStart: FirstStart | null;
  let metricsPort: MetricsPort | null = null;
  try {
    // Of several workers the primary serves it.
    if (cluster.isPrimary) metricsPort = await serveMetrics(config, log, scrape);
    firstStart = await makeFirstAccount(store, {
      apiKey: config.apiKey,
      base: addresses.local,
      at: clock(),
    });
  } catch (error) {
    // A server that listens would keep the process alive without a database.
    metricsPort?.close();
    await server.close(0);
    throw error;
  }
  const housekeeping = await keepHouse({ store, keys, clock, log });
  const stopWatching = isMonitored(config) ? metrics.process.watchEventLoop() : () => {};
  const stopRenewing = certificate === null ? () => {} : keepRenewed({ certificate, server, clock, log });
  const endpoint = `${addresses.local}${contract.path}`;
  log.info("serving", { endpoint, schema: store.schemaVersion });
  return {
    endpoint,
    port,
    metricsPort: metricsPort?.port ?? null,
    store,
    firstStart,
    close: async () => {
      stopRenewing();
      stopWatching();
      metricsPort?.close();
      await server.close(DRAIN_MS);
      // Whoever asked a store that is closed would open it again.
      gathering.stop();
      await housekeeping.stop();
      await store.close();
      log.info("stopped");
    },
  };
}

/** The server with everything that it answers, before it listens. */
function compose({ config, log, store, metrics, clock, bounds, certificate }: Parts) {
  const keys = new KeyRing(store, clock);
  const addresses = new Addresses({ ...config, scheme: certificate === null ? "http" : "https" });
  const clients = new ClientAddresses(config.trustedProxies);
  const failedKeys = new FailedKeys({
    clock,
    onRefused: (client) => log.warn("failed keys from this client are refused for a minute", { client }),
  });
  const keyRate = config.keyRate === null ? null : new KeyRate(config.keyRate, clock);
  const onDefect = logDefects(log);
  const isWatched = isMonitored(config);
  const load = new Load(bounds);
  const endpoint = new AsmxEndpoint({
    service: contract,
    handlers: createHandlers({ store, keys, failedKeys, keyRate, clock }),
    addresses,
    bodyLimit: config.bodyLimit,
    load,
    newContext: (request) => new Call(request, clients),
    onServed: (served) => {
      // Nobody would read it: a fiftieth of a call, saved.
      if (isWatched) countServed(metrics, served);
      logServed(log, served);
    },
    onDescribed: (described) => {
      countDescribed(metrics, described);
      logDescribed(log, described);
    },
    onDefect,
  });
  const folder = config.database.kind === "sqlite" ? dirname(config.database.file) : null;
  const checks = sharedReadiness({
    store,
    folder,
    diskReserve: config.diskReserve,
    clock,
    onChange: (failed, cause) => {
      if (failed.length === 0) log.info("ready again");
      else log.warn("not ready", { checks: failed.join(" ") }, cause);
    },
  });
  const sayDropped = logDropped(log, clock);
  const server = new HttpServer(endpoint.handle.bind(endpoint), config.bodyLimit, {
    certificate: certificate?.pair ?? null,
    mostConnections: bounds.connections,
    onDropped: () => {
      metrics.traffic.dropped();
      sayDropped();
    },
  });
  addApiRoutes(server.fastify, {
    store,
    // In its place among the calls: one connection may ask for any number of keys before it has an answer.
    findKey: (given, request) =>
      load.serve(async () => {
        const key = await keys.find(given);
        if (key === null) await failedKeys.failed(clients.of(request.raw));
        else keyRate?.count(key.id);
        return key;
      }, tooBusy),
    baseOf: (request) => addresses.of(request.raw).expected,
    checks,
    prefix: addresses.prefix,
    onDefect,
  });
  logRoutes(log, server.fastify);
  countTraffic(metrics, server.fastify);
  const gathering = gatherMetrics(metrics, { store, folder, checks, certificate }, log);
  metrics.admission.watch({ load, failedKeys, keyRate });
  const scrape = metricsScrape(config, log, () => gathering.text());
  addMetricsRoute(server.fastify, config, scrape);
  server.fastify.get("/", (_request, reply) => reply.redirect(`${addresses.prefix}${contract.path}`));
  return { server, addresses, keys, gathering, scrape };
}
