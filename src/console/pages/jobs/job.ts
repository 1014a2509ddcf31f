/**
 * `/console/{account}/jobs/{job}` and `/console/installation/jobs/{job}`: one job, with its progress while it
 * runs and its result afterwards.
 */

import { briefCampaign } from "#admin/campaigns/campaigns.ts";
import { meaningOf } from "#admin/error-texts.ts";
import { cancelJob, showJob } from "#admin/jobs.ts";
import type { Clock } from "#domain/clocks.ts";
import type { UndoResult } from "#domain/import/undo.ts";
import { type Job, stateOfJob } from "#domain/job/job.ts";
import { type JobKind, mustEnd } from "#domain/job/kinds.ts";
import { type JobResult, membersOf } from "#domain/job/result.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { notice } from "#html/components/feedback.ts";
import { definitions } from "#html/components/figures.ts";
import { section } from "#html/components/page-header.ts";
import { type Html, html, type Insert } from "#html/html.ts";
import type { Sleep } from "#jobs/sleep.ts";
import { goneAsNull } from "../../kit/errors.ts";
import { idsIn } from "../../kit/form.ts";
import { formOf } from "../../kit/form-html.ts";
import type { Formats } from "../../kit/formats.ts";
import { liveEvents } from "../../kit/live-events.ts";
import { type Answer, eventPage, type PageContext, page, redirect, titled } from "../../kit/page.ts";
import { newBlocks, noOps, outcomes } from "../imports/outcomes.ts";
import { undoRows } from "../imports/undo.ts";
import type { AnyPageContext } from "../settings/settings-header.ts";
import { accountName } from "../users/users.ts";
import {
  doneText,
  isMaintenance,
  jobBadge,
  jobProgress,
  liveJob,
  retryNotice,
  titleOf,
} from "./job-progress.ts";

/** What a job has done, by kind. */
type Row = readonly [name: string, value: Insert];

const numbers = (result: JobResult): readonly (readonly [string, number])[] =>
  Object.entries(result).flatMap(([name, value]) => (typeof value === "number" ? [[name, value]] : []));

