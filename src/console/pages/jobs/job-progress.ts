/**
 * The state of a job and how far it got, for its own page and for pages that have started one. While it is
 * left, the script replaces it with what the stream of the job sends; at its end, the page is shown again.
 */
import { ESTIMATED_AFTER_MS, type Job, type JobState, stateOfJob, workedSince } from "#domain/job/job.ts";
import type { BulkArguments } from "#domain/subscriber/bulk-change.ts";
import { badge, type Tone } from "#html/components/badge.ts";
import { live, notice, progress } from "#html/components/feedback.ts";
import { type Html, html } from "#html/html.ts";
import type { Formats } from "../../kit/formats.ts";
import { type PageContext, type Redirect, redirect } from "../../kit/page.ts";
import type { AnyPageContext } from "../settings/settings-header.ts";

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
  "undo-import": ([id]) => `Undoing import ${id}`,
  "dry-run-undo": ([id]) => `Dry run: undoing import ${id}`,
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
/** What is counted; in the plural, which ends in s. */
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
const states: Readonly<Record<JobState, readonly [label: string, tone: Tone]>> = {
  waiting: ["Waiting", "neutral"],
  running: ["Running", "info"],
  retrying: ["Retrying", "warning"],
  finished: ["Finished", "good"],
  cancelled: ["Cancelled", "neutral"],
  failed: ["Failed", "bad"],
  interrupted: ["Interrupted", "warning"],
};
/** Of a job whose last attempt failed. */
export const retryNotice = ({ dueAt, lastError }: Job, { dateTime }: Formats): Html =>
  notice(
    "warning",
    "The last attempt failed. It is retried automatically",
    `The next attempt is at ${dateTime(dueAt)}. ${lastError ?? ""}`,
  );

const MINUTE_MS = 60_000;

/** Within the account of the context; without one, among the jobs of the installation. */
export const jobLink = (
  { link, account = null }: Pick<PageContext, "link"> & { readonly account?: object | null },
  { id }: Pick<Job, "id">,
): string => link(`${account === null ? "/installation" : ""}/jobs/${id}`);

/** After work that may be left to a job: the page of the job while it runs, otherwise `to`. */
export const redirectAfter = (
  context: Pick<PageContext<"/{account}">, "link" | "account">,
  job: Job | null,
  to: string,
  { done, begun }: { readonly done: string; readonly begun: string },
): Redirect =>
  job === null || job.ending !== null ? redirect(to, done) : redirect(jobLink(context, job), begun);

export function jobBadge(state: JobState): Html {
  const [label, tone] = states[state];
  return badge(label, tone);
}

/** What it has dealt with, such as "1,200 of 50,000 members". */
export function doneText({ kind, done, total, ending }: Job, { number }: Formats): string {
  const unit = units[kind] ?? "subscribers";
  if (total !== null && done <= total && ending !== "finished")
    return `${number(done)} of ${number(total)} ${unit}`;
  const counted = `${number(done)} ${done === 1 ? unit.slice(0, -1) : unit}`;
  return ending === null ? `${counted} so far` : counted;
}

/** As long as it took until now, for what is left; null while too little is known. */
function timeLeft(job: Job, now: number, { number }: Formats): string | null {
  const { done, total } = job;
  const worked = now - workedSince(job);
  if (total === null || done <= 0 || done >= total || worked < ESTIMATED_AFTER_MS) return null;
  const minutes = Math.round(((worked / done) * (total - done)) / MINUTE_MS);
  return minutes < 1 ? "less than a minute left" : `about ${number(minutes)} minutes left`;
}

/** What the stream sends: the same as the page shows within. */
export function liveJob(job: Job, formats: Formats, now: number): Html {
  const state = stateOfJob(job, now);
  const left = state === "running" ? timeLeft(job, now, formats) : null;
  const said =
    job.cancelledAt !== null
      ? "It is being cancelled and ends after the current step."
      : state === "waiting" && job.done === 0
        ? "It starts within a few seconds."
        : [doneText(job, formats), ...(left === null ? [] : [left])].join(", ");
  return html`${progress({ label: "Progress", done: job.done, total: job.total, text: html`${jobBadge(state)} ${said}` })}${
    state === "retrying" ? retryNotice(job, formats) : null
  }`;
}

/** Of a job that is left to do. `href` is the page that shows it. */
export const jobProgress = (context: AnyPageContext, job: Job, href = context.path): Html =>
  live(`${jobLink(context, job)}/events`, liveJob(job, context.formats, context.now), {
    label: "Reload to see the progress",
    href,
  });
