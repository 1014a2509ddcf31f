/**
 * Caches readiness for one second, and runs the checks once for concurrent probes. Otherwise frequent probes
 * would keep the database and the disk busy.
 */
import type { MonotonicClock } from "#domain/clocks.ts";
import { type Check, type CheckName, type ReadinessOptions, readiness } from "./readiness.ts";

const CACHE_MS = 1000;

export interface CachedReadinessOptions extends Omit<ReadinessOptions, "onFailure"> {
  readonly clock: MonotonicClock;
  /**
   * Called when the set of failing checks changes: for the log, which should not repeat itself for every
   * probe.
   */
  readonly onChange: (failed: readonly CheckName[], cause: unknown) => void;
}

export function cachedReadiness(options: CachedReadinessOptions): () => Promise<readonly Check[]> {
  const { clock, onChange } = options;
  let last: Promise<readonly Check[]> | null = null;
  let isRunning = false;
  let cachedAt = 0;
  let failing = "";

  const runChecks = async (): Promise<readonly Check[]> => {
    let cause: unknown;
    isRunning = true;
    try {
      const onFailure = (error: unknown): void => {
        cause ??= error;
      };
      const checks = await readiness({ ...options, onFailure });
      const failed = checks.flatMap(({ name, status }) => (status === "failed" ? [name] : []));
      if (failed.join() !== failing) onChange(failed, cause);
      failing = failed.join();
      return checks;
    } finally {
      isRunning = false;
      cachedAt = clock();
    }
  };
  return () => {
    const isFresh = clock() - cachedAt < CACHE_MS;
    if (last === null || !(isRunning || isFresh)) last = runChecks();
    return last;
  };
}