/** Such as "Already on list" for `alreadyOnList`. */
function words(name: string): string {
  const spaced = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${spaced.charAt(0).toUpperCase()}${spaced.slice(1)}`;
}

const labels: Readonly<Record<string, string>> = {
  changed: "Changed",
  unchanged: "Needed no change",
  succeeded: "Succeeded",
  notReplayable: "Could not be repeated",
  newBlocks,
  noOps,
};

const ofDryRun: Readonly<Record<string, string>> = {
  people: "On the lists",
  recipients: "Recipients",
};

/** As the page of the import says it. */
const importLabel = (name: string): string =>
  new Map(Object.entries(outcomes)).get(name)?.label ?? labels[name] ?? words(name);

/** Empty: the kind has no result beyond how many it has dealt with, or there is none yet. */
export function resultRows({ kind, result }: Job, formats: Formats): readonly Row[] {
  const { number } = formats;
  if (result === null) return [];
  if (kind === "import")
    return numbers(membersOf(result.counts)).map(([name, count]) => [importLabel(name), number(count)]);
  if (kind === "undo-import" || kind === "dry-run-undo") return undoRows(result as UndoResult, formats);
  // The rest has a page of its own.
  if (kind === "dry-run-campaign")
    return numbers(result).flatMap(([name, count]): readonly Row[] =>
      Object.hasOwn(ofDryRun, name) ? [[ofDryRun[name] ?? name, number(count)]] : [],
    );
  return [
    ...numbers(result).map(([name, count]): Row => [labels[name] ?? words(name), number(count)]),
    ...numbers(membersOf(result.refused)).map(
      ([outcome, count]): Row => [`Refused: ${meaningOf(outcome)}`, number(count)],
    ),
  ];
}

const OF_ACCOUNT = "/{account}/jobs/{job}";
const OF_INSTALLATION = "/installation/jobs/{job}";
/** `account` is null for the installation, whose administrators see every job. */
type JobContext = AnyPageContext & Pick<PageContext<typeof OF_INSTALLATION>, "params">;

const oneJob = ({ account, params }: Pick<JobContext, "account" | "params">) => ({
  account: account?.id ?? null,
  id: params.job,
});
const jobOf = (context: JobContext): Promise<Job> => context.perform(showJob, oneJob(context));

async function show(context: JobContext): Promise<Answer> {
  const job = await jobOf(context);
  const { link, formats } = context;
  const rows = resultRows(job, formats);
  const all = link(context.account === null ? "/installation/jobs" : "/jobs");
  return titled(
    {
      title: titleOf(job),
      parent: { label: "Jobs", href: all },
      aside: job.ending === null && !isMaintenance(job) ? null : jobBadge(stateOfJob(job, context.now)),
      actions: await linksOf(context, job),
    },
    html`<div class="stack">${isMaintenance(job) ? (job.attempts === 0 || job.lastError === null ? null : retryNotice(job, formats)) : job.ending === null ? jobProgress(context, job) : endingOf(job)}
${definitions(factsOf(context, job))}</div>
${rows.length === 0 ? null : section("Result", html`${definitions(rows)}${job.result?.isDryRun === true || job.kind === "dry-run-change" ? html`<p>Dry run: nothing was stored.</p>` : null}`)}
${cancelPart(context, job)}`,
  );
}

async function cancel(context: JobContext): Promise<Answer> {
  await context.perform(cancelJob, oneJob(context));
  return redirect(context.path, "The job is cancelled. What it has done stays done.");
}

export const jobPage = page({
  path: OF_ACCOUNT,
  show: (context) => show(context),
  forms: { cancel: (context) => cancel(context) },
});
export const installationJobPage = page({
  path: OF_INSTALLATION,
  role: "administrator",
  show: (context) => show(context),
  forms: { cancel: (context) => cancel(context) },
});

/** Maintenance has no progress and no end: it says when it runs next. */
function factsOf(context: JobContext, job: Job): readonly (readonly [string, Html | string])[] {
  const { formats } = context;
  const about =
    job.account === null || context.account !== null ? [] : [["Account", accountOf(context, job)] as const];
  if (isMaintenance(job))
    return [
      ...about,
      ["Next run", formats.time(job.dueAt)],
      ["Started by", "the service"],
      ["Set up", formats.time(job.createdAt)],
    ];
  return [
    ...about,
    ["Started", formats.time(job.createdAt)],
    ["Started by", starterOf(context, job)],
    ...(job.endedAt === null
      ? []
      : ([
          ["Ended", formats.time(job.endedAt)],
          ["Done", doneText(job, formats)],
        ] as const)),
  ];
}

/** The account of a job that deletes it has no pages any more. */
export function accountOf(context: AnyPageContext, { account, kind }: Job): Html | string {
  if (account === null) return "";
  const name = accountName(context, account);
  return kind === "delete-account" ? name : html`<a href="${context.base}/${account}/jobs">${name}</a>`;
}

function endingOf({ ending, lastError }: Job): Html | null {
  if (ending === "failed") return notice("bad", "The job failed and cannot be continued", lastError);
  if (ending === "interrupted")
    return notice(
      "warning",
      "The database was copied or restored before the job ended",
      "Start the same action again for the rest.",
    );
  return ending === "cancelled"
    ? notice("info", "The job was cancelled", "What it had done until then stays done.")
    : null;
}

function starterOf({ link, account }: JobContext, { by }: Job): Html | string {
  if (by === null) return "the service";
  const name = by.name ?? by.id ?? by.kind;
  return by.kind === "key" && by.id !== null && account !== null
    ? html`<a href="${link(`/integrations/${by.id}`)}">${name}</a>`
    : name;
}

/** What the job is about, as long as it exists. */
async function linksOf(context: JobContext, job: Job): Promise<readonly Html[]> {
  const { link, account, may } = context;
  const { id, kind, result } = job;
  if (account === null) return [];
  if (kind === "import" && typeof result?.import === "number")
    return [buttonLink({ label: "Show the import", href: link(`/imports/${result.import}`) })];
  const campaign = await campaignOf(context, job, account.id);
  if (campaign !== null) {
    const own = link(`/campaigns/${campaign}`);
    return [
      ...(kind === "dry-run-campaign" && may("editor")
        ? [buttonLink({ label: "Show the dry run", href: `${own}/dry-run?job=${id}` })]
        : []),
      buttonLink({ label: "Show the campaign", href: own }),
    ];
  }
  return kind === "replay-refusals" || kind === "dismiss-refusals"
    ? [buttonLink({ label: "Show the refused calls", href: link("/refused-calls") })]
    : [];
}

const ofCampaigns: readonly string[] = [
  "dry-run-campaign",
  "select-recipients",
  "retry-recipients",
  "restore-recipients",
] satisfies readonly JobKind[];

/** null: it is about no campaign, or about a deleted one. */
async function campaignOf({ perform }: JobContext, { kind, name }: Job, account: number) {
  // The campaign follows the kind in the name.
  const [campaign] = ofCampaigns.includes(kind) ? idsIn(name.split(" ")[1] ?? "") : [];
  if (campaign === undefined) return null;
  const found = await perform(briefCampaign, { account, campaign }).catch(goneAsNull);
  return found === null ? null : campaign;
}

function cancelPart({ may, formState, formats }: JobContext, job: Job): Html | null {
  const form = formState("cancel");
  if (job.ending !== null || job.cancelledAt !== null || !may("editor"))
    return form.message === null ? null : notice("bad", form.message);
  const reason = mustEnd(job.kind);
  if (reason !== null) return html`<p class="hint">It cannot be cancelled: ${reason}.</p>`;
  return section(
    "Cancel",
    formOf("cancel", {
      state: form,
      body: html`<p>The job ends after its current step. What it has done stays done (so far: ${doneText(job, formats)}); the rest is left as it is.</p>${buttonRow(
        button({ label: "Cancel this job", emphasis: "danger" }),
      )}`,
    }),
  );
}

type Options = { readonly clock: Clock };

/** Sends the progress whenever it has changed, and ends with the job. */
const progressOf = (context: JobContext, signal: AbortSignal, clock: Clock, pause?: Sleep) =>
  liveEvents(
    async () => {
      const job = await jobOf(context).catch(goneAsNull);
      if (job === null) return { end: "" };
      return job.ending === null
        ? { data: liveJob(job, context.formats, clock()).html }
        : { end: stateOfJob(job, clock()) };
    },
    signal,
    pause,
  );
export const jobEvents = ({ clock }: Options, pause?: Sleep) =>
  eventPage({
    path: `${OF_ACCOUNT}/events`,
    events: (context, signal) => progressOf(context, signal, clock, pause),
  });
export const installationJobEvents = ({ clock }: Options, pause?: Sleep) =>
  eventPage({
    path: `${OF_INSTALLATION}/events`,
    role: "administrator",
    events: (context, signal) => progressOf(context, signal, clock, pause),
  });
