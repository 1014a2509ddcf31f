/**
 * Periodic maintenance while the service runs. A failure is logged, and the task runs again at its next
 * interval.
 */
import type { Authenticator } from "../auth/authenticator.ts";
import type { Clock } from "../domain/clocks.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Log } from "./log.ts";

const PURGE_MS = 3_600_000;
const FLUSH_MS = 5000;
const SWEEP_MS = 1000;

export interface MaintenanceOptions {
  readonly store: Store;
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  readonly log: Log;
}
export interface Maintenance {
  /** To be called before the store is closed: writes what is still pending. */
  stop(): Promise<void>;
}

/** Resolves when expired refused calls have been purged for the first time. */
export async function startMaintenance({
  store,
  authenticator,
  clock,
  log,
}: MaintenanceOptions): Promise<Maintenance> {
  const purge = () =>
    store.refusals
      .purge({ now: clock() })
      .catch((error) => log.warn("purge of refused calls failed", {}, error));
  const flush = () =>
    authenticator.usage.flush().catch((error) => log.warn("write of key usage failed", {}, error));
  await purge();
  const timers = [
    setInterval(() => void purge(), PURGE_MS),
    setInterval(() => void flush(), FLUSH_MS),
    setInterval(() => authenticator.sweep(), SWEEP_MS),
  ];
  return {
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      await flush();
    },
  };
}
