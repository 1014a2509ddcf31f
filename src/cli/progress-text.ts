/** How far long work is, in one line: millions fit into the 80 columns of a terminal. */
import { formatNumber } from "./numbers.ts";

export { formatNumber as count } from "./numbers.ts";

export const duration = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;

export interface Stand {
  /** What is being done, and to how much of it. */
  readonly what: string;
  /** Of the whole, from 0 to 1; null where nobody knows how much that is. */
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
