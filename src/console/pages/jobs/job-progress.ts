/**
 * The state of a job and how far it got, for its own page and for pages that have started one. While it is
 * left, the script replaces it with what the stream of the job sends; at its end, the page is shown again.
 */
import { type Job, type JobState, stateOfJob } from "#domain/job/job.ts";
import { badge } from "#html/components/badge.ts";
import { live, notice, progress } from "#html/components/feedback.ts";
import { type Html, html } from "#html/html.ts";
import type { Formats } from "../../kit/formats.ts";
import { type Redirect, redirect } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import type { AnyVisit } from "../settings/place.ts";
import * as texts from "./job.texts.ts";

const MINUTE_MS = 60_000;

/** Within the account of the visit; without one, among the jobs of the installation. */
export const jobLink = (
  { link, account = null }: Pick<Visit, "link"> & { readonly account?: object | null },
  { id }: Pick<Job, "id">,
): string => link(`${account === null ? "/installation" : ""}/jobs/${id}`);

/** After work that may be left to a job: the page of the job while it runs, otherwise `to`. */
export const redirectAfter = (
  visit: Pick<Visit<"/{account}">, "link" | "account">,
  job: Job | null,
  to: string,
  { done, begun }: { readonly done: string; readonly begun: string },
): Redirect =>
  job === null || job.ending !== null ? redirect(to, done) : redirect(jobLink(visit, job), begun);

export function jobBadge(state: JobState): Html {
  const [label, tone] = texts.states[state];
  return badge(label, tone);
}

/** What it has dealt with, such as "1,200 of 50,000 members". */
export function doneText({ kind, done, total, ending }: Job, { number }: Formats): string {
  const unit = texts.unitOf(kind);
  if (total !== null && done <= total && ending !== "finished")
    return texts.of(number(done), number(total), unit);
  return ending === null ? texts.soFar(number(done), unit) : texts.inAll(number(done), unit);
}

/** As long as it took until now, for what is left; null while too little is known. */
function timeLeft({ createdAt, done, total }: Job, now: number, { number }: Formats): string | null {
  if (total === null || done <= 0 || done >= total || now <= createdAt) return null;
  const minutes = Math.round((((now - createdAt) / done) * (total - done)) / MINUTE_MS);
  return minutes < 1 ? texts.fewSecondsLeft : texts.minutesLeft(number(minutes));
}

/** What the stream sends: the same as the page shows within. */
export function liveJob(job: Job, formats: Formats, now: number): Html {
  const state = stateOfJob(job, now);
  const left = state === "running" ? timeLeft(job, now, formats) : null;
  const said =
    job.cancelledAt !== null
      ? texts.cancelling
      : state === "waiting" && job.done === 0
        ? texts.notBegun
        : [doneText(job, formats), ...(left === null ? [] : [left])].join(", ");
  return html`${progress({ label: texts.progress, done: job.done, total: job.total, text: html`${jobBadge(state)} ${said}` })}${
    state === "retrying"
      ? notice("warning", texts.repeats, texts.repeatsAt(formats.dateTime(job.dueAt), job.lastError ?? ""))
      : null
  }`;
}

/** Of a job that is left to do. `href` is the page that shows it. */
export const jobProgress = (visit: AnyVisit, job: Job, href = visit.path): Html =>
  live(`${jobLink(visit, job)}/events`, liveJob(job, visit.formats, visit.now), {
    label: texts.reload,
    href,
  });
