/** What jobs have done, in the words of the API: ids are text, and outcomes are words in camelCase. */
import type { Job } from "#domain/job/job.ts";
import type { JobKind } from "#domain/job/kinds.ts";
import { type JobResult, membersOf } from "#domain/job/result.ts";
import { camel } from "../camel.ts";

export const RESULT = [
  "What the job has done so far. Its members depend on `kind`.",
  "`import`: `importId`, `uploadId`, `isDryRun`, `pass`, `rowCount` and `byteCount` (read so far);",
  "at the end also `counts`, `rejected` (`rowCount`, `reasons`, `uploadId`, `isCut`), `mislabelledLineCount`,",
  "`sampleLines` (by outcome, the first lines of the file that have it) and `isPartial` (a dry run that read",
  "only the first rows).",
  "`changeSubscribers`, and `dryRunChange` (what would be): `counts` with `changed`, `unchanged` and, by outcome, `refused`.",
  "`replayRefusals`: `counts` with `succeeded`, `notReplayable` and, by outcome, `refused`.",
  "`dryRunCampaign`: `campaignId`, `personCount` (everybody on the lists), `recipientCount`, `leftOut` (each with",
  "`reason`), `emptyFields` (each with `mergeField`) and `problems` (each with `kind`), all of them with `count` and some",
  "`subscriberIds`; `renderMs` (how long making the messages took), `expectedSeconds` (how long the sending takes",
  "at least) and `limitedBy` (what decides that: a limit of the sender, or `rendering`), both null if nobody would",
  "get a message.",
].join(" ");

type Stored = JobResult[string] | undefined;
const idOf = (id: Stored): string | null => (typeof id === "number" ? String(id) : null);

/** The settings of an import are those of the request. */
function ofImport({ settings: _settings, ...result }: JobResult) {
  const { import: batch, upload, rows, bytes, mislabelled, rejected, samples, ...rest } = result;
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
    rejected: {
      ...{ rowCount, uploadId: idOf(uploadId), ...more },
      reasons: Object.entries(membersOf(reasons)).map(([reason, count]) => ({ reason, rowCount: count })),
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

export function toJobResult({ kind, result }: Job): Readonly<Record<string, unknown>> | null {
  if (result === null) return null;
  if (kind === "import") return ofImport(result);
  if (kind === "dry-run-campaign") return ofDryRun(result);
  return ofCounts.includes(kind) ? withOutcomes(result) : result;
}
