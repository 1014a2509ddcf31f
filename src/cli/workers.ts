/**
 * Several processes on one port: the first one that starts tells whether the others can, one that dies is replaced, and
 * a signal ends them all. Workers share nothing but the database.
 */
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import { Failure } from "./command.ts";
import { greeting, type Served } from "./greeting.ts";
import { signalled } from "./signals.ts";

/** One that dies at every start must not be started as fast as it dies. */
const RESTART_MS = 1000;

/** In a worker: it serves now. */
export const reportServed = ({ endpoint, port, firstStart }: Served): void => {
  process.send?.({ endpoint, port, firstStart } satisfies Served);
};

/** What a worker reports, or null where it ended before it could. */
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
  // Only here: every other command would have to load them too.
  const { certificateOf } = await import("../tls.ts");
  const { createMetrics, metricsScrape, serveMetrics } = await import("../monitoring.ts");
  const { WorkersMetrics } = await import("../metrics/workers.ts");
  // A wrong setting is said by the process whose exit code tells that it was one.
  certificateOf(config);
  const { registry } = createMetrics();
  const workers = new WorkersMetrics(registry);
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
}

async function runUntilSignalled(config: Config, log: Log): Promise<void> {
  // From the start: while others are still starting, the first one serves already.
  const isToEnd = signalled();
  let isEnding = false;
  const start = async (): Promise<void> => {
    const first = await served(cluster.fork());
    if (isEnding) return;
    // It has said why itself.
    if (first === null) throw new Failure("the first worker could not start");
    cluster.on("exit", (worker, code, signal) => {
      if (isEnding) return;
      log.error("a worker ended, and is replaced", { worker: worker.process.pid, code, signal });
      setTimeout(() => {
        if (!isEnding) cluster.fork();
      }, RESTART_MS);
    });
    const others = Array.from({ length: config.workers - 1 }, () => served(cluster.fork()));
    await Promise.all(others);
    if (!isEnding) process.stdout.write(greeting(first, config));
  };
  await Promise.race([isToEnd, start().then(() => isToEnd)]);
  isEnding = true;
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
