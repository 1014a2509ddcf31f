/** The two kinds of time. What is stored has dates; what one process keeps has ages. */
import type { Clock } from "./ports.ts";

/** Milliseconds that only ever go forward, from anywhere: for what one process keeps, such as caches and limits. */
export type MonotonicClock = () => number;

export interface Clocks {
  /** For what is stored, or compared with it; it may be put back. */
  readonly wall: Clock;
  readonly monotonic: MonotonicClock;
}
