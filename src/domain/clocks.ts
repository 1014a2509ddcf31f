/** The two kinds of clock: wall clock for stored times, monotonic clock for ages within one process. */

/** The wall clock, in milliseconds since 1970. */
export type Clock = () => number;
/** Monotonic milliseconds with an arbitrary origin: for caches and limits of one process. */
export type MonotonicClock = () => number;

export interface Clocks {
  /** The wall clock, for stored times and comparisons with them; it may be set back. */
  readonly wall: Clock;
  readonly monotonic: MonotonicClock;
  /** How the brute-force guard waits; a timer unless given. */
  readonly pause?: (ms: number) => Promise<unknown>;
}
