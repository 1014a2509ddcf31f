/** The report of the budget, `bench/results/budget.md`. */
import { amount, percent } from "../report/numbers.ts";
import { median, spread } from "../statistics.ts";
import { ALLOWED, BASE } from "./base.ts";

/** CPU per call of both versions, in milliseconds, round by round. */
export interface Spent {
  readonly title: string;
  readonly base: readonly number[];
  readonly now: readonly number[];
}

const ratios = ({ base, now }: Spent): readonly number[] => now.map((ms, i) => ms / (base[i] ?? Number.NaN));
export const isKept = (spent: Spent): boolean => median(ratios(spent)) <= ALLOWED;

const cells = (spent: Spent): readonly string[] => [
  spent.title,
  amount(median(spent.base) * 1000),
  amount(median(spent.now) * 1000),
  `${amount(median(ratios(spent)))} ×`,
  percent(spread(ratios(spent))),
  isKept(spent) ? "kept" : "exceeded",
];
const head = [
  "CPU per call",
  `at ${BASE}, µs`,
  "now, µs",
  "middle of the ratios",
  "their spread",
  `at most ${ALLOWED} ×`,
];

export function budgetReport(all: readonly Spent[], on: Date): string {
  const line = (row: readonly string[]): string => `| ${row.join(" | ")} |`;
  return `# The budget for CPU per call

Measured on ${on.toISOString().slice(0, 10)}: this version against commit ${BASE}, alternately, in ${all[0]?.now.length ?? 0} rounds.
What it is for: [bench/README.md](../README.md).

${[line(head), line(head.map((_, i) => (i === 0 ? "---" : "---:"))), ...all.map((spent) => line(cells(spent)))].join("\n")}
`;
}
