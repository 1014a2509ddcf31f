/** The HTTP side of the service: the SOAP endpoint, the routes, and what watches them. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { dirname } from "node:path";
import type { FastifyInstance } from "fastify";
import { Admission } from "#admission/admission.ts";
import { addApiRoutes } from "#api/v1/routes.ts";
import type { Addresses } from "#asmx/addresses.ts";
import { AsmxEndpoint } from "#asmx/endpoint.ts";
import { WsdlFrequency } from "#asmx/wsdl-use/frequency.ts";
import { Authenticator } from "#auth/authenticator.ts";
import { BruteForceGuard } from "#auth/brute-force-guard.ts";
import { CONSOLE_PATH, isConsolePath } from "#console/console-path.ts";
import { contract } from "#contract/operations.ts";
import { isWebhookPath } from "#domain/sending/webhook-address.ts";
import { addHealthRoutes, cachedReadiness } from "#health/readiness.ts";
import { BodyReader } from "#http/body/body.ts";
import { ClientAddresses } from "#http/client-address.ts";
import { wantsPage } from "#http/not-found.ts";
import { HttpServer } from "#http/server.ts";
import { createHandlers } from "#operations/handlers.ts";
import { isUnsubscribePath } from "#unsubscribe/path.ts";
import { addUnsubscribeRoutes } from "#unsubscribe/routes.ts";
import { isApiPath } from "#web/api-path.ts";
import { Certificates } from "#webhooks/proof.ts";
import { addWebhookRoutes } from "#webhooks/routes.ts";
import { apiAndConsole } from "./api-and-console.ts";
import type { BackgroundWork } from "./background-work.ts";
import { Call } from "./calls/call.ts";
import { endpointObserver } from "./calls/endpoint-observer.ts";
import { collectMetrics, countResponses, countTraffic } from "./calls/instrumentation.ts";
import { watchWsdlReads } from "./calls/wsdl-watch.ts";
import { logDefects, logDropped, logRoutes } from "./log/request-log.ts";
import { addMetricsRoute, isMonitored, metricsScrape } from "./monitoring.ts";
import { addAssetRoutes, notFoundPages } from "./not-found-pages.ts";
import type { Parts } from "./parts.ts";
import { authenticateUsers } from "./user-authentication.ts";

/** The server with all its routes, before it listens. */
export function createServer(parts: Parts, addresses: Addresses, background: BackgroundWork) {
  const { config, log, store, failedWrites, metrics, clocks, limits, certificate } = parts;
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
  const isLink = isUnsubscribePath(addresses.prefix);
  const isWebhook = isWebhookPath(addresses.prefix);
  const wsdlWatch = watchWsdlReads({ clock: clocks.monotonic, clients, metrics, log });
  const endpoint = new AsmxEndpoint({
    service: contract,
    paths: config.paths,
    isTaken: (path) => isApi(path) || isConsole(path) || isLink(path) || isWebhook(path),
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
    diskFailure: () => failedWrites.ofDisk,
    clock: clocks.monotonic,
    onChange: (failed, cause) => {
      if (failed.length === 0) log.info("ready again");
      else log.warn("not ready", { checks: failed.join(" ") }, cause);
    },
  });
  const warnDropped = logDropped(log, clocks.monotonic);
  const errorReplies = notFoundPages(addresses.prefix, contract);
  const { api, console } = apiAndConsole(parts, {
    addresses,
    background,
    users,
    admission,
    bodies,
    clients,
    errorReplies,
    checks,
    closing: closing.signal,
    onDefect,
  });
  const handle = (request: IncomingMessage, response: ServerResponse): boolean =>
    endpoint.handle(new Call(request, response, clients)) ||
    api(request, response) ||
    console(request, response);
  const server = new HttpServer(handle, bodies, {
    clients,
    errorReplies,
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
  addUnsubscribeRoutes(server.fastify, {
    store,
    // Apart from that of API keys: mail gateways that break links are in the networks of callers.
    guard: new BruteForceGuard({
      clock: clocks.monotonic,
      onRefused: (client) => log.warn("client rate-limited: too many invalid unsubscribe links", { client }),
    }),
    clients,
    clock: clocks.wall,
    prefix: addresses.prefix,
    onStored: (action) => metrics.sending.leftByLink(action),
    onDefect,
  });
  addWebhookRoutes(server.fastify, {
    store,
    clock: clocks.wall,
    monotonic: clocks.monotonic,
    certificates: new Certificates(),
    prefix: addresses.prefix,
    onRefused: (requests, reasons) => log.warn("webhook requests refused", { requests, reasons }),
    onDefect,
  });
  addAssetRoutes(server.fastify, addresses.prefix);
  addHealthRoutes(server.fastify, checks);
  logRoutes(log, server.fastify);
  countTraffic(metrics, server.fastify);
  countResponses(metrics, server.fastify);
  const collector = collectMetrics(
    metrics,
    { store, folder, checks, certificate, delivery: background.delivery },
    log,
  );
  metrics.process.watchLog(log);
  metrics.admission.watch({ admission, failedKeys: authenticator.guard, keyRate: authenticator.rate });
  const scrape = metricsScrape(config, log, () => collector.text());
  addMetricsRoute(server.fastify, config, scrape);
  addStartRoutes(server.fastify, addresses.prefix);
  return { server, authenticator, users, collector, scrape, wsdlWatch, closing };
}

/** The base address leads people to the console, and programs to the service. */
function addStartRoutes(fastify: FastifyInstance, prefix: string): void {
  for (const path of new Set(["/", `${prefix}/`, prefix || "/"]))
    fastify.get(path, (request, reply) =>
      reply
        .header("Vary", "Accept")
        .redirect(`${prefix}${wantsPage(request.raw) ? CONSOLE_PATH : contract.path}`),
    );
}
