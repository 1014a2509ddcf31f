/** Does a job step by step, as long as this process holds the lease. Independent of who asked for it. */
import type { Clock } from "#domain/clocks.ts";
import { errorText, type Lease, leaseMsOf, type StepOutcome } from "#domain/job/job.ts";
import { isWorkedKind, type WorkedKind } from "#domain/job/kinds.ts";
import type { Jobs } from "#domain/ports/work/jobs.ts";
import type { JobWork, JobWorks, Piece } from "./work.ts";

export interface Doing {
  readonly jobs: Jobs;
  /** What this process does for the kinds that it does itself. */
  readonly works: Partial<JobWorks>;
  readonly clock: Clock;
  /** Ends after the current step. */
  readonly signal: AbortSignal;
  /** A step succeeded. */
  readonly onStep?: () => void;
}

/** `continues`: the signal ended it. */
export async function doJob(doing: Doing, lease: Lease): Promise<StepOutcome> {
  const { kind } = lease;
  if (!isWorkedKind(kind)) return doSteps(doing, lease);
  const work = doing.works[kind];
  if (work === undefined) throw new Error(`this process does no jobs of the kind ${kind}`);
  return doPieces(doing, lease, work as JobWork<WorkedKind>);
}

async function doSteps({ jobs, clock, signal, onStep }: Doing, lease: Lease): Promise<StepOutcome> {
  let outcome: StepOutcome = "continues";
  while (outcome === "continues" && !signal.aborted) {
    const now = clock();
    outcome = await jobs.step({ ...lease, now, until: now + leaseMsOf(lease.kind) });
    onStep?.();
  }
  return outcome;
}

async function doPieces(
  { jobs, clock, signal, onStep }: Doing,
  lease: Lease,
  work: JobWork<WorkedKind>,
): Promise<StepOutcome> {
  const term = () => {
    const now = clock();
    return { ...lease, now, until: now + leaseMsOf(lease.kind) };
  };
  let position = await jobs.resume(term());
  while (!signal.aborted) {
    if (typeof position === "string") return position;
    const piece: Piece<WorkedKind> = await work({ ...position, account: lease.account ?? 0 }, signal);
    const { next, done, result, ending = null } = piece;
    const failure = typeof ending === "object" && ending !== null ? ending.failed : null;
    const outcome = await jobs.proceed({
      ...term(),
      ...{ progress: next, done, result },
      ending: failure === null ? (ending as "finished" | null) : "failed",
      error: failure === null ? null : errorText(failure),
    });
    onStep?.();
    if (outcome !== "continues") return outcome;
    position = { ...position, progress: next, result };
  }
  return "continues";
}
