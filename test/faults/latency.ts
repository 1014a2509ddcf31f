/** Median, 99th percentile and maximum of durations. */
import { number } from "../reliability-page.ts";

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const latency = (ms: readonly number[]): string =>
  ms.length === 0 ? "–" : [0.5, 0.99, 1].map((share) => number(quantile(ms, share))).join(" / ");
