/** `/console/{account}/campaigns/{campaign}/dry-run`: starts a dry run, and shows the last one. */
import { briefCampaign } from "#admin/campaigns/campaigns.ts";
import { dryRunCampaign } from "#admin/campaigns/sending/dry-run.ts";
import { listJobs, showJob } from "#admin/jobs/jobs.ts";
import { NotFound } from "#admin/kit/errors.ts";
import { showSubscriber } from "#admin/subscribers/record.ts";
import { idsIn } from "#console/kit/forms/form.ts";
import { formOf } from "#console/kit/forms/form-html.ts";
import { content, page, redirect } from "#console/kit/page.ts";
import type { Visit } from "#console/kit/visit.ts";
import { jobBadge, jobProgress } from "#console/pages/jobs/job-progress.ts";
import { type Job, stateOfJob } from "#domain/job/job.ts";
import { dryRunJob } from "#domain/job/kinds.ts";
import type { DryRunReport } from "#domain/sending/dry-run.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { notice } from "#html/components/feedback.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { addressOf, ofCampaign } from "../../campaign-header.ts";
import * as texts from "./dry-run.texts.ts";
import { findingsOf, reportParts } from "./dry-run-report.ts";

const PATH = "/{account}/campaigns/{campaign}/dry-run";
type DryRunVisit = Visit<typeof PATH>;

/** Older ones are not looked for. */
const NEWEST = 100;

/** The one of the address, or the last one. */
async function lastRun({ perform, account, params, query }: DryRunVisit): Promise<Job | null> {
  const isOurs = ({ name }: Job): boolean => name === dryRunJob(params.campaign);
  const [id] = idsIn(query.get("job") ?? "");
  if (id !== undefined) {
    const job = await perform(showJob, { account: account.id, id });
    if (!isOurs(job)) throw new NotFound("job", id);
    return job;
  }
  const { rows } = await perform(listJobs, { account: account.id, limit: NEWEST });
  return rows.find(isOurs) ?? null;
}

/** The subscribers that are named as examples; those who were erased are left out. */
async function addressesOf({ perform, account }: DryRunVisit, report: DryRunReport) {
  const ids = new Set(findingsOf(report).flatMap(({ samples }) => samples));
  const addresses = new Map<number, string>();
  for (const id of ids) {
    const found = await perform(showSubscriber, { account: account.id, id }).catch(goneAsNull);
    if (found !== null) addresses.set(id, found.record.address);
  }
  return addresses;
}
function goneAsNull(error: unknown): null {
  if (error instanceof NotFound) return null;
  throw error;
}

interface Shown {
  readonly summary: Html | null;
  readonly details: Html | null;
}
async function runPart(visit: DryRunVisit, job: Job | null): Promise<Shown> {
  const only = (summary: Html | null): Shown => ({ summary, details: null });
  if (job === null) return only(null);
  if (job.ending === null) return only(jobProgress(visit, job));
  if (job.ending === "failed") return only(notice("bad", texts.failed, job.lastError));
  if (job.ending !== "finished" || job.result === null) return only(notice("info", texts.cancelled));
  const report = job.result as unknown as DryRunReport;
  return reportParts(visit, report, job, await addressesOf(visit, report));
}

export const dryRunPage = page({
  path: PATH,
  role: "editor",
  show: async (visit) => {
    const { shown } = visit;
    const found = await visit.perform(briefCampaign, ofCampaign(visit));
    const own = addressOf(visit, found.id);
    if (found.sending === null) return redirect(own);
    const job = await lastRun(visit);
    const run = await runPart(visit, job);
    const title = texts.title(found.name);
    const label = job === null ? texts.start : texts.again;
    const start = formOf("start", {
      shown: shown("start"),
      look: "plain",
      isOnce: true,
      body: buttonRow(button({ label, emphasis: job === null ? "primary" : "plain" })),
    });
    return content(
      title,
      html`${pageHeader({
        title,
        parent: { label: found.name, href: own },
        aside: job === null || job.ending === null ? null : jobBadge(stateOfJob(job, visit.now)),
        description: texts.description,
      })}
<div class="stack">${run.summary}${job === null || job.ending !== null ? start : null}</div>
${run.details}`,
    );
  },
  forms: {
    start: {
      submit: async (visit) => {
        const { perform, path } = visit;
        const { job } = await perform(dryRunCampaign, ofCampaign(visit));
        return redirect(job === null ? path : `${path}?job=${job.id}`, texts.started);
      },
    },
  },
});
