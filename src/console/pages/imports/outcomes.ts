/** The counts of an import or a dry run: as figures, in sentences, and row by row with examples. */

import { sentence } from "#admin/error-texts.ts";
import { type SampleRow, splitReason } from "#admin/imports/imports.ts";
import type { Preview } from "#admin/imports/start-import.ts";
import { type CountedAs, countsOfRows, type ImportCounts, rowsOf } from "#domain/import/batch.ts";
import type { Job } from "#domain/job/job.ts";
import { leftOutOf, membersOf, reasonsOf } from "#domain/job/result.ts";
import { badge, type Tone } from "#html/components/badge.ts";
import { button } from "#html/components/buttons.ts";
import { notice } from "#html/components/feedback.ts";
import { type Stat, stats } from "#html/components/figures.ts";
import { section } from "#html/components/page-header.ts";
import { type Column, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { isolated } from "#html/names.ts";
import { doing } from "../../kit/form.ts";
import type { Formats } from "../../kit/formats.ts";

export const outcomes: Readonly<
  Record<CountedAs, { readonly label: string; readonly text: (isDone: boolean) => string }>
> = {
  added: {
    label: "Added",
    text: (isDone) => (isDone ? "They are on the list now." : "They will be on the list."),
  },
  alreadyThere: {
    label: "Already there",
    text: (isDone) =>
      isDone
        ? "They were already on the list. Their data was updated from the file."
        : "They are already on the list. Their data will be updated from the file.",
  },
  pending: {
    label: "Not confirmed",
    text: () =>
      "They are on the list, but have not confirmed their subscription. An import does not confirm it.",
  },
  unsubscribed: {
    label: "Unsubscribed",
    text: () => "They have unsubscribed, or the file says so. They get no mail.",
  },
  bounced: { label: "Bounced", text: () => "Mail to them came back. They get no mail." },
  complained: { label: "Complained", text: () => "They reported a mail as spam. They get no mail." },
  blocked: { label: "Blocked", text: () => "Their address is on the block list. They get no mail." },
  erased: {
    label: "Erased",
    text: () => "They were erased here, and must not be mailed. Their row is not stored.",
  },
  leftSince: {
    label: "Left the list",
    text: (isDone) =>
      isDone
        ? "They left this list after the date in the file, and were not added again."
        : "They left this list after the date in the file, and will not be added again.",
  },
  duplicates: {
    label: "Repeated",
    text: () => "A later row of the file has the same address, and counts instead.",
  },
  rejected: {
    label: "Rejected",
    text: (isDone) => (isDone ? "These rows were not imported." : "These rows will not be imported."),
  },
};
export const newBlocks = "Newly blocked";
export const noOps = "Already recorded";
const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many);
export const outcomesTexts = {
  reasons: "Why rows are rejected",
  firstRejected: "The first rejected rows",
  leftOut: "Values that are left out",
};

export const uploadTexts = {
  steps: ["Upload", "Columns", "Dry run", "Import"] as const,
  stepsLabel: "Steps of the import",
  arrived: (size: string, of: string | null): string =>
    of === null ? `${size} uploaded so far.` : `${size} of ${of} uploaded so far.`,
  mislabelled: (lines: string): string =>
    `${lines} ${lines === "1" ? "line is not UTF-8 and was" : "lines are not UTF-8 and were"} read as Western European (Windows-1252). Check names with accents.`,
  splitNames: (names: Preview["names"]): readonly string[] =>
    names.map(
      ({ whole, first, last }) =>
        `"${isolated(whole)}" becomes the first name "${isolated(first)}" and the last name "${isolated(last)}".`,
    ),
  planned: "The list is new: it is created when the import starts.",
};

interface Shown {
  readonly counts: ImportCounts;
  /** Otherwise it is a dry run. */
  readonly isDone: boolean;
  readonly formats: Formats;
}

const sum = (numbers: Readonly<Record<string, number>>): number =>
  Object.values(numbers).reduce((total, one) => total + one, 0);

