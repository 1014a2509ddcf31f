/**
 * The request log: one line for each call, with its account, key and outcome, and one for each other request.
 * Never an API key, an e-mail address or a query string.
 */
import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { Described } from "#asmx/description.ts";
import type { Served } from "#asmx/endpoint.ts";
import type { MonotonicClock } from "#domain/clocks.ts";
import { DiskFailed, StoreUnavailable } from "#domain/ports/errors.ts";
import type { Dropped } from "#http/connections.ts";
import { routeOf } from "#http/route-requests.ts";
import { METRICS_PATH } from "#metrics/registry.ts";
import type { OnDefect } from "#soap/dispatch.ts";
import type { Call } from "../calls/call.ts";
import type { Log } from "./log.ts";
import { plainWords } from "./log.ts";

const rounded = (ms: number): number => Math.round(ms * 100) / 100;

export function logServed(log: Log, { reply, call, ms, broken }: Served<Call>): void {
  if (broken !== null) {
    const { account, trace } = call;
    logBroken(log, "streamed response aborted", { operation: reply.operation, account, trace }, broken);
    return;
  }
  const line = {
    operation: reply.operation,
    soap: reply.version.name,
    account: call.account,
    key: call.key,
    outcome: reply.outcome,
    status: reply.status,
    ms: rounded(ms),
    trace: call.trace,
    // The bytes were not in the charset that the caller declared.
    charset_mismatch: reply.mislabelled || undefined,
    unknown: reply.unknown === null ? undefined : plainWords(reply.unknown),
  };
  if (reply.cause === null) log.info("call", line);
  else log.warn("call", line, reply.cause);
}

/** Some clients fetch the WSDL before every call, so a success is logged at debug level only. */
export function logDescribed(log: Log, { status, ms }: Described): void {
  log[status < 400 ? "debug" : "info"]("document", { status, ms: rounded(ms) });
}

/** Polled every few seconds by monitoring. */
const probeRoutes = new Set(["/healthz", "/readyz", METRICS_PATH]);

/** Requests to everything but the endpoint, by route. */
export function logRoutes(log: Log, fastify: FastifyInstance): void {
  fastify.addHook("onResponse", async (request, reply) => {
    const route = routeOf(request);
    const level = route !== null && probeRoutes.has(route) ? "debug" : "info";
    log[level]("request", { route, status: reply.statusCode, ms: rounded(reply.elapsedTime) });
  });
}

export const logDefects =
  (log: Log): OnDefect =>
  (error, operation) => {
    const reference = randomUUID();
    logBroken(log, "internal error", { operation, reference }, error);
    return reference;
  };

/**
 * While the database does not answer, that is no defect. The status of a streamed reply has been sent
 * already, so its error arrives here.
 */
function logBroken(log: Log, message: string, line: Parameters<Log["warn"]>[1], error: unknown): void {
  if (error instanceof StoreUnavailable)
    log.warn("streamed response aborted", { ...line, outcome: "Unavailable" }, error);
  else log.error(message, line, error);
}

const MINUTE_MS = 60_000;

const droppedBecause: Readonly<Record<Dropped | "unread", string>> = {
  full: "connections refused: too many open, none idle",
  pipelined: "connections closed: too many pipelined requests",
  idle: "idle connections closed: too many open",
  share: "connections refused: too many from one client",
  unread: "connections closed: too many unread responses",
};

/** Each reason at most once a minute, because thousands of connections may be dropped in a row. */
export function logDropped(log: Log, clock: MonotonicClock): (why: Dropped | "unread") => void {
  const next = new Map<string, number>();
  return (why) => {
    if (clock() < (next.get(why) ?? Number.NEGATIVE_INFINITY)) return;
    next.set(why, clock() + MINUTE_MS);
    log.warn(droppedBecause[why]);
  };
}

/**
 * Writes that failed because the database does not answer. The log has the cause at most once a minute: not
 * every request has a line with its error.
 */
export class FailedWrites {
  readonly #log: Log;
  readonly #clock: MonotonicClock;
  #nextLine = Number.NEGATIVE_INFINITY;
  #last: { readonly error: DiskFailed; readonly at: number } | null = null;

  constructor(log: Log, clock: MonotonicClock) {
    this.#log = log;
    this.#clock = clock;
  }

  failed(error: Error): void {
    if (!(error instanceof StoreUnavailable)) return;
    const now = this.#clock();
    if (error instanceof DiskFailed) this.#last = { error, at: now };
    if (now < this.#nextLine) return;
    this.#nextLine = now + MINUTE_MS;
    this.#log.warn("write failed", {}, error);
  }

  /** The last failure of the disk, if it was within the last minute. */
  get ofDisk(): DiskFailed | null {
    return this.#last !== null && this.#clock() - this.#last.at < MINUTE_MS ? this.#last.error : null;
  }
}
