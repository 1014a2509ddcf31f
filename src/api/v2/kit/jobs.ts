/** Jobs in replies: of themselves, and of requests that begin long work. */
import { type TSchema, Type } from "typebox";
import { type Job, jobEndings, leftStates, stateOfJob } from "../../../domain/job.ts";
import { Named } from "./named.ts";
import { Id, Nullable, OneOf, Time, time, timeOrNull } from "./schemas.ts";

export const JobSchema = Named("Job", {
  id: Id(),
  kind: Type.String({ description: "What it does, such as `delete-list`." }),
  name: Type.String({ description: "The kind and what it is about, such as `delete-list 3`." }),
  state: OneOf(
    [...leftStates, ...jobEndings],
    "`retrying`: the last step failed and will be repeated. `failed`: the job can never be continued. `interrupted`: the database was copied or restored before the job had ended.",
  ),
  done: Type.Integer({
    description: "How many items (such as subscribers or refused calls) the job has dealt with.",
  }),
  total: Nullable(
    Type.Integer({ description: "How many items there are in all; null if that is not known." }),
  ),
  result: Type.Unsafe<Job["result"]>({
    anyOf: [{ type: "object", additionalProperties: true }, { type: "null" }],
    description: "What the job has done so far. Its members depend on `kind`.",
  }),
  attempts: Type.Integer({ description: "How many times the current step has failed." }),
  lastError: Nullable(Type.String({ description: "The error of the last failure." })),
  account: Nullable(Id("null: the job belongs to the whole installation.")),
  by: Nullable(
    Type.Object(
      { kind: Type.String(), name: Nullable(Type.String()) },
      { description: "Who started the job; null if it starts by itself, or if that is not known." },
    ),
  ),
  createdAt: Time(),
  dueAt: Time("When it may begin; after a failure, when it is repeated."),
  cancelledAt: Nullable(Time("When somebody cancelled it. The job ends with its current step.")),
  endedAt: Nullable(Time()),
});

export const toJob = (job: Job, now: number) => ({
  id: String(job.id),
  kind: job.kind,
  name: job.name,
  state: stateOfJob(job, now),
  done: job.done,
  total: job.total,
  result: job.result,
  attempts: job.attempts,
  lastError: job.lastError,
  account: job.account === null ? null : String(job.account),
  by: job.by,
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
