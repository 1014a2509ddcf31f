/** `/console/{account}/jobs`: what runs, and what has ended in the last 30 days. */
import { listJobs } from "#admin/jobs.ts";
import { stateOfJob } from "#domain/job/job.ts";
import { html } from "#html/html.ts";
import { pagedTable } from "../../kit/listing.ts";
import { page } from "../../kit/page.ts";
import { settingsContent } from "../settings/settings-header.ts";
import { doneText, jobBadge, jobLink, titleOf } from "./job-progress.ts";

const PAGE = 50;

export const jobsPage = page({
  path: "/{account}/jobs",
  show: async (context) => {
    const { formats, now, path } = context;
    const found = await context.list(listJobs, { limit: PAGE });
    const body = pagedTable({ path }, found, {
      caption: "Jobs",
      href: (job) => jobLink(context, job),
      columns: [
        { label: "Job", cell: titleOf },
        { label: "State", cell: (job) => jobBadge(stateOfJob(job, now)) },
        { label: "Done", cell: (job) => doneText(job, formats), isNumber: true },
        { label: "Started", cell: ({ createdAt }) => formats.time(createdAt) },
        { label: "By", cell: ({ by }) => by?.name ?? by?.id ?? "the service", isMinor: true },
      ],
      text: (count) => formats.count(count, "job", "jobs, newest first"),
      empty: {
        title: "No jobs",
        text: "Imports, changes to many subscribers and large deletions appear here while they run, and for 30 days afterwards.",
        icon: "clock",
      },
    });
    return settingsContent(
      context,
      "/jobs",
      "Jobs",
      html`<p class="description">Background work: imports, changes to many subscribers, deletions. Ended jobs are kept for 30 days.</p>
${body}`,
    );
  },
});
