import type { Job, JobState } from "#domain/job/job.ts";
import type { BulkArguments } from "#domain/subscriber/bulk-change.ts";
import type { Tone } from "#html/components/badge.ts";

export const jobs = "Jobs";

/** What the job is about follows its kind in its name. */
const titles: Readonly<Record<string, (subject: readonly string[], job: Job) => string>> = {
  "delete-list": ([list]) => `Deletion of list ${list}`,
  "delete-field": ([field]) => `Deletion of field ${field}`,
  "delete-campaign": ([campaign]) => `Deletion of campaign ${campaign}`,
  "select-recipients": ([campaign]) => `Selection of the recipients of campaign ${campaign}`,
  "dry-run-campaign": ([campaign]) => `Dry run of campaign ${campaign}`,
  "delete-account": () => "Deletion of this account",
  "apply-block": ([, ...pattern]) => `Block list: ${pattern.join(" ")}`,
  import: (_, { result }) =>
    result?.isDryRun === true
      ? "Dry run of an import"
      : typeof result?.import === "number"
        ? `Import ${result.import}`
        : "Import",
  "dismiss-refusals": ([, operation, outcome]) => `Dismissal of refused calls: ${operation}, ${outcome}`,
  "retry-recipients": ([campaign]) => `Retry of recipients of campaign ${campaign}`,
  "restore-recipients": ([campaign]) =>
    `Restoring the recipients of campaign ${campaign} to what they were before a retry`,
  "replay-refusals": ([, operation, outcome]) => `Replay of refused calls: ${operation}, ${outcome}`,
  "change-subscribers": ([, change = ""]) => changes[change] ?? change,
  "dry-run-change": ([, change = ""]) => `Dry run: ${changes[change] ?? change}`,
};
const changes: Readonly<Record<string, string>> = {
  add: "Add subscribers to a list",
  remove: "Remove subscribers from a list",
  unsubscribe: "Unsubscribe subscribers",
  "clear-bounces": "Clear the bounces of a campaign",
} satisfies Record<BulkArguments["change"]["kind"], string>;

/** What the service repeats by itself, by kind. */
const maintenance: Readonly<Record<string, string>> = {
  purge: "Delete what is older than it is kept",
  "rewrite-database": "Remove erased data from the database files",
};
export const isMaintenance = ({ kind }: Job): boolean => Object.hasOwn(maintenance, kind);

export function titleOf(job: Job): string {
  const repeated = maintenance[job.kind];
  if (repeated !== undefined) return repeated;
  const [kind = "", ...subject] = job.name.split(" ");
  return Object.hasOwn(titles, kind) ? (titles[kind]?.(subject, job) ?? job.name) : job.name;
}

/** What is counted; in the plural. */
const units: Readonly<Record<string, string>> = {
  "delete-list": "members",
  "delete-field": "values",
  "delete-campaign": "rows",
  "dismiss-refusals": "refused calls",
  "replay-refusals": "refused calls",
  "retry-recipients": "recipients",
  "restore-recipients": "recipients",
  "select-recipients": "recipients",
  import: "rows",
};
export const unitOf = (kind: string): string => units[kind] ?? "subscribers";

export const states: Readonly<Record<JobState, readonly [label: string, tone: Tone]>> = {
  waiting: ["Waiting", "neutral"],
  running: ["Running", "info"],
  retrying: ["Retrying", "warning"],
  finished: ["Finished", "good"],
  cancelled: ["Cancelled", "neutral"],
  failed: ["Failed", "bad"],
  interrupted: ["Interrupted", "warning"],
};

export const progress = "Progress";
export const of = (done: string, total: string, unit: string): string => `${done} of ${total} ${unit}`;
export const soFar = (done: string, unit: string): string => `${done} ${unit} so far`;
export const inAll = (done: string, unit: string): string => `${done} ${unit}`;
export const notBegun = "It starts within a few seconds.";
export const cancelling = "It is being cancelled and ends after the current step.";
export const minutesLeft = (minutes: string): string => `about ${minutes} minutes left`;
export const fewSecondsLeft = "less than a minute left";
export const reload = "Reload to see the progress";

export const repeats = "The last attempt failed. It is retried automatically";
export const repeatsAt = (at: string, error: string): string => `The next attempt is at ${at}. ${error}`;
export const failedTitle = "The job failed and cannot be continued";
export const interruptedTitle = "The database was copied or restored before the job ended";
export const interruptedText = "Start the same action again for the rest.";
export const cancelledTitle = "The job was cancelled";
export const cancelledText = "What it had done until then stays done.";

export const started = "Started";
export const account = "Account";
export const nextRun = "Next run";
export const since = "Set up";
export const startedBy = "Started by";
export const itself = "the service";
export const dealtWith = "Done";
export const ended = "Ended";

export const result = "Result";
export const changed = "Changed";
export const unchanged = "Needed no change";
export const succeeded = "Succeeded";
export const notReplayable = "Could not be repeated";
export const refused = (meaning: string): string => `Refused: ${meaning}`;
export const dryRun = "Dry run: nothing was stored.";

export const cancel = "Cancel this job";
export const cancelTitle = "Cancel";
export const cancelText = (done: string): string =>
  `The job ends after its current step. What it has done stays done (so far: ${done}); the rest is left as it is.`;
export const wasCancelled = "The job is cancelled. What it has done stays done.";
export const cannotCancel = (reason: string): string => `It cannot be cancelled: ${reason}.`;

export const showImport = "Show the import";
export const showRefused = "Show the refused calls";
export const showDryRun = "Show the dry run";
export const showCampaign = "Show the campaign";
export const peopleOnLists = "On the lists";
export const recipients = "Recipients";
