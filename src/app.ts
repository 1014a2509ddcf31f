/** The composition root: the only place that sees everything, and puts it together from the settings. */
import cluster from "node:cluster";
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { dirname } from "node:path";
import type { FastifyInstance } from "fastify";
import { type Check, freeBytes } from "./api/readiness.ts";
import { addApiRoutes } from "./api/routes.ts";
import { sharedReadiness } from "./api/shared-readiness.ts";
import { Addresses } from "./asmx/addresses.ts";
import { AsmxEndpoint, type Served } from "./asmx/endpoint.ts";
import { curlCommand } from "./asmx/samples.ts";
import { type Config, ConfigError } from "./config.ts";
import { contract } from "./contract/operations.ts";
import { openStore } from "./database.ts";
import { hashKey, hintOf, newKey } from "./domain/key.ts";
import type { Clock, Store } from "./domain/ports.ts";
import { BadCertificate, Certificate } from "./http/certificate.ts";
import { ClientAddresses } from "./http/client-address.ts";
import { type Bounds, boundsFor, Load } from "./http/load.ts";
import { HttpServer } from "./http/server.ts";
import { traceIdOf } from "./http/trace.ts";
import type { Log } from "./log.ts";
import { METRICS_PATH } from "./metrics/scrape.ts";
import type { ServiceMetrics } from "./metrics/service-metrics.ts";
import { answerPrimary, type Gathering } from "./metrics/workers.ts";
import { createMetrics, isMonitored, type MetricsPort, metricsScrape, serveMetrics } from "./monitoring.ts";
import type { CallNotes } from "./operations/caller.ts";
import { FailedKeys } from "./operations/failed-keys.ts";
import { createHandlers } from "./operations/handlers.ts";
import { KeyRate } from "./operations/key-rate.ts";
import { KeyRing } from "./operations/key-ring.ts";
import type { OnDefect } from "./soap/dispatch.ts";

/** What is noted of a call; made for each, so it works out nothing by itself. */
class Call implements CallNotes {
  account: CallNotes["account"] = null;
  key: CallNotes["key"] = null;
  readonly trace: string | undefined;
  readonly #request: IncomingMessage;
  readonly #clients: ClientAddresses;

  constructor(request: IncomingMessage, clients: ClientAddresses) {
    this.trace = traceIdOf(request.headers.traceparent);
    this.#request = request;
    this.#clients = clients;
  }

  get client(): string {
    return this.#clients.of(this.#request);
  }
}

const DRAIN_MS = 10_000;
const HOUR_MS = 3_600_000;
const NOTE_USES_MS = 5000;
const LOOK_AT_CERTIFICATE_MS = 2000;
const MINUTE_MS = 60_000;

