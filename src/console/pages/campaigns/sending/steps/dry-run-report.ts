/** What a dry run has found: in numbers, with some subscribers as examples. */
import type { Formats } from "#console/kit/formats.ts";
import type { Visit } from "#console/kit/visit.ts";
import type { Job } from "#domain/job/job.ts";
import type { DryRunReport, Finding } from "#domain/sending/dry-run.ts";
import { notice } from "#html/components/feedback.ts";
import { stats } from "#html/components/figures.ts";
import { section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import * as texts from "./dry-run.texts.ts";

type Findings = Readonly<Record<string, Finding>>;
type Addresses = ReadonlyMap<number, string>;
type Shown = Pick<Visit, "formats" | "link">;

export const findingsOf = ({ leftOut, emptyFields, problems }: DryRunReport): readonly Finding[] =>
  [leftOut, emptyFields, problems].flatMap((findings) => Object.values(findings));

const sumOf = (findings: Findings): number =>
  Object.values(findings).reduce((sum, { count }) => sum + count, 0);

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
/** In the largest unit that is at least two of them. */
function durationText(seconds: number): string {
  if (seconds < 2 * MINUTE) return texts.seconds(Math.max(1, seconds));
  if (seconds < 2 * HOUR) return texts.minutes(Math.round(seconds / MINUTE));
  return seconds < 2 * DAY ? texts.hours(Math.round(seconds / HOUR)) : texts.days(Math.round(seconds / DAY));
}

const moreOf = ({ characters, bytes, text }: Finding, formats: Formats): string | null =>
  typeof characters === "number"
    ? texts.characters(formats.number(characters))
    : typeof bytes === "number"
      ? texts.upTo(formats.bytes(bytes))
      : typeof text === "string"
        ? text
        : null;

function findingTable(
  { formats, link }: Shown,
  caption: string,
  findings: Findings,
  addresses: Addresses,
  names: Readonly<Record<string, string>> | null,
): Html {
  const exampleOf = (id: number): Html => {
    const address = addresses.get(id);
    return address === undefined
      ? html`<span>${texts.erased(String(id))}</span>`
      : html`<a href="${link(`/subscribers/${id}`)}">${address}</a>`;
  };
  return table({
    caption,
    rows: Object.entries(findings),
    columns: [
      {
        label: texts.what,
        cell: ([name]) =>
          names === null
            ? html`<code>${name}</code>`
            : Object.hasOwn(names, name)
              ? (names[name] ?? name)
              : name,
        detail: ([, finding]) => moreOf(finding, formats),
        isTyped: true,
      },
      { label: texts.count, cell: ([, { count }]) => formats.number(count), isNumber: true },
      {
        label: texts.examples,
        cell: ([, { samples }]) =>
          html`<span>${samples.map((id, at) => html`${at === 0 ? "" : ", "}${exampleOf(id)}`)}</span>`,
        isTyped: true,
      },
    ],
  });
}

/** The numbers, and what was found in detail. */
export function reportParts(
  visit: Shown,
  report: DryRunReport,
  { endedAt }: Job,
  addresses: Addresses,
): { readonly summary: Html; readonly details: Html } {
  const { number, dateTime } = visit.formats;
  const { people, recipients, leftOut, emptyFields, problems, expectedSeconds, limitedBy } = report;
  const isFine = sumOf(emptyFields) + sumOf(problems) === 0;
  const ended = endedAt === null ? "" : `${texts.ranAt} ${dateTime(endedAt)}. `;
  const part = (
    title: string,
    findings: Findings,
    names: Readonly<Record<string, string>> | null,
    description: string | null = null,
  ): Html | null =>
    Object.keys(findings).length === 0
      ? null
      : section(title, findingTable(visit, title, findings, addresses, names), { description });
  const summary = html`${notice(isFine ? "good" : "warning", isFine ? texts.fine : texts.notFine, `${ended}${texts.outdated}`)}
${stats([
  { label: texts.people, value: number(people) },
  { label: texts.recipients, value: number(recipients) },
  { label: texts.leftOutCount, value: number(sumOf(leftOut)) },
  ...(expectedSeconds === null || limitedBy === null || recipients === 0
    ? []
    : [
        {
          label: texts.duration,
          value: durationText(expectedSeconds),
          detail: texts.limitedBy[limitedBy],
        },
      ]),
])}`;
  const details = html`${part(texts.problems, problems, texts.problemNames)}
${part(texts.emptyFields, emptyFields, null, texts.emptyFieldsHint)}
${part(texts.leftOut, leftOut, texts.leftOutNames)}`;
  return { summary, details };
}
