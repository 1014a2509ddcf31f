/**
 * Several worker processes on one port. If the first one starts, the others are started; a worker that exits
 * is replaced, and a signal ends them all. Workers share nothing but the database.
 */
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { databaseName } from "#app/database.ts";
import type { Log } from "#app/log/log.ts";
import type { Config } from "#app/settings/config.ts";
import { Failure } from "../../kit/command.ts";
import { signalled } from "../../kit/signals.ts";
import { type Served, startupBanner } from "./startup-banner.ts";

const RESTART_MS = 1000;
const LONGEST_RESTART_MS = 16_000;

/** Backoff: a worker that fails at every start must not be restarted in a tight loop. */
export const restartDelay = (failedStarts: number): number =>
  Math.min(RESTART_MS * 2 ** failedStarts, LONGEST_RESTART_MS);

/** In a worker: reports that it is ready. */
export const reportServed = (running: Served): void => {
  const { endpoint, port, firstStart, consoleAddress, demo } = running;
  process.send?.({ endpoint, port, firstStart, consoleAddress, demo } satisfies Served);
};

/** What a worker reports; null if it exited before. */
async function served(worker: Worker): Promise<Served | null> {
  const ended = once(worker, "exit").then(() => null);
  const reported = new Promise<Served>((resolve) => {
    worker.on("message", (message: object) => {
      if ("endpoint" in message) resolve(message as Served);
    });
  });
  return Promise.race([reported, ended]);
}

export async function runWorkers(config: Config, log: Log): Promise<void> {
  // Imported here, so that other commands need not load them.
  const { startCertificateReloadForWorkers: keepRenewedForWorkers } = await import("#app/tls.ts");
  const { createMetrics, metricsScrape, serveMetrics } = await import("#app/monitoring.ts");
  const { WorkersMetrics } = await import("#metrics/workers.ts");
  const { relayWsdlReads } = await import("#app/calls/wsdl-watch.ts");
  // An invalid setting is reported by the primary, whose exit code shows that it was one.
  const stopRenewing = await keepRenewedForWorkers(config, log);
  try {
    const { registry } = createMetrics();
    const workers = new WorkersMetrics(registry);
    relayWsdlReads();
    const metrics = await serveMetrics(
      config,
      log,
      metricsScrape(config, log, () => workers.text()),
    );
    try {
      await runUntilSignalled(config, log);
    } finally {
      metrics.close();
    }
  } finally {
    stopRenewing();
  }
}

async function runUntilSignalled(config: Config, log: Log): Promise<void> {
  // From the start: the first worker already serves while others are still starting.
  const isToEnd = signalled();
  const ending = new AbortController();
  let first: Served | null = null;
  /** Starts a worker, and another one in its place when it ends. */
  const fork = (failedStarts = 0): Promise<Served | null> => {
    const worker = cluster.fork();
    const reported = served(worker);
    const replace = async (code: number, signal: string): Promise<void> => {
      const failed = (await reported) === null ? failedStarts + 1 : 0;
      if (ending.signal.aborted || first === null) return;
      const restartMs = restartDelay(failed);
      log.error("worker exited, restarting", { worker: worker.process.pid, code, signal, restartMs });
      await delay(restartMs, undefined, { signal: ending.signal }).then(
        () => fork(failed),
        () => null,
      );
    };
    worker.once("exit", (code, signal) => void replace(code, signal));
    return reported;
  };
  const isEnding = (): boolean => ending.signal.aborted;
  const start = async (): Promise<void> => {
    first = await fork();
    if (isEnding()) return;
    // The worker has already reported why.
    if (first === null) throw new Failure("the first worker could not start");
    await Promise.all(Array.from({ length: config.workers - 1 }, () => fork()));
    const banner = startupBanner(first, config, await databaseName(config.database));
    if (!isEnding()) process.stdout.write(banner);
  };
  await Promise.race([isToEnd, start().then(() => isToEnd)]);
  ending.abort();
  await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => end(worker)));
  log.info("stopped");
  await log.flush();
}

async function end(worker: Worker | undefined): Promise<void> {
  if (worker === undefined || worker.isDead()) return;
  const exited = once(worker, "exit");
  worker.process.kill("SIGTERM");
  await exited;
}