/** What the very first start made; the key is shown this once and kept nowhere. */
export interface FirstStart {
  readonly key: string;
  readonly list: number;
  readonly listName: string;
  readonly curl: string;
}
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
  const store = await openStore(config, metrics.storage);
  try {
    return await serveStore({ config, log, store, metrics, clock, bounds, certificate });
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function serveStore(parts: Parts): Promise<Running> {
  const { config, log, store, metrics, clock, bounds, certificate } = parts;
  const keys = new KeyRing(store, clock);
  const addresses = new Addresses({ ...config, scheme: certificate === null ? "http" : "https" });
  const clients = new ClientAddresses(config.trustedProxies);
  const failedKeys = new FailedKeys({
    clock,
    onRefused: (client) => log.warn("failed keys from this client are refused for a minute", { client }),
  });
  const keyRate = config.keyRate === null ? null : new KeyRate(config.keyRate, clock);
  const onDefect: OnDefect = (error, operation) => {
    const reference = randomUUID();
    log.error("defect", { operation, reference }, error);
    return reference;
  };
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
    // Some callers fetch the description before every call: worth a line only where they do not get it.
    onDescribed: ({ status, ms }) => {
      metrics.traffic.answered("document", status);
      log[status < 400 ? "debug" : "info"]("document", { status, ms: rounded(ms) });
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
  const sayDropped = nowAndThen(clock, () =>
    log.warn("connections are not taken, because there are too many"),
  );
  const server = new HttpServer((request, response) => endpoint.handle(request, response), config.bodyLimit, {
    certificate: certificate?.pair ?? null,
    mostConnections: bounds.connections,
    onDropped: () => {
      metrics.traffic.dropped();
      sayDropped();
    },
  });
  addApiRoutes(server.fastify, {
    store,
    findKey: async (given, request) => {
      const key = await keys.find(given);
      if (key === null) await failedKeys.failed(clients.of(request.raw));
      else keyRate?.count(key.id);
      return key;
    },
    baseOf: (request) => addresses.of(request.raw).expected,
    checks,
    prefix: addresses.prefix,
  });
  logRoutes(server.fastify, log, onDefect);
  const gathering = gatherMetrics(metrics, store, folder, checks, log);
  metrics.admission.watch({ load, failedKeys, keyRate });
  const scrape = metricsScrape(config, log, () => gathering.text());
  countTraffic(server.fastify, metrics);
  if (config.metricsToken !== null)
    server.fastify.get(METRICS_PATH, (request, reply) => {
      reply.hijack();
      return scrape(request.raw, reply.raw);
    });
  server.fastify.get("/", (_request, reply) => reply.redirect(`${addresses.prefix}${contract.path}`));
  // Listened first: where the port is taken, no account is made whose key nobody would ever see.
  const port = await server.listen(config.host, config.port);
  addresses.port = port;
  let firstStart: FirstStart | null;
  let metricsPort: MetricsPort | null = null;
  try {
    // Of several workers the primary serves it.
    if (cluster.isPrimary) metricsPort = await serveMetrics(config, log, scrape);
    firstStart = await makeFirstAccount(config, store, addresses.local, clock());
  } catch (error) {
    // A server that listens would keep the process alive without a database.
    metricsPort?.close();
    await server.close(0);
    throw error;
  }
  const forget = () =>
    store
      .write("forgetRefusals", { now: clock() })
      .catch((error) => log.warn("old refused calls were not forgotten", {}, error));
  await forget();
  const note = () =>
    keys.noteUses().catch((error) => log.warn("last use of keys was not written", {}, error));
  const stopWatching = isWatched ? metrics.process.watchEventLoop() : () => {};
  const timers = [setInterval(() => void forget(), HOUR_MS), setInterval(() => void note(), NOTE_USES_MS)];
  if (certificate !== null)
    timers.push(setInterval(() => renew(certificate, server, log), LOOK_AT_CERTIFICATE_MS));
  log.info("serving", { endpoint: `${addresses.local}${contract.path}`, schema: store.schemaVersion });
  return {
    endpoint: `${addresses.local}${contract.path}`,
    port,
    metricsPort: metricsPort?.port ?? null,
    store,
    firstStart,
    close: async () => {
      for (const timer of timers) clearInterval(timer);
      stopWatching();
      metricsPort?.close();
      await server.close(DRAIN_MS);
      // Whoever asked a store that is closed would open it again.
      gathering.stop();
      await note();
      await store.close();
      log.info("stopped");
    },
  };
}

function certificateOf({ tlsCert, tlsKey }: Config): Certificate | null {
  if (tlsCert === null && tlsKey === null) return null;
  if (tlsCert === null || tlsKey === null)
    throw new ConfigError("MAILROLL_TLS_CERT and MAILROLL_TLS_KEY go together; only one of them is set");
  try {
    return new Certificate({ cert: tlsCert, key: tlsKey });
  } catch (error) {
    throw error instanceof BadCertificate ? new ConfigError(error.message) : error;
  }
}

function renew(certificate: Certificate, server: HttpServer, log: Log): void {
  try {
    const pair = certificate.renewed();
    if (pair === null) return;
    server.renew(pair);
    log.info("the certificate was renewed");
  } catch (error) {
    log.warn("the new certificate is not used; the old one still is", {}, error);
  }
}

/** For what would be said thousands of times in a row. */
function nowAndThen(clock: Clock, say: () => void): () => void {
  let next = 0;
  return () => {
    if (clock() < next) return;
    next = clock() + MINUTE_MS;
    say();
  };
}

async function makeFirstAccount(
  config: Config,
  store: Store,
  base: string,
  at: number,
): Promise<FirstStart | null> {
  const key = config.apiKey ?? newKey();
  const listName = "Newsletter";
  const made = await store.write("firstStart", {
    account: "Default",
    list: listName,
    key: {
      hash: hashKey(key),
      hint: hintOf(key),
      label: "first",
      scope: "full",
      expiresAt: null,
      at,
    },
  });
  if (made === null) return null;
  const values = { APIKey: key, SubscribersListID: String(made.list), EMail: "ada@example.org" };
  return { key, list: made.list, listName, curl: curlCommand(contract, base, "Subscriber.Add", values) };
}

/** Asked for every few seconds by machines. */
const quiet = new Set(["/healthz", "/readyz", METRICS_PATH]);

/** Everything but the endpoint: by route, so that no query, key or address gets into the log. */
function logRoutes(fastify: FastifyInstance, log: Log, onDefect: OnDefect): void {
  fastify.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url;
    const level = route !== undefined && quiet.has(route) ? "debug" : "info";
    log[level]("request", { route: route ?? null, status: reply.statusCode, ms: rounded(reply.elapsedTime) });
  });
  fastify.setErrorHandler(
    (error: { readonly statusCode?: number; readonly message: string }, request, reply) => {
      const status = error.statusCode ?? 500;
      if (status < 500)
        return reply.code(status).send({ error: { code: "BadRequest", message: error.message } });
      const reference = onDefect(error, request.routeOptions.url ?? null);
      const message = `Something went wrong on our side. Reference: ${reference}`;
      return reply.code(500).send({ error: { code: "InternalError", message } });
    },
  );
}

