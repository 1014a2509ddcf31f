/** `/console/installation/jobs`: jobs of all accounts, and of the service itself. */
import { listJobs } from "../../../admin/jobs/jobs.ts";
import { type Job, stateOfJob } from "../../../domain/job/job.ts";
import { emptyState } from "../../../html/components/feedback.ts";
import { pager, table } from "../../../html/components/table.ts";
import { type Html, html } from "../../../html/html.ts";
import { neighbours } from "../../kit/addresses/query.ts";
import { content, page } from "../../kit/page.ts";
import { titleOf } from "../jobs/job.texts.ts";
import { doneText, jobBadge } from "../jobs/job-progress.ts";
import { type AnyVisit, placeOf } from "../settings/place.ts";
import { accountName } from "../users/users.ts";
import * as texts from "./jobs.texts.ts";

const PAGE = 50;

/** A job of an account has a page there, unless it deletes the account. */
function nameOf({ base, formats }: AnyVisit, job: Job): Html {
  const { account, id, kind, lastError, attempts } = job;
  const title = texts.maintenance[kind] ?? titleOf(job);
  const linked =
    account === null || kind === "delete-account"
      ? title
      : html`<a href="${base}/${account}/jobs/${id}">${title}</a>`;
  const error =
    lastError === null || attempts === 0 ? null : texts.failed(formats.number(attempts), lastError);
  return html`<span class="lines"><span>${linked}</span>${error === null ? null : html`<small>${error}</small>`}</span>`;
}

function accountOf(visit: AnyVisit, { account, kind }: Job): Html | string | null {
  if (account === null) return null;
  const name = accountName(visit, account);
  return kind === "delete-account" ? name : html`<a href="${visit.base}/${account}/jobs">${name}</a>`;
}

export const installationJobsPage = page({
  path: "/installation/jobs",
  role: "administrator",
  show: async (visit) => {
    const { list, formats, now, path } = visit;
    const { rows, next, previous } = await list(listJobs, { account: null, limit: PAGE });
    const body =
      rows.length === 0 && previous === null
        ? emptyState({ title: texts.emptyTitle, text: texts.empty, icon: "clock" })
        : html`${table({
            caption: texts.title,
            rows,
            columns: [
              { label: texts.job, cell: (job) => nameOf(visit, job) },
              { label: texts.state, cell: (job) => jobBadge(stateOfJob(job, now)) },
              { label: texts.account, cell: (job) => accountOf(visit, job) },
              {
                label: texts.progress,
                cell: (job) => (texts.maintenance[job.kind] === undefined ? doneText(job, formats) : null),
                isNumber: true,
              },
              { label: texts.started, cell: ({ createdAt }) => formats.time(createdAt) },
              { label: texts.by, cell: ({ by }) => by?.name ?? by?.id ?? texts.itself, isMinor: true },
            ],
          })}${pager({
            text: texts.shown(formats.number(rows.length)),
            ...neighbours(path, { previous, next }),
          })}`;
    return content(
      texts.title,
      html`${placeOf(visit).top("/jobs")}
<div class="stack"><p class="description">${texts.description}</p>
<div>${body}</div></div>`,
    );
  },
});
