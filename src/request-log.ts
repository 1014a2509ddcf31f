/**
 * What the log says of requests: a line for each call, with what was noted of it on the way, and one for each other request.
 * Never a key, an address or a query.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Described } from "./asmx/description.ts";
import type { Served } from "./asmx/endpoint.ts";
import type { CallNotes } from "./auth/authenticator.ts";
import type { MonotonicClock } from "./domain/clocks.ts";
import type { ClientAddresses } from "./http/client-address.ts";
import type { Dropped } from "./http/connections.ts";
import { traceIdOf } from "./http/trace.ts";
import type { Log } from "./log.ts";
import { METRICS_PATH } from "./metrics/scrape.ts";
import type { OnDefect } from "./soap/dispatch.ts";

/** What is noted of a call; made for each, so it works out nothing by itself. */
export class Call implements CallNotes {
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

const rounded = (ms: number): number => Math.round(ms * 100) / 100;

export function logServed(log: Log, { reply, context, ms, broken }: Served<Call>): void {
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
    habit: reply.mislabelled ? "sends bytes that are not in the charset it declares" : undefined,
  };
  if (reply.cause === null) log.info("call", line);
  else log.warn("call", line, reply.cause);
}

/** Some callers fetch the description before every call: worth a line only where they do not get it. */
export function logDescribed(log: Log, { status, ms }: Described): void {
  log[status < 400 ? "debug" : "info"]("document", { status, ms: rounded(ms) });
}

/** Asked for every few seconds by machines. */
const quiet = new Set(["/healthz", "/readyz", METRICS_PATH]);

/** Everything but the endpoint, by route. */
export function logRoutes(log: Log, fastify: FastifyInstance): void {
  fastify.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url;
    const level = route !== undefined && quiet.has(route) ? "debug" : "info";
    log[level]("request", { route: route ?? null, status: reply.statusCode, ms: rounded(reply.elapsedTime) });
  });
}

export const logDefects =
  (log: Log): OnDefect =>
  (error, operation) => {
    const reference = randomUUID();
    log.error("defect", { operation, reference }, error);
    return reference;
  };

const MINUTE_MS = 60_000;

const droppedBecause: Readonly<Record<Dropped | "unread", string>> = {
  full: "connections refused: too many are open, and none is idle",
  pipelined: "connections closed: too many pipelined requests",
  idle: "idle connections closed: too many are open",
  share: "connections refused: too many from one client",
  unread: "connections closed: too many unread answers",
};

/** Each once a minute: it would be said thousands of times in a row. */
export function logDropped(log: Log, clock: MonotonicClock): (why: Dropped | "unread") => void {
  const next = new Map<string, number>();
  return (why) => {
    if (clock() < (next.get(why) ?? Number.NEGATIVE_INFINITY)) return;
    next.set(why, clock() + MINUTE_MS);
    log.warn(droppedBecause[why]);
  };
}
