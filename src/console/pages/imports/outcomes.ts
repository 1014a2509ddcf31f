/** The counts of an import or a dry run: as figures, in sentences, and row by row with examples. */
import type { SampleRow } from "#admin/imports/import-jobs.ts";
import { type CountedAs, type ImportCounts, rowsOf, type SubscriberCounts } from "#domain/import/batch.ts";
import { badge, type Tone } from "#html/components/badge.ts";
import { type Stat, stats } from "#html/components/figures.ts";
import { type Column, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { isolated } from "#html/names.ts";
import type { Formats } from "../../kit/formats.ts";
import * as texts from "./outcomes.texts.ts";

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
  const rejected = stat(texts.outcomes.rejected.label, counts.rejected, {
    tone: counts.rejected > 0 ? "warning" : null,
  });
  const rows = stat(texts.rows, rowsOf(counts));
  if ("recorded" in counts)
    return stats([
      rows,
      stat(texts.recorded, counts.recorded, { detail: texts.recordedDetail(isDone) }),
      stat(texts.newBlocks, counts.newBlocks),
      stat(texts.noOps, counts.noOps),
      rejected,
    ]);
  return stats([
    rows,
    stat(texts.outcomes.added.label, counts.added, { tone: counts.added > 0 ? "good" : null }),
    stat(texts.outcomes.alreadyThere.label, counts.alreadyThere),
    stat(texts.notMailed, sum(counts.suppressed), {
      detail: sum(counts.suppressed) > 0 ? texts.notMailedDetail : null,
    }),
    rejected,
  ]);
}

/** What the figures do not say. */
export function sentences({ counts, isDone, formats }: Shown): Html | null {
  if ("recorded" in counts) return null;
  const { newSubscribers, updated, keptNewer, newBlocks, added } = counts;
  const { number } = formats;
  const all = [
    ...(newSubscribers > 0 ? [texts.newPeople(number(newSubscribers), newSubscribers, isDone)] : []),
    ...(updated.values > 0
      ? [
          texts.updated(
            texts.people(number(updated.subscribers), updated.subscribers),
            texts.valuesOf(number(updated.values), updated.values),
            isDone,
          ),
        ]
      : []),
    ...(keptNewer.values > 0
      ? [
          texts.keptNewer(
            texts.people(number(keptNewer.subscribers), keptNewer.subscribers),
            texts.valuesOf(number(keptNewer.values), keptNewer.values),
          ),
        ]
      : []),
    ...(newBlocks > 0 ? [texts.blocks(number(newBlocks), newBlocks, isDone)] : []),
    ...(added + newSubscribers + updated.values + newBlocks === 0 ? [texts.nothing(isDone)] : []),
  ];
  if (all.length < 2) return all.length === 0 ? null : html`<p class="description">${all[0] ?? null}</p>`;
  return html`<ul class="sentences">${all.map((one) => html`<li>${one}</li>`)}</ul>`;
}

const tones: Partial<Record<CountedAs, Tone>> = { added: "good", rejected: "bad", alreadyThere: "info" };

function counted(counts: SubscriberCounts): readonly (readonly [CountedAs, number])[] {
  const { added, alreadyThere, pending, leftSince, duplicates, rejected } = counts;
  return [
    ["added", added],
    ["alreadyThere", alreadyThere],
    ["pending", pending],
    ...(Object.entries(counts.suppressed) as readonly (readonly [CountedAs, number])[]),
    ["leftSince", leftSince],
    ["duplicates", duplicates],
    ["rejected", rejected],
  ];
}

/** Each outcome that rows have: how many, what it means, and examples if there are any. */
export function outcomeTable(
  title: string,
  { counts, isDone, formats }: Shown,
  samples: (outcome: CountedAs) => Html | null = () => null,
): Html | null {
  if ("recorded" in counts) return null;
  const found = counted(counts).filter(([, count]) => count > 0);
  if (found.length === 0) return null;
  const hasSamples = found.some(([outcome]) => samples(outcome) !== null);
  const columns: Column<readonly [CountedAs, number]>[] = [
    { label: title, cell: ([one]) => badge(texts.outcomes[one].label, tones[one] ?? "neutral") },
    { label: texts.rows, cell: ([, count]) => formats.number(count), isNumber: true },
    {
      label: texts.meaning,
      cell: ([one]) => html`${texts.outcomes[one].text(isDone)}${hasSamples ? samples(one) : null}`,
    },
  ];
  return table({ caption: title, rows: found, columns });
}

/** The reasons of rejected rows, the most frequent first. */
export function reasonTable(reasons: readonly (readonly [string, number])[], formats: Formats): Html {
  return table({
    caption: texts.reasons,
    rows: reasons,
    columns: [
      { label: texts.reason, cell: ([reason]) => reason },
      { label: texts.rows, cell: ([, count]) => formats.number(count), isNumber: true },
    ],
  });
}

/** The first rows of the table of rejected rows: its first two columns are the line and the reason. */
export const rejectedTable = (rows: readonly SampleRow[]): Html =>
  table({
    caption: texts.firstRejected,
    rows,
    columns: [
      { label: texts.line, cell: ({ cells }) => texts.lineNumber(cells[0] ?? "") },
      { label: texts.reason, cell: ({ cells }) => cells[1] ?? "" },
      { label: texts.row, cell: ({ cells }) => cells.slice(2).filter(Boolean).map(isolated).join(" · ") },
    ],
  });
