/** Jobs in replies: of themselves, and of requests that begin long work. */

import { type TSchema, Type } from "typebox";
import { type Job, jobEndings, leftStates, stateOfJob } from "#domain/job/job.ts";
import { type JobKind, jobKinds, replacedJobs } from "#domain/job/kinds.ts";
import { type JobResult, leftOutOf, membersOf, reasonsOf } from "#domain/job/result.ts";
import { ActorSchema } from "./actor.ts";
import { camel, Id, Named, Nullable, OneOf, OneOfCamel, Time, written } from "./schemas.ts";

/** In replies of requests that delete personal data. */
export const RewriteAt = Nullable(
  Time(
    "When the job `rewrite-database` removes what is left of the deleted data in the files of the database: at 03:00 of the server. On SQLite it rewrites the file. On PostgreSQL it frees the space (VACUUM), and the bytes stay until the space is used again.",
  ),
);

/** What jobs have done, in the words of the API: ids are text, and outcomes are words in camelCase. */
const RESULT = [
  "What the job has done so far. Its members depend on `kind`.",
  "`import`: `importId`, `uploadId`, `isDryRun`, `pass`, `rowCount` and `byteCount` (read so far);",
  "at the end also `counts`, `rejected` (`rowCount`, `reasons`, `uploadId`, `isCut`), `leftOutValues` (by `heading`",
  "and `reason`, with `valueCount` and the first `lines`), `notes` (how the table is read), `mislabelledLineCount`,",
  "`sampleLines` (by outcome, the first lines of the file that have it) and `isPartial` (a dry run that read",
  "only the first rows).",
  "`changeSubscribers`, and `dryRunChange` (what would be): `counts` with `changed`, `unchanged` and, by outcome, `refused`.",
  "`undoImport`, and `dryRunUndo` (what would be): `importId`, `isDryRun` and `counts` with `deleted` (subscribers",
  "whom the import created), `removed` (others who left the list), `restored` (subscribers and their values),",
  "`stayed` (whom it added and who stay, by reason: `addedSince` by a call, an operator or a later import, `optedOut`, `mailed` by",
  "a campaign, `changedSince`) and `keptValues` (changed since); `laterImportIds` (the first imports after it).",
  "`replayRefusals`: `counts` with `succeeded`, `notReplayable` and, by outcome, `refused`.",
  "`dryRunCampaign`: `campaignId`, `personCount` (everybody on the lists), `recipientCount`, `leftOut` (each with",
  "`reason`), `emptyFields` (each with `mergeField`) and `problems` (each with `kind`), all of them with `count` and some",
  "`subscriberIds`; `renderMs` (how long making the messages took), `expectedSeconds` (how long the sending takes",
  "at least) and `limitedBy` (what decides that: a limit of the sender, or `rendering`), both null if nobody would",
  "get a message.",
].join(" ");

type Stored = JobResult[string] | undefined;
const idOf = (id: Stored): string | null => (typeof id === "number" ? String(id) : null);

/** The settings of an import are as in the request. */
function ofImport({ settings: _settings, ...result }: JobResult) {
  const { import: batch, upload, rows, bytes, mislabelled, rejected, samples, leftOut, ...rest } = result;
  const read = {
    importId: idOf(batch),
    uploadId: idOf(upload),
    ...{ rowCount: rows, byteCount: bytes, ...rest },
  };
  if (rejected === undefined) return read;
  const { rows: rowCount, upload: uploadId, reasons, ...more } = membersOf(rejected);
  return {
    ...read,
    mislabelledLineCount: mislabelled,
    sampleLines: samples ?? {},
    leftOutValues: leftOutOf(leftOut).map(({ values: valueCount, ...one }) => ({ ...one, valueCount })),
    rejected: {
      ...{ rowCount, uploadId: idOf(uploadId), ...more },
      reasons: reasonsOf(reasons).map(([reason, count]) => ({ reason, rowCount: count })),
    },
  };
}

const withOutcomes = ({ refused, ...counts }: JobResult) => ({
  counts: {
    ...counts,
    refused: Object.fromEntries(
      Object.entries(membersOf(refused)).map(([outcome, count]) => [camel(outcome), count]),
    ),
  },
});

function ofUndo({ import: batch = null, isDryRun, counts, laterImports }: JobResult) {
  return {
    ...{ importId: idOf(batch), isDryRun, counts: membersOf(counts) },
    laterImportIds: Array.isArray(laterImports) ? laterImports.map(String) : [],
  };
}

const findings = (found: Stored, name: string) =>
  Object.entries(membersOf(found)).map(([word, finding]) => {
    const { count = 0, samples = [], ...more } = membersOf(finding);
    const ids = Array.isArray(samples) ? samples.map(String) : [];
    return { [name]: name === "mergeField" ? word : camel(word), count, subscriberIds: ids, ...more };
  });

function ofDryRun(result: JobResult) {
  const { campaign = null, people, recipients, leftOut, emptyFields, problems } = result;
  const { renderMs, expectedSeconds, limitedBy } = result;
  return {
    ...{ campaignId: idOf(campaign), personCount: people, recipientCount: recipients },
    leftOut: findings(leftOut, "reason"),
    emptyFields: findings(emptyFields, "mergeField"),
    problems: findings(problems, "kind"),
    ...{ renderMs, expectedSeconds, limitedBy },
  };
}

const ofCounts: readonly string[] = [
  "change-subscribers",
  "dry-run-change",
  "replay-refusals",
] satisfies readonly JobKind[];

function toJobResult({ kind, result }: Job): Readonly<Record<string, unknown>> | null {
  if (result === null) return null;
  if (kind === "import") return ofImport(result);
  if (kind === "dry-run-campaign") return ofDryRun(result);
  if (kind === "undo-import" || kind === "dry-run-undo") return ofUndo(result);
  return ofCounts.includes(kind) ? withOutcomes(result) : result;
}

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
  startedAt: Nullable(
    Time("When a server first took it; null if none has, or if the command that created it also does it."),
  ),
  cancelledAt: Nullable(Time("When somebody cancelled it. The job ends with its current step.")),
  endedAt: Nullable(Time()),
});

export const toJob = (job: Job, now: number) => ({
  ...written({ ...job, accountId: job.account }),
  kind: camel(job.kind as JobKind),
  state: stateOfJob(job, now),
  doneCount: job.done,
  totalCount: job.total,
  result: toJobResult(job),
  failureCount: job.attempts,
  actor: job.by,
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

/** Of a route that only starts a job. */
export const startsJob = {
  status: 202,
  reply: WithJob({}),
  answer: ({ job }: { readonly job: Job | null }, { now }: { readonly now: number }) => ({
    job: jobOrNull(job, now),
  }),
} as const;
