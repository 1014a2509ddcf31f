/** `/console/{account}/campaigns/{campaign}/dry-run`: starts a dry run, and shows the last one. */

import { briefCampaign } from "#admin/campaigns/campaigns.ts";
import { dryRunCampaign } from "#admin/campaigns/send.ts";
import { listJobs, showJob } from "#admin/jobs.ts";
import { NotFound } from "#admin/kit/errors.ts";
import { showSubscriber } from "#admin/subscribers/record.ts";
import { type Job, stateOfJob } from "#domain/job/job.ts";
import { dryRunJob } from "#domain/job/kinds.ts";
import type { DryRunReport, DurationLimit, Finding } from "#domain/sending/dry-run.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { notice } from "#html/components/feedback.ts";
import { stats } from "#html/components/figures.ts";
import { section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { quoted } from "#html/names.ts";
import { goneAsNull } from "../../kit/errors.ts";
import { idsIn } from "../../kit/form.ts";
import { formOf } from "../../kit/form-html.ts";
import type { Formats } from "../../kit/formats.ts";
import { type PageContext, page, redirect, titled } from "../../kit/page.ts";
import { jobBadge, jobProgress } from "../jobs/job-progress.ts";
import { addressOf, ofCampaign } from "./campaign-header.ts";

const limitNames: Readonly<Record<DurationLimit, string>> = {
  perSecond: "because of the sender’s limit per second",
  perDomainMinute: "because of the sender’s limit per domain",
  perDay: "because of the sender’s limit per day",
  rendering: "to make the messages; the relay may be slower",
};
const problemNames: Readonly<Record<string, string>> = {
  "long line": "A line is too long",
  large: "The message is large",
  "refused value": "A value is not allowed where it stands, and is left out",
  "joined links": "Two links of the plain text run into each other",
  "needs SMTPUTF8": "The relay must support SMTPUTF8; otherwise they get nothing",
  "not rendered": "The message cannot be rendered; they get nothing",
};
const leftOutNames: Readonly<Record<string, string>> = {
  unsubscribed: "Unsubscribed",
  bounced: "Bounced",
  complained: "Complained",
  blocked: "Blocked",
  "on an excluded list": "On an excluded list",
  "does not match the filter": "Does not match the filter",
};
/** What a dry run has found: in numbers, with some subscribers as examples. */
type Findings = Readonly<Record<string, Finding>>;
type Addresses = ReadonlyMap<number, string>;
type Shown = Pick<PageContext, "formats" | "link">;

const findingsOf = ({ leftOut, emptyFields, problems }: DryRunReport): readonly Finding[] =>
  [leftOut, emptyFields, problems].flatMap((findings) => Object.values(findings));

const sumOf = (findings: Findings): number =>
  Object.values(findings).reduce((sum, { count }) => sum + count, 0);

/** In the largest unit that is at least two of them. */
function durationText(seconds: number): string {
  const units = [
    ["day", 86_400],
    ["hour", 3600],
    ["minute", 60],
  ] as const;
  const [unit, length] = units.find(([, length]) => seconds >= 2 * length) ?? ["second", 1];
  const count = Math.max(1, Math.round(seconds / length));
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

const moreOf = ({ characters, bytes, text }: Finding, formats: Formats): string | null =>
  typeof characters === "number"
    ? `up to ${formats.number(characters)} characters`
    : typeof bytes === "number"
      ? `up to ${formats.bytes(bytes)}`
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
      ? html`<span>subscriber ${String(id)}</span>`
      : html`<a href="${link(`/subscribers/${id}`)}">${address}</a>`;
  };
  return table({
    caption,
    rows: Object.entries(findings),
    columns: [
      {
        label: "What",
        cell: ([name]) =>
          names === null
            ? html`<code>${name}</code>`
            : Object.hasOwn(names, name)
              ? (names[name] ?? name)
              : name,
        detail: ([, finding]) => moreOf(finding, formats),
        isTyped: true,
      },
      { label: "Subscribers", cell: ([, { count }]) => formats.number(count), isNumber: true },
      {
        label: "For example",
        cell: ([, { samples }]) =>
          html`<span>${samples.map((id, at) => html`${at === 0 ? "" : ", "}${exampleOf(id)}`)}</span>`,
        isTyped: true,
      },
    ],
  });
}

