/** `/console/{account}/jobs`: what runs, and what has ended in the last 30 days. */
import { listJobs } from "#admin/jobs/jobs.ts";
import { stateOfJob } from "#domain/job/job.ts";
import { emptyState } from "#html/components/feedback.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { pager, table } from "#html/components/table.ts";
import { html } from "#html/html.ts";
import { content, page } from "../../kit/page.ts";
import { titleOf } from "./job.texts.ts";
import { doneText, jobBadge, jobLink } from "./job-progress.ts";
import * as texts from "./jobs.texts.ts";

const PAGE = 50;

export const jobsPage = page({
  path: "/{account}/jobs",
  show: async (visit) => {
    const { account, formats, now, path } = visit;
    const { rows, next, previous } = await visit.list(listJobs, { account: account.id, limit: PAGE });
    const body =
      rows.length === 0 && previous === null
        ? emptyState({ title: texts.emptyTitle, text: texts.empty, icon: "clock" })
        : html`${table({
            caption: texts.title,
            rows,
            href: (job) => jobLink(visit, job),
            columns: [
              { label: texts.job, cell: titleOf },
              { label: texts.state, cell: (job) => jobBadge(stateOfJob(job, now)) },
              { label: texts.progress, cell: (job) => doneText(job, formats), isNumber: true },
              { label: texts.started, cell: ({ createdAt }) => formats.time(createdAt) },
              { label: texts.by, cell: ({ by }) => by?.name ?? by?.id ?? texts.itself, isMinor: true },
            ],
          })}${pager({
            text: texts.count(formats.number(rows.length)),
            previous: previous === null ? null : `${path}?before=${previous}`,
            next: next === null ? null : `${path}?after=${next}`,
          })}`;
    return content(
      texts.title,
      html`${pageHeader({ title: texts.title, description: texts.description })}
${body}`,
    );
  },
});
