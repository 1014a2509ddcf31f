/**
 * The composition root: the only module that knows all others. It assembles the service from the settings.
 */
import cluster from "node:cluster";
import type { IncomingMessage, ServerResponse } from "node:http";
import { dirname } from "node:path";
import type { FastifyInstance, FastifyRequest } from "fastify";
import manifest from "../../package.json" with { type: "json" };
import { Admission } from "../admission/admission.ts";
import { type Limits, limitsFor } from "../admission/limits.ts";
import { addApiRoutes } from "../api/v1/routes.ts";
import { isApiPath } from "../api/v2/api-path.ts";
import { Addresses } from "../asmx/addresses.ts";
import { AsmxEndpoint } from "../asmx/endpoint.ts";
import { WsdlFrequency } from "../asmx/wsdl-use/frequency.ts";
import { Authenticator } from "../auth/authenticator.ts";
import { BruteForceGuard } from "../auth/brute-force-guard.ts";
import { isConsolePath, meantConsolePath } from "../console/console-path.ts";
import { contract } from "../contract/operations.ts";
import { threadedRenderer } from "../delivery/renderer/threaded.ts";
import { SHORT_KEY_WARNING } from "../domain/access/key.ts";
import type { Clocks } from "../domain/clocks.ts";
import type { Store } from "../domain/ports/store.ts";
import { cachedReadiness } from "../health/cached-readiness.ts";
import { addHealthRoutes } from "../health/routes.ts";
import { BodyReader } from "../http/body/body.ts";
import { ClientAddresses } from "../http/client-address.ts";
import { newRouter } from "../http/router.ts";
import { HttpServer } from "../http/server.ts";
import { isLeavingPath } from "../leaving/leaving-path.ts";
import { addLeavingRoutes } from "../leaving/routes.ts";
import type { ServiceMetrics } from "../metrics/service-metrics.ts";
import { createHandlers } from "../operations/handlers.ts";
import { addAssetRoutes } from "./assets.ts";
import { Call } from "./calls/call.ts";
import { endpointObserver } from "./calls/endpoint-observer.ts";
import { collectMetrics, countResponses, countTraffic } from "./calls/instrumentation.ts";
import { watchWsdlReads } from "./calls/wsdl-watch.ts";
import { openStore } from "./database.ts";
import { createDelivery } from "./delivery.ts";
import { type FirstStart, makeFirstAccount } from "./first-start.ts";
import { createJobRunner } from "./jobs.ts";
import { lazyRoutes } from "./lazy-routes.ts";
import type { Log } from "./log/log.ts";
import { logDefects, logDropped, logRoutes } from "./log/request-log.ts";
import { lostPages } from "./lost-pages.ts";
import { mailTools } from "./mail-tools.ts";
import { startMaintenance } from "./maintenance.ts";
import {
  addMetricsRoute,
  createMetrics,
  isMonitored,
  type MetricsPort,
  metricsScrape,
  serveMetrics,
} from "./monitoring.ts";
import { type Config, variableOf } from "./settings/config.ts";
import { certificateOf, type ServedCertificate, startCertificateReload } from "./tls.ts";
import { authenticateUsers, userChecks } from "./user-authentication.ts";

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
  const store = await openStore(config, metrics.storage, {
    mayMigrate: true,
    onMigrate: (versions) => log.info("database migration started", { ...versions }),
  });
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
  const {
    server,
    addresses,
    authenticator,
    users,
    jobs,
    delivery,
    renderer,
    gathering,
    scrape,
    wsdlWatch,
    closing,
  } = compose(parts);
  await Promise.all([authenticator.loadRecentKeys(), users.tokens.loadRecent()]);
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
  const maintenance = startMaintenance({ authenticator, users, log });
  jobs.start();
  delivery.start();
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
      closing.abort();
      // Messages that are being sent end while the last calls are answered.
      await Promise.all([server.close(DRAIN_MS), delivery.stop()]);
      // Reading from a closed store would open it again.
      gathering.stop();
      wsdlWatch.stop();
      await jobs.stop();
      await renderer.close();
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
    onRefused: (client) => {
      log.warn("client rate-limited: too many authentication failures", { client });
      users.tokens.refresh();
    },
    onLoadFailed: (error) => log.warn("read of recently used keys failed", {}, error),
  });
  const users = authenticateUsers({ store, clocks, guard: authenticator.guard, log });
  const onDefect = logDefects(log);
  const admission = new Admission(limits, clocks.monotonic);
  const bodies = new BodyReader(config.bodyLimit, admission);
  const closing = new AbortController();
  const isApi = isApiPath(addresses.prefix);
  const isConsole = isConsolePath(addresses.prefix);
  const isLink = isLeavingPath(addresses.prefix);
  const wsdlWatch = watchWsdlReads({ clock: clocks.monotonic, clients, metrics, log });
  const endpoint = new AsmxEndpoint({
    service: contract,
    paths: config.paths,
    isTaken: (path) => isApi(path) || isConsole(path) || isLink(path),
    handlers: createHandlers({ store, authenticator, clock: clocks.wall }),
    addresses,
    bodies,
    observer: endpointObserver({
      log,
      metrics,
      isMonitored: isMonitored(config),
      wsdlWatch,
      statistics: {
        calls: authenticator.calls,
        wsdlFrequency: new WsdlFrequency(clocks.monotonic),
        clients,
      },
    }),
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
  const renderer = threadedRenderer();
  const mail = mailTools(config, renderer);
  const jobs = createJobRunner(store, clocks.wall, log, mail);
  const delivery = createDelivery({
    store,
    clock: clocks.wall,
    log,
    metrics: metrics.sending,
    relay: config.smtp,
    baseUrl: () => addresses.local,
    wakeJobs: () => jobs.wake(),
  });
  const lost = lostPages(addresses.prefix, contract);
  const newPart = (badUrl = lost.badUrl): FastifyInstance => {
    const router = newRouter(bodies, clients, { lost: { ...lost, badUrl } });
    logRoutes(log, router);
    countResponses(metrics, router);
    return router;
  };
  const shared = {
    store,
    ...userChecks(users),
    settings: config.shown,
    mail,
    admission,
    clients,
    clock: clocks.wall,
    baseOf: (request: FastifyRequest) => addresses.of(request.raw).expected,
    prefix: addresses.prefix,
    version: manifest.version,
    onDefect,
    wakeJobs: () => {
      jobs.wake();
      delivery.wake();
    },
  };
  const api = lazyRoutes({
    name: "the JSON API",
    isOwn: isApi,
    load: async () => {
      const { addApi, badUrlReply } = await import("../api/v2/api.ts");
      const router = newPart(badUrlReply(addresses.prefix));
      addApi(router, { ...shared, authenticate: users.tokens.authenticate.bind(users.tokens) });
      await router.ready();
      return (request, response) => router.routing(request, response);
    },
    onLoadFailed: (error) => log.error("the JSON API could not be loaded", {}, error),
  });
  const console = lazyRoutes({
    name: "the console",
    isOwn: isConsole,
    meant: (path) => meantConsolePath(addresses.prefix, path),
    load: async () => {
      const { addConsole } = await import("../console/console.ts");
      const router = newPart();
      const troubles = async () => (await checks()).filter((check) => check.status === "failed");
      addConsole(router, { ...shared, troubles, closing: closing.signal });
      await router.ready();
      return (request, response) => router.routing(request, response);
    },
    onLoadFailed: (error) => log.error("the console could not be loaded", {}, error),
  });
  const handle = (request: IncomingMessage, response: ServerResponse): boolean =>
    endpoint.handle(new Call(request, response, clients)) ||
    api(request, response) ||
    console(request, response);
  const server = new HttpServer(handle, bodies, {
    clients,
    lost,
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
    authenticator,
    admission,
    clients,
    baseOf: (request) => addresses.of(request.raw).expected,
    prefix: addresses.prefix,
    onDefect,
  });
  addLeavingRoutes(server.fastify, {
    store,
    // Apart from that of API keys: mail gateways that break links are in the network of those who call.
    guard: new BruteForceGuard({
      clock: clocks.monotonic,
      onRefused: (client) => log.warn("client rate-limited: too many invalid unsubscribe links", { client }),
    }),
    clients,
    clock: clocks.wall,
    prefix: addresses.prefix,
    onDefect,
  });
  addAssetRoutes(server.fastify, addresses.prefix);
  addHealthRoutes(server.fastify, checks);
  logRoutes(log, server.fastify);
  countTraffic(metrics, server.fastify);
  countResponses(metrics, server.fastify);
  const collector = collectMetrics(metrics, { store, folder, checks, certificate, delivery }, log);
  metrics.process.watchLog(log);
  metrics.admission.watch({ admission, failedKeys: authenticator.guard, keyRate: authenticator.rate });
  const scrape = metricsScrape(config, log, () => collector.text());
  addMetricsRoute(server.fastify, config, scrape);
  server.fastify.get("/", (_request, reply) => reply.redirect(`${addresses.prefix}${contract.path}`));
  return {
    server,
    addresses,
    authenticator,
    users,
    jobs,
    delivery,
    renderer,
    gathering: collector,
    scrape,
    wsdlWatch,
    closing,
  };
}
