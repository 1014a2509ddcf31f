/** How far a dry run or an import is, live: rows, rows per second, and the time that is left. */

import { readRejectedRows } from "#admin/imports/imports.ts";
import { disarmCsv, readUploadFrom } from "#admin/uploads.ts";
import type { ImportCounts } from "#domain/import/batch.ts";
import { ESTIMATED_AFTER_MS, type Job, stateOfJob, workedSince } from "#domain/job/job.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { live, progress } from "#html/components/feedback.ts";
import { type Html, html } from "#html/html.ts";
import type { Formats } from "../../kit/formats.ts";
import { liveEvents } from "../../kit/live-events.ts";
import { type Download, download, page, type ServerEvent } from "../../kit/page.ts";
import { figures } from "./outcomes.ts";

export const left = (seconds: number): string => {
  if (seconds < 50) return "less than a minute left";
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return minutes <= 1 ? "about a minute left" : `about ${minutes} minutes left`;
  const hours = Math.round(minutes / 60);
  return hours === 1 ? "about an hour left" : `about ${hours} hours left`;
};

/** A rate over a shorter time jumps. */
const LEAST_WINDOW_SECONDS = 2;
const WINDOW_MS = 15_000;
/** Since the beginning of a job, it is too low at first: looking through the file comes before the rows. */
const LEAST_SECONDS = 10;

/** What is known at one moment. */
export interface Moment {
  readonly job: Job;
  /** Of the upload; null: it is not known. */
  readonly size: number | null;
  readonly at: number;
  /** Of an import: what became of the rows so far. */
  readonly counts: ImportCounts | null;
}

const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

type Pace = Readonly<Record<"rowsPerSecond" | "secondsLeft", number | null>>;
/** By what was done since `earlier`; if there is none, since the beginning. */
function paceOf({ job, size, at }: Moment, earlier: Moment | null): Pace {
  const { rows, bytes, pass } = job.result ?? {};
  const seconds = (at - (earlier?.at ?? workedSince(job))) / 1000;
  const least = earlier === null ? LEAST_SECONDS : LEAST_WINDOW_SECONDS;
  if (pass !== 2 || seconds < least) return { rowsPerSecond: null, secondsLeft: null };
  const speed = (now: unknown, then: unknown): number => (numberOf(now) - numberOf(then)) / seconds;
  const before = earlier?.job.result;
  const [rowsPerSecond, bytesPerSecond] = [speed(rows, before?.rows), speed(bytes, before?.bytes)];
  const rest = size === null ? null : Math.max(0, size - numberOf(bytes));
  const isEarly = seconds < LEAST_SECONDS || at - workedSince(job) < ESTIMATED_AFTER_MS;
  const secondsLeft = rest === null || bytesPerSecond <= 0 || isEarly ? null : rest / bytesPerSecond;
  return { rowsPerSecond: rowsPerSecond > 0 ? rowsPerSecond : null, secondsLeft };
}

function words({ job, at, counts }: Moment, pace: Pace, { number, count }: Formats): string {
  const { rows, pass } = job.result ?? {};
  if (stateOfJob(job, at) === "retrying")
    return `The last attempt failed (${job.lastError ?? ""}). It is retried automatically, and no row is imported twice.`;
  if (job.result === null) return "It starts in a moment.";
  if (pass === 1) return "Checking the file for date formats and repeated addresses.";
  const { rowsPerSecond, secondsLeft } = pace;
  const parts = [
    // The figures below have the rows of an import: those that are saved.
    ...(counts === null ? [count(numberOf(rows), "row")] : []),
    ...(rowsPerSecond === null ? [] : [`${number(Math.round(rowsPerSecond))} rows per second`]),
    ...(secondsLeft === null ? [] : [left(secondsLeft)]),
  ];
  return parts.length === 0 ? "The rows are being imported." : parts.join(" · ");
}

function partsOf(moment: Moment, earlier: Moment | null, formats: Formats) {
  const { job, size, at } = moment;
  const { bytes, pass, import: batch } = job.result ?? {};
  const isMeasured = pass === 2 && stateOfJob(job, at) !== "retrying";
  return {
    label: typeof batch === "number" ? "The import" : "The dry run",
    done: numberOf(bytes),
    total: isMeasured ? size : null,
    text: words(moment, paceOf(moment, earlier), formats),
  };
}

function shown(moment: Moment, earlier: Moment | null, formats: Formats): Html {
  const { counts } = moment;
  const bar = progress(partsOf(moment, earlier, formats));
  return counts === null
    ? bar
    : html`<div class="stack">${bar}${figures({ counts, isDone: true, formats })}</div>`;
}

/** `stream`: the address of its events. Without a script, a link shows the page again. */
export const liveProgress = (moment: Moment, formats: Formats, stream: string, path: string): Html =>
  html`<div class="stack">${live(stream, shown(moment, null, formats), { label: "Reload to see the progress", href: path })}<p class="field-hint">You can close this page. The import continues, also after a restart of the service.</p></div>`;

/** Until the job ends. `read` returns null if there is no such job. */
export function progressEvents(
  read: () => Promise<Moment | null>,
  formats: Formats,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  let recent: readonly Moment[] = [];
  const look = async () => {
    const moment = await read();
    if (moment === null || moment.job.ending !== null) return { end: "" };
    const isComparable = ({ job, at }: Moment): boolean =>
      job.result?.pass === moment.job.result?.pass && moment.at - at <= WINDOW_MS;
    recent = [...recent.filter(isComparable), moment];
    return { data: shown(moment, recent[0] ?? null, formats).html };
  };
  return liveEvents(look, signal);
}

export const rejectedRowsTexts = {
  hint: "The first file is for spreadsheets: cells that a spreadsheet would run as formulas, including telephone numbers with a +, have a ' in front. The import removes the '.",
};

/**
 * The rejected rows of an import or a dry run as a file. Marketers open it in a spreadsheet, so cells are
 * disarmed unless the rows are asked for unchanged.
 */
const UNCHANGED = "unchanged";

export const rejectedLinks = (href: string): readonly Html[] => [
  buttonLink({ label: "Download the rejected rows", href, icon: "export", isDownload: true }),
  buttonLink({
    ...{ label: "Download them unchanged", href: `${href}?${UNCHANGED}` },
    ...{ icon: "export", isDownload: true, emphasis: "quiet" },
  }),
];

const csv = (fileName: string, chunks: Download["chunks"]): Download =>
  download({ fileName, contentType: "text/csv; charset=utf-8", chunks });

const rejectedDownload = page({
  path: "/{account}/imports/{import}/rejected-rows",
  role: "editor",
  show: async ({ performHere, params, query }) => {
    const { bytes } = await performHere(readRejectedRows, { id: params.import });
    return csv(`import-${params.import}-rejected.csv`, query.has(UNCHANGED) ? bytes : disarmCsv(bytes));
  },
});

/** The rejected rows of a dry run are an upload. */
const uploadDownload = page({
  path: "/{account}/imports/uploads/{upload}/content",
  role: "editor",
  show: async ({ performHere, params, query }) => {
    const one = { id: params.upload, from: 0, isUnchanged: query.has(UNCHANGED) };
    const { upload, chunks } = await performHere(readUploadFrom, one);
    return csv(upload.name, chunks);
  },
});

export const downloadPages = [uploadDownload, rejectedDownload];
