/** The rows of both tables as text, without their layout. */
import { type FigureId, figures } from "../figures.ts";
import type { Judged } from "../judge.ts";
import type { Sample } from "../measure/sample.ts";
import type { Results } from "../results.ts";
import { median, spread } from "../statistics.ts";
import { type SubjectId, subjects } from "../subjects.ts";
import { amount, percent } from "./numbers.ts";

interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

interface Column {
  readonly title: string;
  readonly pick: (sample: Sample) => number | null;
  readonly of: (values: readonly number[]) => number;
}

const highest = (values: readonly number[]): number => Math.max(...values);
/** What a sample may hold beside its value. */
const columns: readonly Column[] = [
  { title: "CPU, ms per request", pick: ({ cpuMs }) => cpuMs, of: median },
  { title: "99th percentile, ms", pick: ({ p99Ms }) => p99Ms, of: median },
  { title: "first byte, ms", pick: ({ firstByteMs }) => firstByteMs, of: highest },
  { title: "memory when idle, MiB", pick: ({ idleMiB }) => idleMiB, of: median },
  { title: "peak memory above idle, MiB", pick: ({ overIdleMiB }) => overIdleMiB, of: highest },
];

/** The subject that the others are compared with: Mailroll, or the smallest of several sizes. */
const measureOf = (all: readonly SubjectId[]): SubjectId | undefined =>
  all.find((subject) => subject === "mailroll") ?? all[0];

export function measuredTable(results: Results, figure: FigureId): Table {
  const all = results.subjectsOf(figure);
  const samplesOf = (subject: SubjectId): readonly Sample[] => results.samples(figure, subject);
  const shown = columns.filter(({ pick }) =>
    all.some((subject) => samplesOf(subject).some((one) => pick(one) !== null)),
  );
  const reference = measureOf(all);
  const middleOf = (subject: SubjectId): number => median(samplesOf(subject).map(({ value }) => value));
  const cell = (subject: SubjectId, { pick, of }: Column): string => {
    const values = samplesOf(subject)
      .map(pick)
      .filter((value) => value !== null);
    return values.length === 0 ? "" : amount(of(values));
  };
  return {
    head: [
      "",
      figures[figure].unit,
      "spread",
      reference === undefined ? "" : `against ${subjects[reference].label}`,
      ...shown.map(({ title }) => title),
    ],
    rows: all.map((subject) => [
      subjects[subject].label,
      amount(middleOf(subject)),
      percent(spread(samplesOf(subject).map(({ value }) => value))),
      reference === undefined || subject === reference
        ? ""
        : `${amount(middleOf(subject) / middleOf(reference))} ×`,
      ...shown.map((column) => cell(subject, column)),
    ]),
  };
}

export const judgedHead = ["", "worst of three rounds", "spread", "required", "", "goal", ""] as const;

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
