/** The rows of both tables, as text; how a table looks is not known here. */
import { type FigureId, figures } from "../figures.ts";
import type { Judged } from "../judge.ts";
import type { Sample } from "../measure/sample.ts";
import type { Results } from "../results.ts";
import { median, spread } from "../statistics.ts";
import { subjects } from "../subjects.ts";
import { amount, percent } from "./numbers.ts";

export const measuredHead = (figure: FigureId): readonly string[] => [
  "",
  figures[figure].unit,
  "spread",
  "Mailroll is",
  "CPU ms a request",
  "99th percentile ms",
  "first byte ms",
  "idle MiB",
  "peak over idle MiB",
];

const some = (samples: readonly Sample[], pick: (sample: Sample) => number | null): readonly number[] =>
  samples.map(pick).filter((value) => value !== null);
const middle = (values: readonly number[]): string => (values.length === 0 ? "" : amount(median(values)));
const highest = (values: readonly number[]): string =>
  values.length === 0 ? "" : amount(Math.max(...values));

export function measuredRows(results: Results, figure: FigureId): readonly (readonly string[])[] {
  const valuesOf = (subject: (typeof all)[number]) =>
    results.samples(figure, subject).map(({ value }) => value);
  const all = results.subjectsOf(figure);
  const ours = all.includes("mailroll") ? median(valuesOf("mailroll")) : null;
  return all.map((subject) => {
    const samples = results.samples(figure, subject);
    const values = valuesOf(subject);
    const isMoreBetter = figures[figure].unit === "per second";
    const theirs = median(values);
    const ratio =
      ours === null || subject === "mailroll"
        ? ""
        : `${amount(isMoreBetter ? ours / theirs : theirs / ours)} ×`;
    return [
      subjects[subject].label,
      amount(theirs),
      percent(spread(values)),
      ratio,
      middle(some(samples, ({ cpuMs }) => cpuMs)),
      middle(some(samples, ({ p99Ms }) => p99Ms)),
      highest(some(samples, ({ firstByteMs }) => firstByteMs)),
      middle(some(samples, ({ idleMiB }) => idleMiB)),
      highest(some(samples, ({ overIdleMiB }) => overIdleMiB)),
    ];
  });
}

export const judgedHead = ["", "worst of three", "spread", "must", "", "aim", ""] as const;

export function judgedRow({ target, worst, spread: apart, must, aim }: Judged): readonly string[] {
  const sign = target.is === "at least" ? "≥" : "≤";
  const mark = (value: number | null): string => (value === null ? "" : `${sign} ${value} ${target.unit}`);
  return [
    target.title,
    worst === null ? "–" : `${amount(worst)} ${target.unit}`,
    apart === null ? "" : percent(apart),
    mark(target.must),
    must ?? "",
    mark(target.aim),
    aim ?? "",
  ];
}
