/** How far a dry run or an import is, live: rows, rows per second, and the time that is left. */
import { type Job, stateOfJob } from "../../../domain/job/job.ts";
import { live, progress } from "../../../html/components/feedback.ts";
import { type Html, html } from "../../../html/html.ts";
import { type Sleep, sleep } from "../../../jobs/sleep.ts";
import type { Formats } from "../../kit/formats.ts";
import type { ServerEvent } from "../../kit/page.ts";
import * as texts from "./progress.texts.ts";

const EVERY_MS = 1000;
/** A rate over a shorter time jumps. */
const LEAST_WINDOW_MS = 3000;

/** What is known at one moment. */
export interface Moment {
  readonly job: Job;
  /** Of the upload; null: it is not known. */
  readonly size: number | null;
  readonly at: number;
}

const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0);

interface Pace {
  readonly rowsPerSecond: number | null;
  readonly secondsLeft: number | null;
}
/** By what was done since `earlier`; at first, since the beginning. */
export function paceOf({ job, size, at }: Moment, earlier: Moment | null): Pace {
  const { rows, bytes, pass } = job.result ?? {};
  const isRecent =
    earlier !== null && at - earlier.at >= LEAST_WINDOW_MS && earlier.job.result?.pass === pass;
  const from = isRecent ? earlier.job.result : null;
  const seconds = (at - (isRecent ? earlier.at : job.createdAt)) / 1000;
  const speed = (now: unknown, then: unknown): number => (numberOf(now) - numberOf(then)) / seconds;
  if (pass !== 2 || seconds <= 0) return { rowsPerSecond: null, secondsLeft: null };
  const [rowsPerSecond, bytesPerSecond] = [speed(rows, from?.rows), speed(bytes, from?.bytes)];
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

/** `stream`: the address of its events. Without a script, a link shows the page again. */
export const liveProgress = (moment: Moment, formats: Formats, stream: string, path: string): Html =>
  html`${live(stream, progress(partsOf(moment, null, formats)), { label: texts.refresh, href: path })}
<p class="hint">${texts.survives}</p>`;

/** Until the job ends. `read` returns null if there is no such job. */
export async function* progressEvents(
  read: () => Promise<Moment | null>,
  formats: Formats,
  signal: AbortSignal,
  pause: Sleep = sleep,
): AsyncGenerator<ServerEvent> {
  let first: Moment | null = null;
  while (!signal.aborted) {
    const moment = await read();
    if (moment === null || moment.job.ending !== null) {
      yield { event: "end", data: "" };
      return;
    }
    first ??= moment;
    yield { data: progress(partsOf(moment, first, formats)).html };
    await pause(EVERY_MS, signal);
  }
}
