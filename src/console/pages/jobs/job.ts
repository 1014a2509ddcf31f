/**
 * `/console/{account}/jobs/{job}` and `/console/installation/jobs/{job}`: one job, with its progress while it
 * runs and its result afterwards.
 */
import { briefCampaign } from "#admin/campaigns/campaigns.ts";
import { cancelJob, showJob } from "#admin/jobs/jobs.ts";
import { NotFound } from "#admin/kit/errors.ts";
import type { Clock } from "#domain/clocks.ts";
import { type Job, stateOfJob } from "#domain/job/job.ts";
import { type JobKind, mustEnd } from "#domain/job/kinds.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { notice } from "#html/components/feedback.ts";
import { definitions } from "#html/components/figures.ts";
import { pageHeader, section } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { type Sleep, sleep } from "#jobs/sleep.ts";
import type { Formats } from "../../kit/formats.ts";
import { idsIn } from "../../kit/forms/form.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { type Answer, content, eventPage, page, redirect } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import type { AnyVisit } from "../settings/place.ts";
import { accountName } from "../users/users.ts";
import * as texts from "./job.texts.ts";
import { doneText, jobBadge, jobProgress, liveJob } from "./job-progress.ts";
import { resultRows } from "./job-result.ts";

const OF_ACCOUNT = "/{account}/jobs/{job}";
const OF_INSTALLATION = "/installation/jobs/{job}";
/** `account` is null for the installation, whose administrators see every job. */
type JobVisit = AnyVisit & Pick<Visit<typeof OF_INSTALLATION>, "params">;

/** How often a stream looks at its job, which any process may be doing. */
const LOOK_MS = 1000;

const oneJob = ({ account, params }: Pick<JobVisit, "account" | "params">) => ({
  account: account?.id ?? null,
  id: params.job,
});
const jobOf = (visit: JobVisit): Promise<Job> => visit.perform(showJob, oneJob(visit));

async function show(visit: JobVisit): Promise<Answer> {
  const job = await jobOf(visit);
  const { link, formats } = visit;
  const title = texts.titleOf(job);
  const rows = resultRows(job, formats);
  const all = link(visit.account === null ? "/installation/jobs" : "/jobs");
  return content(
    title,
    html`${pageHeader({
      title,
      parent: { label: texts.jobs, href: all },
      aside: job.ending === null && !texts.isMaintenance(job) ? null : jobBadge(stateOfJob(job, visit.now)),
      actions: await linksOf(visit, job),
    })}
<div class="stack">${texts.isMaintenance(job) ? troubleOf(job, formats) : job.ending === null ? jobProgress(visit, job) : endingOf(job)}
${definitions(factsOf(visit, job))}</div>
${rows.length === 0 ? null : section(texts.result, html`${definitions(rows)}${job.result?.isDryRun === true || job.kind === "dry-run-change" ? html`<p>${texts.dryRun}</p>` : null}`)}
${cancelPart(visit, job)}`,
  );
}

async function cancel(visit: JobVisit): Promise<Answer> {
  await visit.perform(cancelJob, oneJob(visit));
  return redirect(visit.path, texts.wasCancelled);
}

export const jobPage = page({
  path: OF_ACCOUNT,
  show: (visit) => show(visit),
  forms: { cancel: { submit: (visit) => cancel(visit) } },
});
export const installationJobPage = page({
  path: OF_INSTALLATION,
  role: "administrator",
  show: (visit) => show(visit),
  forms: { cancel: { submit: (visit) => cancel(visit) } },
});

/** Maintenance has no progress and no end: it says when it runs next. */
function factsOf(visit: JobVisit, job: Job): readonly (readonly [string, Html | string])[] {
  const { formats } = visit;
  const about =
    job.account === null || visit.account !== null ? [] : [[texts.account, accountOf(visit, job)] as const];
  if (texts.isMaintenance(job))
    return [
      ...about,
      [texts.nextRun, formats.time(job.dueAt)],
      [texts.startedBy, texts.itself],
      [texts.since, formats.time(job.createdAt)],
    ];
  return [
    ...about,
    [texts.started, formats.time(job.createdAt)],
    [texts.startedBy, starterOf(visit, job)],
    ...(job.endedAt === null
      ? []
      : ([
          [texts.ended, formats.time(job.endedAt)],
          [texts.dealtWith, doneText(job, formats)],
        ] as const)),
  ];
}

/** The account of a job that deletes it has no pages any more. */
export function accountOf(visit: AnyVisit, { account, kind }: Job): Html | string {
  if (account === null) return "";
  const name = accountName(visit, account);
  return kind === "delete-account" ? name : html`<a href="${visit.base}/${account}/jobs">${name}</a>`;
}