export function figures({ counts, isDone, formats }: Shown): Html {
  const stat = (label: string, count: number, more: Partial<Stat> = {}): Stat => ({
    ...{ label, value: formats.number(count), ...more },
  });
  const rejected = stat(outcomes.rejected.label, counts.rejected, {
    tone: counts.rejected > 0 ? "warning" : null,
  });
  const rows = stat("Rows", rowsOf(counts));
  if ("recorded" in counts)
    return stats([
      rows,
      stat("Recorded", counts.recorded, { detail: isDone ? "not mailed from now on" : "will not be mailed" }),
      stat(newBlocks, counts.newBlocks),
      stat(noOps, counts.noOps),
      rejected,
    ]);
  return stats([
    rows,
    stat(outcomes.added.label, counts.added, { tone: counts.added > 0 ? "good" : null }),
    stat(outcomes.alreadyThere.label, counts.alreadyThere),
    stat("Not mailed", sum(counts.suppressed), {
      detail: sum(counts.suppressed) > 0 ? "unsubscribed, bounced, complained, blocked or erased" : null,
    }),
    rejected,
  ]);
}

/** Whether anything is, or would be, other than before. */
export const hasEffect = (counts: ImportCounts): boolean =>
  "recorded" in counts
    ? counts.recorded + counts.newBlocks > 0
    : counts.added + counts.newSubscribers + counts.updated.values + counts.newBlocks > 0;

/** What the figures do not say. */
export function sentences({ counts, isDone, formats }: Shown): Html | null {
  if ("recorded" in counts) return null;
  const { newSubscribers, updated, keptNewer, newBlocks, alreadyThere, rejected, suppressed } = counts;
  const wasThere = rejected === 0 && alreadyThere > 0;
  const people = (count: number): string => formats.count(count, "person", "people");
  const values = (count: number): string => formats.count(count, "value");
  const is = (count: number): string => (isDone ? plural(count, "is", "are") : "will be");
  const was = (count: number): string => (isDone ? plural(count, "was", "were") : "will be");
  const [changes, have] = isDone ? ["has updated", "had"] : ["will update", "have"];
  const all = [
    ...(newSubscribers > 0 ? [`${people(newSubscribers)} ${is(newSubscribers)} new in this account.`] : []),
    ...(updated.values > 0
      ? [
          `The file ${changes} ${values(updated.values)} of ${people(updated.subscribers)} who ${have} a profile here.`,
        ]
      : []),
    ...(keptNewer.values > 0
      ? [
          `The file does not replace ${values(keptNewer.values)} of ${people(keptNewer.subscribers)}: those were entered here or by a program, not by an import. To replace them, choose "Use the value from the file" in the settings.`,
        ]
      : []),
    ...(sum(suppressed) > 0
      ? [
          `${people(sum(suppressed))} in the file ${isDone ? plural(sum(suppressed), "stays", "stay") : "will stay"} without mail: opted out, bounced, complained, blocked or erased. An import never changes that.`,
        ]
      : []),
    ...(newBlocks > 0
      ? [`${formats.count(newBlocks, "entry", "entries")} ${was(newBlocks)} added to the block list.`]
      : []),
    ...(hasEffect(counts)
      ? []
      : isDone
        ? ["No row changed anything."]
        : [`No row would change anything${wasThere ? ": was this file imported before?" : "."}`]),
  ];
  if (all.length < 2) return all.length === 0 ? null : html`<p class="description">${all[0] ?? null}</p>`;
  return html`<ul class="sentences">${all.map((one) => html`<li>${one}</li>`)}</ul>`;
}

const tones: Partial<Record<CountedAs, Tone>> = { added: "good", rejected: "bad", alreadyThere: "info" };

/** Each outcome that rows have: how many, what it means, and examples if there are any. */
export function outcomeTable(
  title: string,
  { counts, isDone, formats }: Shown,
  samples: (outcome: CountedAs) => Html | null = () => null,
): Html | null {
  if ("recorded" in counts) return null;
  const found = countsOfRows(counts).filter(([, count]) => count > 0);
  if (found.length === 0) return null;
  const hasSamples = found.some(([outcome]) => samples(outcome) !== null);
  const columns: Column<readonly [CountedAs, number]>[] = [
    { label: title, cell: ([one]) => badge(outcomes[one].label, tones[one] ?? "neutral") },
    { label: "Rows", cell: ([, count]) => formats.number(count), isNumber: true },
    {
      label: "What it means",
      cell: ([one]) => html`${outcomes[one].text(isDone)}${hasSamples ? samples(one) : null}`,
    },
  ];
  return table({ caption: title, rows: found, columns });
}

