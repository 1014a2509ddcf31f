/**
 * The composition root: the only module that knows all others. It assembles the service from the settings.
 */
import cluster from "node:cluster";
import { dirname } from "node:path";
import { addApiRoutes } from "../api/routes.ts";
import { Addresses } from "../asmx/addresses.ts";
import { AsmxEndpoint } from "../asmx/endpoint.ts";
import { tooBusy } from "../asmx/too-busy.ts";
import { Authenticator } from "../auth/authenticator.ts";
import { contract } from "../contract/operations.ts";
import type { Clocks } from "../domain/clocks.ts";
import { SHORT_KEY_WARNING } from "../domain/key.ts";
import type { Store } from "../domain/ports/store.ts";
import { cachedReadiness } from "../health/cached-readiness.ts";
import { ClientAddresses } from "../http/client-address.ts";
import { type Limits, Load, limitsFor } from "../http/load.ts";
import { sendChunks } from "../http/send.ts";
import { HttpServer } from "../http/server.ts";
import type { ServiceMetrics } from "../metrics/service-metrics.ts";
import { createHandlers } from "../operations/handlers.ts";
import { type Config, variableOf } from "./config.ts";
import { openStore } from "./database.ts";
import { type FirstStart, makeFirstAccount } from "./first-start.ts";
import { collectMetrics, countDescribed, countServed, countTraffic } from "./instrumentation.ts";
import type { Log } from "./log.ts";
import { startMaintenance } from "./maintenance.ts";
import {
  addMetricsRoute,
  createMetrics,
  isMonitored,
  type MetricsPort,
  metricsScrape,
  serveMetrics,
} from "./monitoring.ts";
import { Call, logDefects, logDescribed, logDropped, logRoutes, logServed } from "./request-log.ts";
import { certificateOf, type ServedCertificate, startCertificateReload } from "./tls.ts";
import { watchWsdlReads } from "./wsdl-watch.ts";

const DRAIN_MS = 10_000;
const systemClocks: Clocks = { wall: Date.now, monotonic: () => performance.now() };

export interface Running {
  readonly endpoint: string;
  readonly port: number;
  /** The port that serves only /metrics. */
  readonly metricsPort: number | null;
  /** For a host program, such as a test, that prepares data. */
  readonly store: Store;
  readonly firstStart: FirstStart | null;
  close(): Promise<void>;
}

/** What the service is assembled from. */
interface Parts {
  readonly config: Config;
  readonly log: Log;
  readonly store: Store;
  readonly metrics: ServiceMetrics;
  readonly clocks: Clocks;
  readonly limits: Limits;
  readonly certificate: ServedCertificate | null;
}

