/** How far a dry run or an import is, live: rows, rows per second, and the time that is left. */
import type { ImportCounts } from "#domain/import/batch.ts";
import { type Job, stateOfJob } from "#domain/job/job.ts";
import { live, progress } from "#html/components/feedback.ts";
import { type Html, html } from "#html/html.ts";
import { type Sleep, sleep } from "#jobs/sleep.ts";
import type { Formats } from "../../kit/formats.ts";
import type { ServerEvent } from "../../kit/page.ts";
import { figures } from "./outcomes.ts";
import * as texts from "./progress.texts.ts";

const EVERY_MS = 1000;
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

interface Pace {
  readonly rowsPerSecond: number | null;
  readonly secondsLeft: number | null;
}
/** By what was done since `earlier`; if there is none, since the beginning. */
export function paceOf({ job, size, at }: Moment, earlier: Moment | null): Pace {
  const { rows, bytes, pass } = job.result ?? {};
  const seconds = (at - (earlier?.at ?? job.createdAt)) / 1000;
  const least = earlier === null ? LEAST_SECONDS : LEAST_WINDOW_SECONDS;
  if (pass !== 2 || seconds < least) return { rowsPerSecond: null, secondsLeft: null };
  const speed = (now: unknown, then: unknown): number => (numberOf(now) - numberOf(then)) / seconds;
  const before = earlier?.job.result;
  const [rowsPerSecond, bytesPerSecond] = [speed(rows, before?.rows), speed(bytes, before?.bytes)];
  const rest = size === null ? null : Math.max(0, size - numberOf(bytes));
  const secondsLeft = rest === null || bytesPerSecond <= 0 ? null : rest / bytesPerSecond;
  return { rowsPerSecond: rowsPerSecond > 0 ? rowsPerSecond : null, secondsLeft };
}

function words({ job, size, at }: Moment, pace: Pace, { number }: Formats): string {
  const { rows, pass } = job.result ?? {};
  if (stateOfJob(job, at) === "retrying") return texts.retrying(job.lastError ?? "");
  if (job.result === null) return texts.waitingToStart;
  if (pass === 1) return texts.preparing;
  const { rowsPerSecond, secondsLeft } = pace;
  return [
    texts.rows(number(numberOf(rows))),
    ...(rowsPerSecond === null ? [] : [texts.perSecond(number(Math.round(rowsPerSecond)))]),
    ...(secondsLeft === null || size === null ? [] : [texts.left(secondsLeft)]),
  ].join(" · ");
}

function partsOf(moment: Moment, earlier: Moment | null, formats: Formats) {
  const { job, size, at } = moment;
  const { bytes, pass, import: batch } = job.result ?? {};
  const isMeasured = pass === 2 && stateOfJob(job, at) !== "retrying";
  return {
    label: typeof batch === "number" ? texts.running : texts.dryRun,
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
  html`<div class="stack">${live(stream, shown(moment, null, formats), { label: texts.refresh, href: path })}<p class="field-hint">${texts.survives}</p></div>`;

/** Until the job ends. `read` returns null if there is no such job. */
export async function* progressEvents(
  read: () => Promise<Moment | null>,
  formats: Formats,
  signal: AbortSignal,
  pause: Sleep = sleep,
): AsyncGenerator<ServerEvent> {
  let recent: readonly Moment[] = [];
  while (!signal.aborted) {
    const moment = await read();
    if (moment === null || moment.job.ending !== null) {
      yield { event: "end", data: "" };
      return;
    }
    const isComparable = ({ job, at }: Moment): boolean =>
      job.result?.pass === moment.job.result?.pass && moment.at - at <= WINDOW_MS;
    recent = [...recent.filter(isComparable), moment];
    yield { data: shown(moment, recent[0] ?? null, formats).html };
    await pause(EVERY_MS, signal);
  }
}
