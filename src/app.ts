/** The composition root: the only place that sees everything, and puts it together from the settings. */
import cluster from "node:cluster";
import { dirname } from "node:path";
import { addApiRoutes } from "./api/routes.ts";
import { sharedReadiness } from "./api/shared-readiness.ts";
import { Addresses } from "./asmx/addresses.ts";
import { AsmxEndpoint } from "./asmx/endpoint.ts";
import { tooBusy } from "./asmx/too-busy.ts";
import { Authenticator } from "./auth/authenticator.ts";
import { type Config, variableOf } from "./config.ts";
import { contract } from "./contract/operations.ts";
import { countDescribed, countServed, countTraffic, gatherMetrics } from "./counting.ts";
import { openStore } from "./database.ts";
import type { Clocks } from "./domain/clocks.ts";
import { SHORT_KEY_WARNING } from "./domain/key.ts";
import type { Store } from "./domain/ports.ts";
import { type FirstStart, makeFirstAccount } from "./first-start.ts";
import { keepHouse } from "./housekeeping.ts";
import { ClientAddresses } from "./http/client-address.ts";
import { type Bounds, boundsFor, Load } from "./http/load.ts";
import { sendPieces } from "./http/send.ts";
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
import { createHandlers } from "./operations/handlers.ts";
import { Call, logDefects, logDescribed, logDropped, logRoutes, logServed } from "./request-log.ts";
import { certificateOf, keepRenewed, type ServedCertificate } from "./tls.ts";
import { watchWsdlReads } from "./wsdl-watch.ts";

const DRAIN_MS = 10_000;
const systemClocks: Clocks = { wall: Date.now, monotonic: () => performance.now() };

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
  readonly clocks: Clocks;
  readonly bounds: Bounds;
  readonly certificate: ServedCertificate | null;
}

export async function serve(
  config: Config,
  log: Log,
  clocks: Clocks = systemClocks,
  bounds: Bounds = boundsFor(config.bodyLimit),
): Promise<Running> {
  const certificate = await certificateOf(config);
  const metrics = createMetrics();
  const store = await openStore(config, metrics.storage, { mayMigrate: true });
  try {
    return await serveStore({ config, log, store, metrics, clocks, bounds, certificate });
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
      keyVariable: variableOf("apiKey"),
      base: addresses.local,
      at: clock(),
    });
  } catch (error) {
    // A server that listens would keep the process alive without a database.
    metricsPort?.close();
    await server.close(0);
    throw error;
  }
  if (firstStart?.isShortKey === true) log.warn(`the first API key ${SHORT_KEY_WARNING}`);
  const housekeeping = await keepHouse({ store, authenticator, clock, log });
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
      wsdlWatch.stop();
      await housekeeping.stop();
      await store.close();
      log.info("stopped");
    },
  };
}

/** The server with everything that it answers, before it listens. */
function compose({ config, log, store, metrics, clocks, bounds, certificate }: Parts) {
  const addresses = new Addresses({ ...config, scheme: certificate === null ? "http" : "https" });
  const clients = new ClientAddresses(config.trustedProxies);
  const authenticator = new Authenticator({
    store,
    clocks,
    keyRate: config.keyRate,
    onRefused: (client) => log.warn("failed keys from this client are refused for a minute", { client }),
    onLoadFailed: (error) => log.warn("recently used keys could not be read", {}, error),
  });
  const onDefect = logDefects(log);
  const isWatched = isMonitored(config);
  const load = new Load(bounds, clocks.monotonic);
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
      // Nobody would read it: a fiftieth of a call, saved.
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
  const checks = sharedReadiness({
    store,
    folder,
    diskReserve: config.diskReserve,
    clock: clocks.monotonic,
    onChange: (failed, cause) => {
      if (failed.length === 0) log.info("ready again");
      else log.warn("not ready", { checks: failed.join(" ") }, cause);
    },
  });
  const sayDropped = logDropped(log, clocks.monotonic);
  const server = new HttpServer(endpoint.handle.bind(endpoint), config.bodyLimit, {
    certificate: certificate?.pair ?? null,
    connections: {
      most: bounds.connections,
      mostPerClient: bounds.connectionsPerClient,
      clientOf: (socket) => clients.ofConnection(socket),
    },
    mostUnsent: bounds.unsent,
    onDropped: (why) => {
      metrics.traffic.dropped();
      sayDropped(why);
    },
  });
  addApiRoutes(server.fastify, {
    store,
    // In its place among the calls: one connection may ask for any number of keys before it has an answer.
    findKey: (given, request) =>
      load.serve(() => authenticator.authenticate(given, new Call(request.raw, clients)), tooBusy),
    startList: (account) => {
      const place = load.takeListPlace(account);
      if (place === null) return null;
      return (response, headers, pieces) =>
        sendPieces(response, 200, headers, pieces, place).finally(() => place.leave());
    },
    baseOf: (request) => addresses.of(request.raw).expected,
    checks,
    prefix: addresses.prefix,
    onDefect,
  });
  logRoutes(log, server.fastify);
  countTraffic(metrics, server.fastify);
  const gathering = gatherMetrics(metrics, { store, folder, checks, certificate }, log);
  metrics.admission.watch({ load, failedKeys: authenticator.guard, keyRate: authenticator.rate });
  const scrape = metricsScrape(config, log, () => gathering.text());
  addMetricsRoute(server.fastify, config, scrape);
  server.fastify.get("/", (_request, reply) => reply.redirect(`${addresses.prefix}${contract.path}`));
  return { server, addresses, authenticator, gathering, scrape, wsdlWatch };
}