export async function serve(
  config: Config,
  log: Log,
  clocks: Clocks = systemClocks,
  limits: Limits = limitsFor(config.bodyLimit),
): Promise<Running> {
  const certificate = await certificateOf(config);
  const metrics = createMetrics();
  const store = await openStore(config, metrics.storage, { mayMigrate: true });
  try {
    return await serveStore({ config, log, store, metrics, clocks, limits, certificate });
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function serveStore(parts: Parts): Promise<Running> {
  const { config, log, store, metrics, certificate } = parts;
  const clock = parts.clocks.wall;
  const { server, addresses, authenticator, gathering, scrape, wsdlWatch } = compose(parts);
  await authenticator.loadRecentKeys();
  // Listen first: if the port is taken, no first account is created whose key would never be shown.
  const port = await server.listen(config.host, config.port);
  addresses.port = port;
  let firstStart: FirstStart | null;
  let metricsPort: MetricsPort | null = null;
  try {
    // With several workers, the primary serves them.
    if (cluster.isPrimary) metricsPort = await serveMetrics(config, log, scrape);
    firstStart = await makeFirstAccount(store, {
      apiKey: config.apiKey,
      keyVariable: variableOf("apiKey"),
      base: addresses.local,
      at: clock(),
    });
  } catch (error) {
    // A listening server would keep the process alive without a database.
    metricsPort?.close();
    await server.close(0);
    throw error;
  }
  if (firstStart?.isShortKey === true) log.warn(`the first API key ${SHORT_KEY_WARNING}`);
  const maintenance = await startMaintenance({ store, authenticator, clock, log });
  const stopWatching = isMonitored(config) ? metrics.process.watchEventLoop() : () => {};
  const stopReloading =
    certificate === null ? () => {} : startCertificateReload({ certificate, server, clock, log });
  const endpoint = `${addresses.local}${contract.path}`;
  log.info("serving", { endpoint, schema: store.schemaVersion });
  return {
    endpoint,
    port,
    metricsPort: metricsPort?.port ?? null,
    store,
    firstStart,
    close: async () => {
      stopReloading();
      stopWatching();
      metricsPort?.close();
      await server.close(DRAIN_MS);
      // Reading from a closed store would open it again.
      gathering.stop();
      wsdlWatch.stop();
      await maintenance.stop();
      await store.close();
      log.info("stopped");
    },
  };
}

/** The server with all its routes, before it listens. */
function compose({ config, log, store, metrics, clocks, limits, certificate }: Parts) {
  const addresses = new Addresses({ ...config, scheme: certificate === null ? "http" : "https" });
  const clients = new ClientAddresses(config.trustedProxies);
  const authenticator = new Authenticator({
    store,
    clocks,
    keyRate: config.keyRate,
    onRefused: (client) => log.warn("client rate-limited: too many authentication failures", { client }),
    onLoadFailed: (error) => log.warn("read of recently used keys failed", {}, error),
  });
  const onDefect = logDefects(log);
  const isWatched = isMonitored(config);
  const load = new Load(limits, clocks.monotonic);
  const wsdlWatch = watchWsdlReads({ clock: clocks.monotonic, clients, metrics, log });
  const endpoint = new AsmxEndpoint({
    service: contract,
    paths: config.paths,
    handlers: createHandlers({ store, authenticator, clock: clocks.wall }),
    addresses,
    bodyLimit: config.bodyLimit,
    load,
    newContext: (request) => new Call(request, clients),
    accountOf: ({ account }) => account,
    clientOf: ({ client }) => client,
    onServed: (served) => {
      // Counting costs a fiftieth of a call, so it is skipped where metrics are disabled.
      if (isWatched) countServed(metrics, served);
      logServed(log, served);
    },
    onDescribed: (described) => {
      countDescribed(metrics, described);
      logDescribed(log, described);
    },
    onWsdlRead: wsdlWatch.onWsdlRead,
    onPost: wsdlWatch.onPost,
    onDefect,
  });
  const folder = config.database.kind === "sqlite" ? dirname(config.database.file) : null;
  const checks = cachedReadiness({
    store,
    folder,
    diskReserve: config.diskReserve,
    clock: clocks.monotonic,
    onChange: (failed, cause) => {
      if (failed.length === 0) log.info("ready again");
      else log.warn("not ready", { checks: failed.join(" ") }, cause);
    },
  });
  const warnDropped = logDropped(log, clocks.monotonic);
  const server = new HttpServer(endpoint.handle.bind(endpoint), config.bodyLimit, {
    certificate: certificate?.pair ?? null,
    connections: {
      most: limits.connections,
      mostPerClient: limits.connectionsPerClient,
      clientOf: (socket) => clients.ofConnection(socket),
    },
    mostUnsent: limits.unsent,
    onDropped: (why) => {
      metrics.traffic.dropped();
      warnDropped(why);
    },
  });
  addApiRoutes(server.fastify, {
    store,
    // Admitted like a call: one connection may send any number of keys before it gets an answer.
    findKey: (given, request) =>
      load.serve(() => authenticator.authenticate(given, new Call(request.raw, clients)), tooBusy),
    startList: (account) => {
      const place = load.takeListPlace(account);
      if (place === null) return null;
      return (response, headers, chunks) =>
        sendChunks(response, 200, headers, chunks, place).finally(() => place.leave());
    },
    baseOf: (request) => addresses.of(request.raw).expected,
    checks,
    prefix: addresses.prefix,
    onDefect,
  });
  logRoutes(log, server.fastify);
  countTraffic(metrics, server.fastify);
  const collector = collectMetrics(metrics, { store, folder, checks, certificate }, log);
  metrics.admission.watch({ load, failedKeys: authenticator.guard, keyRate: authenticator.rate });
  const scrape = metricsScrape(config, log, () => collector.text());
  addMetricsRoute(server.fastify, config, scrape);
  server.fastify.get("/", (_request, reply) => reply.redirect(`${addresses.prefix}${contract.path}`));
  return { server, addresses, authenticator, gathering: collector, scrape, wsdlWatch };
}
