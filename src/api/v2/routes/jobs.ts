/** Long work that the service does by itself: how far it is, and what became of it. */
import { cancelJob, listJobs, showJob } from "#admin/jobs.ts";
import { JobSchema, toJob } from "../kit/jobs.ts";
import { ofInstallation, type Route, route } from "../kit/route.ts";
import { pageOfRows } from "../kit/schemas.ts";

const KEPT = "Newest first. A job is kept for 30 days after its end.";
const CANCELS =
  "What the job has done so far is not undone. A running job ends with its current step. Deletions, the application of a block, and maintenance cannot be cancelled.";

const list = route("GET /accounts/{account}/jobs", {
  summary: "List the jobs of an account",
  description: KEPT,
  action: listJobs,
  ...pageOfRows(JobSchema, toJob),
});
const show = route("GET /accounts/{account}/jobs/{job}", {
  summary: "Show a job: its state, progress and result",
  action: showJob,
  reply: JobSchema,
  answer: (job, { now }) => toJob(job, now),
});
const cancel = route("POST /accounts/{account}/jobs/{job}/cancel", {
  summary: "Cancel a job",
  description: CANCELS,
  action: cancelJob,
  reply: JobSchema,
  answer: (job, { now }) => toJob(job, now),
});

export const jobRoutes: readonly Route[] = [
  ...[list, show, cancel],
  ofInstallation(list, {
    summary: "List the jobs of all accounts and of the installation",
    description: `${KEPT} For administrators.`,
  }),
  ofInstallation(show, {
    summary: "Show a job of any account or of the installation",
    description:
      "For administrators. After an account is deleted, the job that deleted it is found only here.",
  }),
  ofInstallation(cancel, {
    summary: "Cancel a job of any account or of the installation",
    description: `For administrators. ${CANCELS}`,
  }),
];
