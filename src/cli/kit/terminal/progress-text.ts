/** Progress of a long task in one line, which fits into 80 columns even with millions of rows. */
import { formatNumber } from "./numbers.ts";

export const duration = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;

export interface Stand {
  /** The current step, and how much of it is done. */
  readonly what: string;
  /** Fraction that is done, from 0 to 1; null if the total is not known. */
  readonly part: number | null;
  readonly rows: number;
  readonly elapsedMs: number;
}

const BAR = 10;

export function progressText({ what, part, rows, elapsedMs }: Stand): string {
  const seconds = Math.max(elapsedMs / 1000, 0.001);
  const words = [what, `${formatNumber(Math.round(rows / seconds))}/s`];
  if (part === null) return words.join(" ");
  const done = Math.min(part, 1);
  const bar = "#".repeat(Math.floor(done * BAR)).padEnd(BAR, "-");
  const left = rows === 0 || done === 0 ? [] : [`${duration((seconds * (1 - done)) / done)} left`];
  return [`[${bar}] ${Math.floor(done * 100)}%`, ...words, ...left].join(" ");
}
