/**
 * Says where a program reads the WSDL and does not call: one line of the log and a number. Of several workers
 * any one may get the call, so they tell each other, by way of the primary.
 */
import cluster from "node:cluster";
import type { IncomingMessage } from "node:http";
import { type Caller, type Change, WsdlReads } from "./asmx/wsdl-reads.ts";
import type { MonotonicClock } from "./domain/clocks.ts";
import type { ClientAddresses } from "./http/client-address.ts";
import type { Log } from "./log.ts";
import type { ServiceMetrics } from "./metrics/service-metrics.ts";
import { plainWords } from "./plain-words.ts";

const SWEEP_MS = 60_000;

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
  const reads = new WsdlReads({
    clock,
    onUnfollowed: ({ client, userAgent, reads: count }) => {
      metrics.traffic.wsdlUnfollowed();
      const user_agent = userAgent === null ? null : plainWords(userAgent);
      log.warn("wsdl fetched, no call followed", { client, user_agent, reads: count });
    },
    onChange: (change) => {
      if (cluster.isWorker) process.send?.({ wsdlReads: change }, undefined, undefined, () => {});
    },
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
      if (reads.hasPending) reads.called(callerOf(request));
    },
    stop: () => {
      clearInterval(timer);
      process.off("message", onMessage);
    },
  };
}

/** What goes between the processes; other messages are none of ours. */
interface Message {
  readonly wsdlReads: Change;
}
const isOurs = (message: unknown): message is Message =>
  typeof message === "object" && message !== null && "wsdlReads" in message;

/** In the primary: what one worker tells, all others hear. */
export function relayWsdlReads(): void {
  cluster.on("message", (from, message: unknown) => {
    if (!isOurs(message)) return;
    for (const worker of Object.values(cluster.workers ?? {}))
      if (worker !== undefined && worker.id !== from.id && worker.isConnected())
        worker.send(message, () => {});
  });
}