/** The numbers, and what was found in detail. */
function reportParts(
  context: Shown,
  report: DryRunReport,
  { endedAt }: Job,
  addresses: Addresses,
): { readonly summary: Html; readonly details: Html } {
  const { number, dateTime } = context.formats;
  const { people, recipients, leftOut, emptyFields, problems, expectedSeconds, limitedBy } = report;
  const isFine = sumOf(emptyFields) + sumOf(problems) === 0;
  const ended = endedAt === null ? "" : `Ended ${dateTime(endedAt)}. `;
  const part = (
    title: string,
    findings: Findings,
    names: Readonly<Record<string, string>> | null,
    description: string | null = null,
  ): Html | null =>
    Object.keys(findings).length === 0
      ? null
      : section(title, findingTable(context, title, findings, addresses, names), { description });
  const summary = html`${notice(isFine ? "good" : "warning", isFine ? "No problem was found" : "Look at what was found before you send it", `${ended}If the draft or the lists have changed since, repeat it.`)}
${stats([
  { label: "On the lists", value: number(people) },
  { label: "Recipients", value: number(recipients) },
  { label: "Left out", value: number(sumOf(leftOut)) },
  ...(expectedSeconds === null || limitedBy === null || recipients === 0
    ? []
    : [
        {
          label: "Takes at least",
          value: durationText(expectedSeconds),
          detail: limitNames[limitedBy],
        },
      ]),
])}`;
  const details = html`${part("Problems", problems, problemNames)}
${part("Empty merge fields", emptyFields, null, 'Add a default, such as {{ first_name | default: "friend" }}.')}
${part("Left out", leftOut, leftOutNames)}`;
  return { summary, details };
}

const PATH = "/{account}/campaigns/{campaign}/dry-run";
type DryRunContext = PageContext<typeof PATH>;

/** Older ones are not looked for. */
const NEWEST = 100;

/** The one of the address, or the last one. */
async function lastRun({ performHere, params, query }: DryRunContext): Promise<Job | null> {
  const isOurs = ({ name }: Job): boolean => name === dryRunJob(params.campaign);
  const [id] = idsIn(query.get("job") ?? "");
  if (id !== undefined) {
    const job = await performHere(showJob, { id });
    if (!isOurs(job)) throw new NotFound("job", id);
    return job;
  }
  const { rows } = await performHere(listJobs, { limit: NEWEST });
  return rows.find(isOurs) ?? null;
}

/** The subscribers that are named as examples, without erased ones. */
async function addressesOf({ performHere }: DryRunContext, report: DryRunReport) {
  const ids = new Set(findingsOf(report).flatMap(({ samples }) => samples));
  const addresses = new Map<number, string>();
  for (const id of ids) {
    const found = await performHere(showSubscriber, { id }).catch(goneAsNull);
    if (found !== null) addresses.set(id, found.record.address);
  }
  return addresses;
}

type RunParts = Readonly<Record<"summary" | "details", Html | null>>;
async function runPart(context: DryRunContext, job: Job | null): Promise<RunParts> {
  const only = (summary: Html | null): RunParts => ({ summary, details: null });
  if (job === null) return only(null);
  if (job.ending === null) return only(jobProgress(context, job));
  if (job.ending === "failed") return only(notice("bad", "The dry run failed", job.lastError));
  if (job.ending !== "finished" || job.result === null)
    return only(notice("info", "The dry run was cancelled"));
  const report = job.result as unknown as DryRunReport;
  return reportParts(context, report, job, await addressesOf(context, report));
}

export const dryRunPage = page({
  path: PATH,
  role: "editor",
  show: async (context) => {
    const { formState } = context;
    const found = await context.performHere(briefCampaign, ofCampaign(context));
    const own = addressOf(context, found.id);
    if (found.sending === null) return redirect(own);
    const job = await lastRun(context);
    const run = await runPart(context, job);
    const label = job === null ? "Start the dry run" : "Repeat the dry run";
    const start = formOf("start", {
      state: formState("start"),
      look: "plain",
      isIdempotent: true,
      body: buttonRow(button({ label, emphasis: job === null ? "primary" : "plain" })),
    });
    return titled(
      {
        title: `Dry run of ${quoted(found.name)}`,
        parent: { label: found.name, href: own },
        aside: job === null || job.ending === null ? null : jobBadge(stateOfJob(job, context.now)),
        description:
          "Renders the message of every recipient and sends none. It reports empty merge fields, messages that are too large or cannot be rendered, and who is left out.",
      },
      html`<div class="stack">${run.summary}${job === null || job.ending !== null ? start : null}</div>
${run.details}`,
    );
  },
  forms: {
    start: async (context) => {
      const { performHere, path } = context;
      const { job } = await performHere(dryRunCampaign, ofCampaign(context));
      return redirect(job === null ? path : `${path}?job=${job.id}`, "The dry run has started.");
    },
  },
});