const troubleOf = ({ attempts, lastError, dueAt }: Job, { dateTime }: Formats): Html | null =>
  attempts === 0 || lastError === null
    ? null
    : notice("warning", texts.repeats, texts.repeatsAt(dateTime(dueAt), lastError));

function endingOf({ ending, lastError }: Job): Html | null {
  if (ending === "failed") return notice("bad", texts.failedTitle, lastError);
  if (ending === "interrupted") return notice("warning", texts.interruptedTitle, texts.interruptedText);
  return ending === "cancelled" ? notice("info", texts.cancelledTitle, texts.cancelledText) : null;
}

function starterOf({ link, account }: JobVisit, { by }: Job): Html | string {
  if (by === null) return texts.itself;
  const name = by.name ?? by.id ?? by.kind;
  return by.kind === "key" && by.id !== null && account !== null
    ? html`<a href="${link(`/integrations/${by.id}`)}">${name}</a>`
    : name;
}

/** What the job is about, as long as it exists. */
async function linksOf(visit: JobVisit, job: Job): Promise<readonly Html[]> {
  const { link, account, may } = visit;
  const { id, kind, result } = job;
  if (account === null) return [];
  if (kind === "import" && typeof result?.import === "number")
    return [buttonLink({ label: texts.showImport, href: link(`/imports/${result.import}`) })];
  const campaign = await campaignOf(visit, job, account.id);
  if (campaign !== null) {
    const own = link(`/campaigns/${campaign}`);
    return [
      ...(kind === "dry-run-campaign" && may("editor")
        ? [buttonLink({ label: texts.showDryRun, href: `${own}/dry-run?job=${id}` })]
        : []),
      buttonLink({ label: texts.showCampaign, href: own }),
    ];
  }
  return kind === "replay-refusals" || kind === "dismiss-refusals"
    ? [buttonLink({ label: texts.showRefused, href: link("/refused-calls") })]
    : [];
}

const ofCampaigns: readonly string[] = [
  "dry-run-campaign",
  "select-recipients",
  "retry-recipients",
  "restore-recipients",
] satisfies readonly JobKind[];

/** null: it is about none, or about one that was deleted. */
async function campaignOf({ perform }: JobVisit, { kind, name }: Job, account: number) {
  // The campaign follows the kind in the name.
  const [campaign] = ofCampaigns.includes(kind) ? idsIn(name.split(" ")[1] ?? "") : [];
  if (campaign === undefined) return null;
  const found = await perform(briefCampaign, { account, campaign }).catch(goneAsNull);
  return found === null ? null : campaign;
}

function cancelPart({ may, shown, formats }: JobVisit, job: Job): Html | null {
  const form = shown("cancel");
  if (job.ending !== null || job.cancelledAt !== null || !may("editor"))
    return form.message === null ? null : notice("bad", form.message);
  const reason = mustEnd(job.kind);
  if (reason !== null) return html`<p class="hint">${texts.cannotCancel(reason)}</p>`;
  return section(
    texts.cancelTitle,
    formOf("cancel", {
      shown: form,
      body: html`<p>${texts.cancelText(doneText(job, formats))}</p>${buttonRow(
        button({ label: texts.cancel, emphasis: "danger" }),
      )}`,
    }),
  );
}

type Options = { readonly clock: Clock };

/** Sends the progress whenever it has changed, and ends with the job. */
async function* progressOf(visit: JobVisit, signal: AbortSignal, clock: Clock, pause: Sleep) {
  let sent = "";
  while (!signal.aborted) {
    const job = await jobOf(visit).catch(goneAsNull);
    if (job === null || job.ending !== null) {
      yield { event: "end", data: job === null ? "" : stateOfJob(job, clock()) };
      return;
    }
    const data = liveJob(job, visit.formats, clock()).html;
    if (data !== sent) yield { data };
    sent = data;
    await pause(LOOK_MS, signal);
  }
}
export const jobEvents = ({ clock }: Options, pause: Sleep = sleep) =>
  eventPage({
    path: `${OF_ACCOUNT}/events`,
    events: (visit, signal) => progressOf(visit, signal, clock, pause),
  });
export const installationJobEvents = ({ clock }: Options, pause: Sleep = sleep) =>
  eventPage({
    path: `${OF_INSTALLATION}/events`,
    role: "administrator",
    events: (visit, signal) => progressOf(visit, signal, clock, pause),
  });

/** A job goes with its account; what it is about may be deleted, too. */
function goneAsNull(error: unknown): null {
  if (error instanceof NotFound) return null;
  throw error;
}
