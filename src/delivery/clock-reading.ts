/**
 * Times that all threads of this process can compare, also after it was suspended: stopped and continued, or
 * with a machine that slept. The monotonic clock does not run while the machine sleeps, and the wall clock
 * can be set. So both are read, and only what is recent by both of them is recent.
 */
export interface ClockReading {
  readonly monotonic: number;
  readonly wall: number;
}

export const readClocks = (): ClockReading => ({
  monotonic: Number(process.hrtime.bigint() / 1_000_000n),
  wall: Date.now(),
});

/** Within `ms` before now. A wall clock that was set by more than that makes it false, too. */
export function isWithin(ms: number, before: ClockReading, now = readClocks()): boolean {
  return now.monotonic - before.monotonic <= ms && Math.abs(now.wall - before.wall) <= ms;
}

/** Another process takes over batches after 20 seconds, see `runner/batch.ts`. */
const SUSPENDED_MS = 10_000;
const LOOK_MS = 1000;
let suspensions = 0;
let seen: ClockReading | null = null;
function look(): void {
  const now = readClocks();
  if (seen !== null && !isWithin(SUSPENDED_MS, seen, now)) suspensions += 1;
  seen = now;
}

/** How often this thread was suspended for ten seconds. It counts from the first call on. */
export function countSuspensions(): number {
  if (seen === null) setInterval(look, LOOK_MS).unref();
  look();
  return suspensions;
}
