/**
 * The composition root: with the modules of this folder the only one that knows all others. It opens the
 * database and, because both take as long, loads the rest of the service meanwhile.
 */
import { type Limits, limitsFor } from "#admission/limits.ts";
import type { Clocks } from "#domain/clocks.ts";
import type { StoreWatch } from "#domain/ports/store.ts";
import { openStore } from "./database.ts";
import type { Log } from "./log/log.ts";
import { FailedWrites } from "./log/request-log.ts";
import { createMetrics } from "./monitoring.ts";
import type { Running } from "./service.ts";
import type { Config } from "./settings/config.ts";
import { certificateOf } from "./tls.ts";

const systemClocks: Clocks = { wall: Date.now, monotonic: () => performance.now() };

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
  const opening = openStore(config, watch, {
    mayMigrate: true,
    onMigrate: (versions) => log.info("database migration started", { ...versions }),
    onWaiting: (reason) => log.warn("waiting for the database", { reason }),
  });
  const [store, { serveStore }] = await Promise.all([opening, import("./service.ts")]);
  try {
    return await serveStore({ config, log, store, failedWrites, metrics, clocks, limits, certificate });
  } catch (error) {
    await store.close();
    throw error;
  }
}
