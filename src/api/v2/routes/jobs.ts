/** Long work that the service does by itself: how far it is, and what became of it. */
import { Type } from "typebox";
import { cancelJob, listJobs, showJob } from "#admin/jobs/jobs.ts";
import { JobSchema, toJob } from "../kit/jobs.ts";
import { route } from "../kit/route.ts";
import { Collection, collection, pageOf, pageQuery } from "../kit/schemas.ts";

const tag = "Jobs";
const CANCELS =
  "What the job has done so far is not undone. A running job ends with its current step. Deletions, the application of a block, and maintenance cannot be cancelled.";

export const jobRoutes = [
  route({
    method: "GET",
    path: "/accounts/{account}/jobs",
    tag,
    summary: "List the jobs of an account",
    description: "Newest first. A job is kept for 30 days after its end.",
    action: listJobs,
    query: Type.Object(pageQuery),
    args: ({ params, query }) => ({ ...params, ...pageOf(query) }),
    status: 200,
    reply: Collection(JobSchema),
    answer: (page, { now }) => collection(page, (job) => toJob(job, now)),
  }),
  route({
    method: "GET",
    path: "/accounts/{account}/jobs/{job}",
    tag,
    summary: "Show a job: its state, progress and result",
    action: showJob,
    args: ({ params: { account, job } }) => ({ account, id: job }),
    status: 200,
    reply: JobSchema,
    answer: (job, { now }) => toJob(job, now),
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/jobs/{job}/cancel",
    tag,
    summary: "Cancel a job",
    description: CANCELS,
    action: cancelJob,
    args: ({ params: { account, job } }) => ({ account, id: job }),
    status: 200,
    reply: JobSchema,
    answer: (job, { now }) => toJob(job, now),
  }),
  route({
    method: "GET",
    path: "/jobs",
    tag,
    summary: "List the jobs of all accounts and of the installation",
    description: "Newest first. A job is kept for 30 days after its end. For administrators.",
    action: listJobs,
    isOfInstallation: true,
    query: Type.Object(pageQuery),
    args: ({ query }) => ({ account: null, ...pageOf(query) }),
    status: 200,
    reply: Collection(JobSchema),
    answer: (page, { now }) => collection(page, (job) => toJob(job, now)),
  }),
  route({
    method: "GET",
    path: "/jobs/{job}",
    tag,
    summary: "Show a job of any account or of the installation",
    description:
      "For administrators. After an account is deleted, the job that deleted it is found only here.",
    action: showJob,
    isOfInstallation: true,
    args: ({ params: { job } }) => ({ account: null, id: job }),
    status: 200,
    reply: JobSchema,
    answer: (job, { now }) => toJob(job, now),
  }),
  route({
    method: "POST",
    path: "/jobs/{job}/cancel",
    tag,
    summary: "Cancel a job of any account or of the installation",
    description: `For administrators. ${CANCELS}`,
    action: cancelJob,
    isOfInstallation: true,
    args: ({ params: { job } }) => ({ account: null, id: job }),
    status: 200,
    reply: JobSchema,
    answer: (job, { now }) => toJob(job, now),
  }),
];
