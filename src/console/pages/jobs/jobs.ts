/** `/console/{account}/jobs`: what runs, and what has ended in the last 30 days. */
import { listJobs } from "#admin/jobs/jobs.ts";
import { stateOfJob } from "#domain/job/job.ts";
import { emptyState } from "#html/components/feedback.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { pager, table } from "#html/components/table.ts";
import { html } from "#html/html.ts";
import { content, page } from "../../kit/page.ts";
import { doneText, jobBadge, jobLink, titleOf } from "./job-progress.ts";

const jobsTexts = {
  count: (shown: string): string => (shown === "1" ? "1 job" : `${shown} jobs, newest first`),
};

const PAGE = 50;

export const jobsPage = page({
  path: "/{account}/jobs",
  show: async (context) => {
    const { account, formats, now, path } = context;
    const { rows, next, previous } = await context.list(listJobs, { account: account.id, limit: PAGE });
    const body =
      rows.length === 0 && previous === null
        ? emptyState({
            title: "No jobs",
            text: "Imports, changes to many subscribers and large deletions appear here while they run, and for 30 days afterwards.",
            icon: "clock",
          })
        : html`${table({
            caption: "Jobs",
            rows,
            href: (job) => jobLink(context, job),
            columns: [
              { label: "Job", cell: titleOf },
              { label: "State", cell: (job) => jobBadge(stateOfJob(job, now)) },
              { label: "Done", cell: (job) => doneText(job, formats), isNumber: true },
              { label: "Started", cell: ({ createdAt }) => formats.time(createdAt) },
              { label: "By", cell: ({ by }) => by?.name ?? by?.id ?? "the service", isMinor: true },
            ],
          })}${pager({
            text: jobsTexts.count(formats.number(rows.length)),
            previous: previous === null ? null : `${path}?before=${previous}`,
            next: next === null ? null : `${path}?after=${next}`,
          })}`;
    return content(
      "Jobs",
      html`${pageHeader({ title: "Jobs", description: "Background work: imports, changes to many subscribers, deletions. Ended jobs are kept for 30 days." })}
${body}`,
    );
  },
});
