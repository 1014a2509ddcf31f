/** `/console/{account}/jobs/{job}`: one job, with its progress while it runs and its result afterwards. */
import { cancelJob, showJob } from "../../../admin/jobs/jobs.ts";
import { NotFound } from "../../../admin/kit/errors.ts";
import type { Clock } from "../../../domain/clocks.ts";
import { type Job, stateOfJob } from "../../../domain/job/job.ts";
import { mustEnd } from "../../../domain/job/kinds.ts";
import { button, buttonLink, buttonRow } from "../../../html/components/buttons.ts";
import { notice } from "../../../html/components/feedback.ts";
import { definitions } from "../../../html/components/figures.ts";
import { pageHeader, section } from "../../../html/components/page-header.ts";
import { type Html, html } from "../../../html/html.ts";
import { type Sleep, sleep } from "../../../jobs/sleep.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, eventPage, page, redirect } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./job.texts.ts";
import { doneText, jobBadge, jobProgress, liveJob } from "./job-progress.ts";
import { resultRows } from "./job-result.ts";

const PATH = "/{account}/jobs/{job}";
type JobVisit = Visit<typeof PATH>;

/** How often a stream looks at its job, which any process may be doing. */
const LOOK_MS = 1000;

const jobOf = ({
  perform,
  account,
  params,
}: Pick<JobVisit, "perform" | "account" | "params">): Promise<Job> =>
  perform(showJob, { account: account.id, id: params.job });

export const jobPage = page({
  path: PATH,
  show: async (visit) => {
    const job = await jobOf(visit);
    const { link, formats } = visit;
    const title = texts.titleOf(job);
    const rows = resultRows(job, formats);
    return content(
      title,
      html`${pageHeader({
        title,
        parent: { label: texts.jobs, href: link("/jobs") },
        aside: job.ending === null ? null : jobBadge(job.ending),
        actions: linksOf(visit, job),
      })}
<div class="stack">${job.ending === null ? jobProgress(visit, job) : endingOf(job)}
${definitions([
  [texts.started, formats.time(job.createdAt)],
  [texts.startedBy, starterOf(visit, job)],
  ...(job.endedAt === null
    ? []
    : ([
        [texts.ended, formats.time(job.endedAt)],
        [texts.dealtWith, doneText(job, formats)],
      ] as const)),
])}</div>
${rows.length === 0 ? null : section(texts.result, html`${definitions(rows)}${job.result?.isDryRun === true ? html`<p>${texts.dryRun}</p>` : null}`)}
${cancelPart(visit, job)}`,
    );
  },
  forms: {
    cancel: {
      submit: async ({ perform, account, params, path }) => {
        await perform(cancelJob, { account: account.id, id: params.job });
        return redirect(path, texts.wasCancelled);
      },
    },
  },
});

function endingOf({ ending, lastError }: Job): Html | null {
  if (ending === "failed") return notice("bad", texts.failedTitle, lastError);
  if (ending === "interrupted") return notice("warning", texts.interruptedTitle, texts.interruptedText);
  return ending === "cancelled" ? notice("info", texts.cancelledTitle, texts.cancelledText) : null;
}

function starterOf({ link, may }: JobVisit, { by }: Job): Html | string {
  if (by === null) return texts.itself;
  const name = by.name ?? by.id ?? by.kind;
  return by.kind === "key" && by.id !== null && may("viewer")
    ? html`<a href="${link(`/integrations/${by.id}`)}">${name}</a>`
    : name;
}

/** What the job is about, as long as it exists. */
function linksOf({ link }: JobVisit, { kind, result }: Job): readonly Html[] {
  if (kind === "import" && typeof result?.import === "number")
    return [buttonLink({ label: texts.showImport, href: link(`/imports/${result.import}`) })];
  return kind === "replay-refusals" || kind === "dismiss-refusals"
    ? [buttonLink({ label: texts.showRefused, href: link("/refused-calls") })]
    : [];
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

/** Sends the progress whenever it has changed, and ends with the job. */
export const jobEvents = ({ clock }: { readonly clock: Clock }, pause: Sleep = sleep) =>
  eventPage({
    path: `${PATH}/events`,
    events: async function* (visit, signal) {
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
    },
  });

/** A job goes with its account. */
function goneAsNull(error: unknown): null {
  if (error instanceof NotFound) return null;
  throw error;
}
