/**
 * The composition root: the only module that knows all others. It assembles the service from the settings,
 * starts and stops it.
 */
import cluster from "node:cluster";
import { type Limits, limitsFor } from "#admission/limits.ts";
import { Addresses } from "#asmx/addresses.ts";
import { contract } from "#contract/operations.ts";
import { SHORT_KEY_WARNING } from "#domain/access/key.ts";
import type { Clocks } from "#domain/clocks.ts";
import type { Store, StoreWatch } from "#domain/ports/store.ts";
import { createBackgroundWork } from "./background-work.ts";
import { openStore } from "./database.ts";
import { type FirstStart, makeFirstAccount } from "./first-start.ts";
import type { Log } from "./log/log.ts";
import { FailedWrites } from "./log/request-log.ts";
import { startMaintenance } from "./maintenance.ts";
import { createMetrics, isMonitored, type MetricsPort, serveMetrics } from "./monitoring.ts";
import type { Parts } from "./parts.ts";
import { createServer } from "./server.ts";
import { type Config, variableOf } from "./settings/config.ts";
import { certificateOf, startCertificateReload } from "./tls.ts";

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

export async function serve(
  config: Config,
  log: Log,
  clocks: Clocks = systemClocks,
  limits: Limits = limitsFor(config.bodyLimit),
): Promise<Running> {
  const certificate = await certificateOf(config);
  const metrics = createMetrics();
  const failedWrites = new FailedWrites(log, clocks.monotonic);
  const watch: StoreWatch = {
    committed: (writes, ms) => metrics.storage.committed(writes, ms),
    failed: (error) => failedWrites.failed(error),
    read: (rows) => metrics.storage.read(rows),
  };
  const store = await openStore(config, watch, {
    mayMigrate: true,
    onMigrate: (versions) => log.info("database migration started", { ...versions }),
    onWaiting: (reason) => log.warn("waiting for the database", { reason }),
  });
  try {
    return await serveStore({ config, log, store, failedWrites, metrics, clocks, limits, certificate });
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function serveStore(parts: Parts): Promise<Running> {
  const { config, log, store, metrics, certificate } = parts;
  const clock = parts.clocks.wall;
  const addresses = new Addresses({ ...config, scheme: certificate === null ? "http" : "https" });
  const background = createBackgroundWork(parts, () => addresses.local);
  const { server, authenticator, users, collector, scrape, wsdlWatch, closing } = createServer(
    parts,
    addresses,
    background,
  );
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
  background.start();
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
      await Promise.all([server.close(DRAIN_MS), background.stopSending()]);
      // Reading from a closed store would open it again.
      collector.stop();
      wsdlWatch.stop();
      await background.stopJobs();
      await maintenance.stop();
      await store.close();
      log.info("stopped");
    },
  };
}
