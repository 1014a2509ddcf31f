/**
 * Reports programs that read the WSDL and do not call, in the log and in a metric. With several workers, the
 * call may arrive at another worker than the read, so workers share these events through the primary process.
 */
import cluster from "node:cluster";
import type { IncomingMessage } from "node:http";
import { type Change, WsdlReads } from "#asmx/wsdl-use/reads.ts";
import type { Caller } from "#asmx/wsdl-use/recent-calls.ts";
import type { MonotonicClock } from "#domain/clocks.ts";
import type { ClientAddresses } from "#http/client-address.ts";
import type { ServiceMetrics } from "#metrics/service-metrics.ts";
import type { Log } from "../log/log.ts";
import { plainWords } from "../log/log.ts";

const SWEEP_MS = 60_000;
const DAY_MS = 86_400_000;
/** Per process. A client that reads the WSDL with many User-Agents must not flood the log. */
export const MAX_LINES_A_DAY = 1000;

export interface WsdlWatchOptions {
  readonly clock: MonotonicClock;
  readonly clients: ClientAddresses;
  readonly metrics: ServiceMetrics;
  readonly log: Log;
}
export interface WsdlWatch {
  readonly onWsdlRead: (request: IncomingMessage) => void;
  readonly onPost: (request: IncomingMessage) => void;
  stop(): void;
}

export function watchWsdlReads({ clock, clients, metrics, log }: WsdlWatchOptions): WsdlWatch {
  const lines = new LinesADay(clock);
  const broadcast = (change: Change): void => {
    process.send?.({ wsdlReads: change }, undefined, undefined, () => {});
  };
  const reads = new WsdlReads({
    clock,
    onUnfollowed: ({ client, userAgent, reads: count }) => {
      metrics.traffic.wsdlUnfollowed();
      const nth = lines.next();
      if (nth > MAX_LINES_A_DAY) return;
      const user_agent = userAgent === null ? null : plainWords(userAgent);
      log.warn("wsdl fetched, no call followed", { client, user_agent, reads: count });
      if (nth === MAX_LINES_A_DAY) log.warn("wsdl reads no longer logged today", { lines: nth });
    },
    ...(cluster.isWorker ? { onChange: broadcast } : {}),
  });
  const callerOf = (request: IncomingMessage): Caller => ({
    client: clients.of(request),
    userAgent: request.headers["user-agent"],
  });
  const onMessage = (message: unknown): void => {
    if (isOurs(message)) reads.apply(message.wsdlReads);
  };
  if (cluster.isWorker) process.on("message", onMessage);
  const timer = setInterval(() => reads.sweep(), SWEEP_MS).unref();
  return {
    onWsdlRead: (request) => reads.read(callerOf(request)),
    onPost: (request) => {
      if (reads.wantsCalls) reads.called(callerOf(request));
    },
    stop: () => {
      clearInterval(timer);
      process.off("message", onMessage);
    },
  };
}

/** Numbers the lines of a day from 1; a day begins with its first line. */
class LinesADay {
  readonly #clock: MonotonicClock;
  #until = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(clock: MonotonicClock) {
    this.#clock = clock;
  }

  next(): number {
    const now = this.#clock();
    if (now >= this.#until) {
      this.#until = now + DAY_MS;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count;
  }
}

/** A message between the processes; metrics and certificates have others. */
interface Message {
  readonly wsdlReads: Change;
}
const isOurs = (message: unknown): message is Message =>
  typeof message === "object" && message !== null && "wsdlReads" in message;

/** In the primary process: forwards the events of one worker to all others. */
export function relayWsdlReads(): void {
  cluster.on("message", (from, message: unknown) => {
    if (!isOurs(message)) return;
    for (const worker of Object.values(cluster.workers ?? {}))
      if (worker !== undefined && worker.id !== from.id && worker.isConnected())
        worker.send(message, () => {});
  });
}
