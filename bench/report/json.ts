/** The report for programs, `bench/results/latest.json`: every sample of every round. */
import { figures } from "../figures.ts";
import { subjects } from "../subjects.ts";
import { kindOf, type Report } from "./report.ts";

export function inJson({ startedAt, minutes, options, absent, machine, results, judged }: Report): string {
  const measured = results.figures.map((figure) => ({
    figure,
    ...figures[figure],
    subjects: results.subjectsOf(figure).map((subject) => ({
      subject,
      label: subjects[subject].label,
      rounds: results.samples(figure, subject),
    })),
  }));
  const verdicts = judged.map(
    ({ target: { title, unit, is, must: mustBe, aim: aimAt }, worst, rounds, spread, must, aim }) => ({
      title,
      unit,
      is,
      worst,
      rounds,
      spread,
      must: mustBe === null ? null : { mark: mustBe, verdict: must },
      aim: aimAt === null ? null : { mark: aimAt, verdict: aim },
    }),
  );
  const value = { startedAt, minutes, kind: kindOf(options), machine, absent, judged: verdicts, measured };
  return `${JSON.stringify(value, null, 2)}\n`;
}