/** How to get the text of /metrics: of this process, or of all workers together. */
function gatherMetrics(
  metrics: ServiceMetrics,
  store: Store,
  folder: string | null,
  checks: () => Promise<readonly Check[]>,
  log: Log,
): Gathering {
  metrics.registry.before(async () => {
    // A database or disk that does not answer is told by the checks.
    const [databaseBytes, free, made] = await Promise.all([
      store.read("databaseBytes", {}).catch(() => null),
      folder === null ? null : freeBytes(folder).catch(() => null),
      checks(),
    ]);
    const passed = new Map(made.map(({ name, status }) => [name, status === "ok"]));
    metrics.storage.now({ ...store.load, databaseBytes, freeBytes: free, checks: passed });
  });
  if (cluster.isPrimary) return { text: () => metrics.text(), stop: () => {} };
  return answerPrimary(metrics.registry, (error) => log.error("the numbers could not be told", {}, error));
}

function countTraffic(fastify: FastifyInstance, { traffic }: ServiceMetrics): void {
  fastify.server.on("connection", (socket) => socket.once("close", traffic.connected()));
  fastify.addHook("onResponse", async (_request, reply) => traffic.answered("route", reply.statusCode));
}

function countServed({ calls, traffic }: ServiceMetrics, { reply, ms, broken }: Served<Call>): void {
  calls.served(reply.operation, reply.version.name, reply.outcome, ms);
  traffic.answered("soap", reply.status);
  if (broken !== null) traffic.listBroken();
}

const rounded = (ms: number): number => Math.round(ms * 100) / 100;

function logServed(log: Log, { reply, context, ms, broken }: Served<Call>): void {
  if (broken !== null) {
    const { account, trace } = context;
    log.error("list broken off", { operation: reply.operation, account, trace }, broken);
    return;
  }
  const line = {
    operation: reply.operation,
    soap: reply.version.name,
    account: context.account,
    key: context.key,
    outcome: reply.outcome,
    status: reply.status,
    ms: rounded(ms),
    trace: context.trace,
    habit: reply.mislabelled ? "sends windows-1252 where UTF-8 was declared or meant" : undefined,
  };
  if (reply.cause === null) log.info("call", line);
  else log.warn("call", line, reply.cause);
}
