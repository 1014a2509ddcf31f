/** The result of a dry run: numbers, and some rows of the file for each outcome. */
import type { SampleRow } from "#admin/imports/import-jobs.ts";
import type { CountedAs, ImportCounts } from "#domain/import/batch.ts";
import type { Job } from "#domain/job/job.ts";
import { membersOf } from "#domain/job/result.ts";
import { notice } from "#html/components/feedback.ts";
import { section } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { isolated } from "#html/names.ts";
import type { Formats } from "../../kit/formats.ts";
import * as outcomeTexts from "./outcomes.texts.ts";
import { figures, outcomeTable, reasonTable, rejectedTable, sentences } from "./outcomes.ts";
import * as texts from "./upload/upload.texts.ts";

const numbersOf = (value: unknown): readonly number[] => (Array.isArray(value) ? (value as number[]) : []);

/** What a job that has ended says about the rows; null if it says nothing. */
export interface Report {
  readonly counts: ImportCounts;
  readonly reasons: readonly (readonly [string, number])[];
  /** The upload with rejected rows. */
  readonly rejected: number | null;
  readonly samples: ReadonlyMap<CountedAs, readonly number[]>;
  readonly mislabelled: number;
  readonly isPartial: boolean;
}
export function reportOf({ result }: Pick<Job, "result">): Report | null {
  if (result?.counts === undefined) return null;
  const rejected = membersOf(result.rejected);
  const samples = Object.entries(membersOf(result.samples)) as [CountedAs, unknown][];
  return {
    counts: result.counts as unknown as ImportCounts,
    reasons: Object.entries(membersOf(rejected.reasons)).map(
      ([reason, rows]) => [reason, Number(rows)] as const,
    ),
    rejected: typeof rejected.upload === "number" ? rejected.upload : null,
    samples: new Map(samples.map(([outcome, lines]) => [outcome, numbersOf(lines)])),
    mislabelled: typeof result.mislabelled === "number" ? result.mislabelled : 0,
    isPartial: result.isPartial === true,
  };
}
export const sampledLines = ({ samples }: Report): readonly number[] => [...samples.values()].flat();

interface Rows {
  /** Of the file, by line. */
  readonly samples: readonly SampleRow[];
  /** Of the table of rejected rows. */
  readonly rejected: readonly SampleRow[];
}

function samplesOf(lines: readonly number[], rows: readonly SampleRow[], formats: Formats): Html | null {
  if (lines.length === 0) return null;
  const shown = lines.map((line) => ({ line, cells: rows.find((row) => row.line === line)?.cells ?? [] }));
  return html`<details class="samples"><summary>${texts.samples}</summary><ul>${shown.map(
    ({ line, cells }) =>
      html`<li><span class="sample-line">${texts.sampleLine(formats.number(line))}</span> ${cells.filter(Boolean).map(isolated).join(" · ")}</li>`,
  )}</ul></details>`;
}

/** `next`: what to do with it. */
export function reportPart(report: Report, rows: Rows, formats: Formats, next: Html): Html {
  const { counts, reasons, samples, mislabelled, isPartial } = report;
  const shown = { counts, isDone: false, formats };
  const outcomes = outcomeTable(texts.outcomes, shown, (outcome) =>
    samplesOf(samples.get(outcome) ?? [], rows.samples, formats),
  );
  return html`<div class="stack">${figures(shown)}${sentences(shown)}${
    isPartial ? notice("info", texts.partial) : null
  }${mislabelled > 0 ? notice("warning", texts.mislabelled(formats.number(mislabelled))) : null}${next}</div>
${outcomes === null ? null : section(texts.outcomes, outcomes)}
${reasons.length === 0 ? null : section(outcomeTexts.reasons, reasonTable(reasons, formats))}
${rows.rejected.length === 0 ? null : section(outcomeTexts.firstRejected, rejectedTable(rows.rejected))}`;
}
