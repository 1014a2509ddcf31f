/** Jobs in replies: of themselves, and of requests that begin long work. */
import { type TSchema, Type } from "typebox";
import { type Job, jobEndings, leftStates, stateOfJob } from "#domain/job/job.ts";
import { type JobKind, jobKinds, replacedJobs } from "#domain/job/kinds.ts";
import { ActorSchema } from "../actor.ts";
import { camel, OneOfCamel } from "../camel.ts";
import { Named } from "../named.ts";
import { Id, Nullable, OneOf, Time, time, timeOrNull } from "../schemas.ts";
import { RESULT, toJobResult } from "./results.ts";

export const JobSchema = Named("Job", {
  id: Id(),
  kind: OneOfCamel([...jobKinds, ...replacedJobs], "What it does."),
  name: Type.String({
    description: "What it does and what it is about, as the command line shows it, such as `delete-list 3`.",
  }),
  state: OneOf(
    [...leftStates, ...jobEndings],
    "`retrying`: the last step failed and will be repeated. `failed`: the job can never be continued. `interrupted`: the database was copied or restored before the job had ended.",
  ),
  doneCount: Type.Integer({
    description: "How many items (such as subscribers or refused calls) the job has dealt with.",
  }),
  totalCount: Nullable(
    Type.Integer({ description: "How many items there are in all; null if that is not known." }),
  ),
  result: Type.Unsafe<ReturnType<typeof toJobResult>>({
    anyOf: [{ type: "object", additionalProperties: true }, { type: "null" }],
    description: RESULT,
  }),
  failureCount: Type.Integer({ description: "How many times the current step has failed." }),
  lastError: Nullable(Type.String({ description: "The error of the last failure." })),
  accountId: Nullable(Id("null: the job belongs to the whole installation.")),
  actor: Nullable(
    Type.Object(ActorSchema.properties, {
      title: "Actor",
      description: "Who started the job; null if it starts by itself, or if that is not known.",
    }),
  ),
  createdAt: Time(),
  dueAt: Time("When it may begin; after a failure, when it is repeated."),
  cancelledAt: Nullable(Time("When somebody cancelled it. The job ends with its current step.")),
  endedAt: Nullable(Time()),
});

export const toJob = (job: Job, now: number) => ({
  id: String(job.id),
  kind: camel(job.kind as JobKind),
  name: job.name,
  state: stateOfJob(job, now),
  doneCount: job.done,
  totalCount: job.total,
  result: toJobResult(job),
  failureCount: job.attempts,
  lastError: job.lastError,
  accountId: job.account === null ? null : String(job.account),
  actor: job.by,
  createdAt: time(job.createdAt),
  dueAt: time(job.dueAt),
  cancelledAt: timeOrNull(job.cancelledAt),
  endedAt: timeOrNull(job.endedAt),
});

/** The reply of a request that may leave a job: 202 with the job, or 200 if everything is done. */
export const WithJob = <Members extends Record<string, TSchema>>(members: Members) =>
  Type.Object({
    ...members,
    job: Nullable(
      Type.Object(JobSchema.properties, {
        title: "Job",
        description:
          "The work that is left (status 202): the service does it in the background. null: everything is done (status 200).",
      }),
    ),
  });

export const jobOrNull = (job: Job | null, now: number) => (job === null ? null : toJob(job, now));
