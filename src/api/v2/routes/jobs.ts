/** Long work that the service does by itself: how far it is, and what became of it. */
import { Type } from "typebox";
import { cancelJob, listJobs, showJob } from "../../../admin/jobs.ts";
import { JobSchema, toJob } from "../kit/jobs.ts";
import { route } from "../kit/route.ts";
import { Collection, collection, pageOf, pageQuery } from "../kit/schemas.ts";

const tag = "Jobs";
const CANCELS =
  "What it has done stays done. A job that is running ends with its current step. A deletion cannot be cancelled.";

export const jobRoutes = [
  route({
    method: "GET",
    path: "/accounts/{account}/jobs",
    tag,
    summary: "List the jobs of an account",
    description: "The newest first, for 30 days after their end.",
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
    description: "The newest first, for 30 days after their end. For administrators.",
    action: listJobs,
    id: "job.list-all",
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
      "For administrators. The job that deletes an account is found here after the account is gone.",
    action: showJob,
    id: "job.show-any",
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
    id: "job.cancel-any",
    args: ({ params: { job } }) => ({ account: null, id: job }),
    status: 200,
    reply: JobSchema,
    answer: (job, { now }) => toJob(job, now),
  }),
];