/** The reasons of rejected rows, the most frequent first, each with the first value. */
export function reasonTable(
  reasons: Report["reasons"],
  rejected: readonly SampleRow[],
  formats: Formats,
): Html {
  const firstOf = (reason: string): string => {
    for (const { cells } of rejected) {
      const { bare, value } = splitReason(cells[1] ?? "");
      if (bare === reason) return `Line ${cells[0] ?? ""}${value === null ? "" : `: ${isolated(value)}`}`;
    }
    return "";
  };
  return table({
    caption: outcomesTexts.reasons,
    rows: reasons,
    columns: [
      { label: "Reason", cell: ([reason]) => reason },
      { label: "Rows", cell: ([, count]) => formats.number(count), isNumber: true },
      ...(rejected.length === 0
        ? []
        : [{ label: "First", cell: ([reason]: Report["reasons"][number]) => firstOf(reason) }]),
    ],
  });
}

type LeftOut = Report["leftOut"];
const MAX_VALUE = 60;
/** The first value of those that are left out, as it is in the file; null: it is not known. */
function firstValue({ heading, lines }: LeftOut[number], { samples, header }: Rows): string | null {
  const index = header === null ? Number(heading) - 1 : header.findIndex((cell) => cell.trim() === heading);
  const value = samples.find(({ line }) => line === lines[0])?.cells[index]?.trim() ?? "";
  return value === "" ? null : isolated(value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)}…` : value);
}

/** Values that are not valid, by column and reason. `file`: absent after the import. */
export function leftOutPart(leftOut: LeftOut, isDone: boolean, formats: Formats, file?: Rows): Html | null {
  if (leftOut.length === 0) return null;
  const lines = (all: readonly number[], values: number): string =>
    `${all.map((line) => formats.number(line)).join(", ")}${values > all.length ? ", …" : ""}`;
  return section(
    outcomesTexts.leftOut,
    table({
      caption: outcomesTexts.leftOut,
      rows: leftOut,
      columns: [
        { label: "Column", cell: ({ heading }) => isolated(heading) },
        { label: "Reason", cell: ({ reason }) => reason },
        ...(file === undefined
          ? []
          : [{ label: "First", cell: (one: LeftOut[number]) => firstValue(one, file) ?? "" }]),
        { label: "Values", cell: ({ values }) => formats.number(values), isNumber: true },
        { label: "Lines of the file", cell: (one) => lines(one.lines, one.values) },
      ],
    }),
    {
      description: isDone
        ? "These people were imported without these values. A value that they had before has stayed."
        : "These people will be imported without these values. A value that they have already stays.",
    },
  );
}

/** In more than a tenth of the rows, it is not a mistake of single rows. */
const MANY = 0.1;
function manyLeftOut({ leftOut, counts }: Report, file: Rows, formats: Formats): readonly Html[] {
  const rows = rowsOf(counts);
  return [...Map.groupBy(leftOut, ({ heading }) => heading)].flatMap(([heading, all]) => {
    const [first] = all;
    const values = all.reduce((total, one) => total + one.values, 0);
    if (first === undefined || values <= rows * MANY) return [];
    const [value, line] = [firstValue(first, file), formats.number(first.lines[0] ?? 0)];
    const example = value === null ? first.reason : first.reason.replace("…", () => `"${value}"`);
    const title = `${formats.number(values)} of ${formats.count(rows, "row")} have an invalid value in the column "${isolated(heading)}"`;
    const form = html`<form method="post">${doing("leave-out")}<input type="hidden" name="heading" value="${heading}">${button({ label: "Leave this column out" })}</form>`;
    return [
      notice(
        "warning",
        title,
        html`<p>For example, in line ${line}: ${example}. The people are imported without it.</p>${form}`,
      ),
    ];
  });
}

/** The first rows of the table of rejected rows: its first two columns are the line and the reason. */
export const rejectedTable = (rows: readonly SampleRow[]): Html =>
  table({
    caption: outcomesTexts.firstRejected,
    rows,
    columns: [
      { label: "Line", cell: ({ cells }) => `Line ${cells[0] ?? ""}` },
      { label: "Reason", cell: ({ cells }) => cells[1] ?? "" },
      {
        label: "Row of the file",
        cell: ({ cells }) => cells.slice(2).filter(Boolean).map(isolated).join(" · "),
      },
    ],
  });

/** The result of a dry run: numbers, and some rows of the file for each outcome. */
const numbersOf = (value: unknown): readonly number[] => (Array.isArray(value) ? (value as number[]) : []);

/** What a job that has ended says about the rows; null if it says nothing. */
export interface Report {
  readonly counts: ImportCounts;
  readonly reasons: readonly (readonly [string, number])[];
  /** The upload with rejected rows. */
  readonly rejected: number | null;
  readonly leftOut: ReturnType<typeof leftOutOf>;
  readonly samples: ReadonlyMap<CountedAs, readonly number[]>;
  readonly mislabelled: number;
  readonly isPartial: boolean;
  readonly notes: readonly string[];
}
export function reportOf({ result }: Pick<Job, "result">): Report | null {
  if (result?.counts === undefined) return null;
  const rejected = membersOf(result.rejected);
  const samples = Object.entries(membersOf(result.samples)) as [CountedAs, unknown][];
  return {
    counts: result.counts as unknown as ImportCounts,
    reasons: reasonsOf(rejected.reasons),
    rejected: typeof rejected.upload === "number" ? rejected.upload : null,
    leftOut: leftOutOf(result.leftOut),
    samples: new Map(samples.map(([outcome, lines]) => [outcome, numbersOf(lines)])),
    mislabelled: typeof result.mislabelled === "number" ? result.mislabelled : 0,
    isPartial: result.isPartial === true,
    notes: Array.isArray(result.notes) ? (result.notes as readonly string[]) : [],
  };
}
export const sampledLines = ({ samples, leftOut }: Report): readonly number[] => [
  ...[...samples.values()].flat(),
  ...leftOut.flatMap(({ lines }) => lines.slice(0, 1)),
];

interface Rows {
  /** The first row of the file; null: it has no headings. */
  readonly header: readonly string[] | null;
  /** Of the file, by line. */
  readonly samples: readonly SampleRow[];
  /** Of the table of rejected rows. */
  readonly rejected: readonly SampleRow[];
  /** How whole names are split. */
  readonly names: Preview["names"];
}

function samplesOf(lines: readonly number[], rows: readonly SampleRow[], formats: Formats): Html | null {
  if (lines.length === 0) return null;
  const shown = lines.map((line) => ({ line, cells: rows.find((row) => row.line === line)?.cells ?? [] }));
  return html`<details class="samples"><summary>Examples</summary><ul>${shown.map(
    ({ line, cells }) =>
      html`<li><span class="sample-line">line ${formats.number(line)}</span> ${cells.filter(Boolean).map(isolated).join(" · ")}</li>`,
  )}</ul></details>`;
}

/** Headings and names of fields are within quotes. */
const shownNote = (note: string): string => sentence(note).replace(/'[^']*'/g, isolated);

const namesNotice = (names: Preview["names"]): Html | null =>
  names.length === 0
    ? null
    : notice("info", "Names are split at the last space", uploadTexts.splitNames(names).join(" "));

/** `next`: what to do with it. */
export function reportPart(report: Report, rows: Rows, formats: Formats, next: Html): Html {
  const { counts, reasons, leftOut, samples, mislabelled, isPartial, notes } = report;
  const shown = { counts, isDone: false, formats };
  const outcomes = outcomeTable("Outcome", shown, (outcome) =>
    samplesOf(samples.get(outcome) ?? [], rows.samples, formats),
  );
  return html`<div class="stack">${manyLeftOut(report, rows, formats)}${notes.map((note) => notice("info", shownNote(note)))}${namesNotice(rows.names)}${figures(shown)}${sentences(shown)}${
    isPartial ? notice("info", "The dry run covers the first million rows. The import takes all rows.") : null
  }${mislabelled > 0 ? notice("warning", uploadTexts.mislabelled(formats.number(mislabelled))) : null}${next}</div>
${outcomes === null ? null : section("Outcome", outcomes)}
${leftOutPart(leftOut, false, formats, rows)}
${reasons.length === 0 ? null : section(outcomesTexts.reasons, reasonTable(reasons, rows.rejected, formats))}
${rows.rejected.length === 0 ? null : section(outcomesTexts.firstRejected, rejectedTable(rows.rejected))}`;
}
