/** `/console/installation/jobs`: jobs of all accounts, and of the service itself. */
import { listJobs } from "#admin/jobs/jobs.ts";
import { type Job, stateOfJob } from "#domain/job/job.ts";
import { emptyState } from "#html/components/feedback.ts";
import { pager, table } from "#html/components/table.ts";
import { html } from "#html/html.ts";
import { neighbours } from "../../kit/addresses/query.ts";
import { content, page } from "../../kit/page.ts";
import { isMaintenance, titleOf } from "../jobs/job.texts.ts";
import { accountOf } from "../jobs/job.ts";
import { doneText, jobBadge, jobLink } from "../jobs/job-progress.ts";
import { type AnyVisit, placeOf } from "../settings/place.ts";
import * as texts from "./jobs.texts.ts";

const PAGE = 50;

/** A job of an account leads to its page there, unless it deletes the account. */
const pageOf = ({ base, link, account: none }: AnyVisit, { account, id, kind }: Job): string =>
  account === null || kind === "delete-account"
    ? jobLink({ link, account: none }, { id })
    : `${base}/${account}/jobs/${id}`;

const errorOf = ({ formats }: AnyVisit, { lastError, attempts }: Job): string | null =>
  lastError === null || attempts === 0 ? null : texts.failed(formats.number(attempts), lastError);

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
            href: (job) => pageOf(visit, job),
            columns: [
              { label: texts.job, cell: titleOf, detail: (job) => errorOf(visit, job) },
              { label: texts.state, cell: (job) => jobBadge(stateOfJob(job, now)) },
              { label: texts.account, cell: (job) => accountOf(visit, job) },
              {
                label: texts.progress,
                cell: (job) => (isMaintenance(job) ? null : doneText(job, formats)),
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
