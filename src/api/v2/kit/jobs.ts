/** Jobs in replies: of themselves, and of requests that begin long work. */
import { type TSchema, Type } from "typebox";
import { type Job, jobEndings, leftStates, stateOfJob } from "../../../domain/job.ts";
import { Id, Nullable, OneOf, Time, time, timeOrNull } from "./schemas.ts";

export const JobSchema = Type.Object({
  id: Id(),
  kind: Type.String({ description: "What it does, such as `delete-list`." }),
  name: Type.String({ description: "The kind and what it is about, such as `delete-list 3`." }),
  state: OneOf([...leftStates, ...jobEndings]),
  done: Type.Integer({ description: "How many it has dealt with." }),
  total: Nullable(Type.Integer({ description: "Of how many; null if that is not known." })),
  result: Type.Unsafe<Job["result"]>({
    anyOf: [{ type: "object", additionalProperties: true }, { type: "null" }],
    description: "What it has done so far, by kind.",
  }),
  attempts: Type.Integer({ description: "Failures since the last step that succeeded." }),
  lastError: Nullable(Type.String()),
  account: Nullable(Id("null: it concerns the whole installation.")),
  by: Nullable(
    Type.Object(
      { kind: Type.String(), name: Nullable(Type.String()) },
      { description: "Who began it; null if nobody did, or it is not known." },
    ),
  ),
  createdAt: Time(),
  dueAt: Time("When it may begin; after a failure, when it is repeated."),
  cancelledAt: Nullable(Time()),
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
        description: "The work that is left, which the service does by itself. null: everything is done.",
      }),
    ),
  });

export const jobOrNull = (job: Job | null, now: number) => (job === null ? null : toJob(job, now));
