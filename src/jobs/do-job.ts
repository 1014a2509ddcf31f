/** Does a job step by step, as long as this process holds the lease. Independent of who asked for it. */
import type { AccountId } from "#domain/account.ts";
import type { Clock } from "#domain/clocks.ts";
import { errorText, type Lease, leaseMsOf, type StepOutcome } from "#domain/job/job.ts";
import { isWorkedKind, type JobKinds, type WorkedKind } from "#domain/job/kinds.ts";
import type { JobResult } from "#domain/job/result.ts";
import type { JobPosition, Jobs } from "#domain/ports/jobs.ts";
import type { ReplayedCall } from "#domain/ports/refused-calls.ts";

/**
 * Jobs that a process does with several commands of the store, because a step needs what the store does not
 * have. Each kind is a function that does one bounded piece: well under the time of a lease. The piece and
 * its saved progress are not one transaction. So a piece that was done by a process which was killed before
 * it saved the progress is done again, and must then change nothing. Only refused calls that are replayed
 * are executed in the transaction that saves the progress.
 */
interface Piece<Kind extends WorkedKind> {
  /** Where the next piece begins. */
  readonly next: JobKinds[Kind]["progress"];
  /** How many this piece has dealt with, besides `calls`. */
  readonly done: number;
  /** Refused calls that are executed again in the transaction that saves the progress. */
  readonly calls?: readonly ReplayedCall[];
  /** What the job has done so far. */
  readonly result: JobResult;
  /** `finished`: nothing is left to do. `failed`: it can never be continued, for the given reason. */
  readonly ending?: "finished" | { readonly failed: string };
}

/** Does the next piece. An error that it throws is temporary: the piece is repeated later. */
export type JobWork<Kind extends WorkedKind> = (
  job: JobPosition<Kind> & { readonly account: AccountId },
  signal: AbortSignal,
) => Promise<Piece<Kind>>;

export type JobHandlers = { readonly [Kind in WorkedKind]: JobWork<Kind> };

interface Doing {
  readonly jobs: Jobs;
  /** What this process does for the kinds that it does itself. */
  readonly works: Partial<JobHandlers>;
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
    const { next, done, calls, result, ending = null } = piece;
    const failure = typeof ending === "object" && ending !== null ? ending.failed : null;
    const outcome = await jobs.proceed({
      ...term(),
      ...{ progress: next, done, calls, result },
      ending: failure === null ? (ending as "finished" | null) : "failed",
      error: failure === null ? null : errorText(failure),
    });
    onStep?.();
    if (outcome !== "continues") return outcome;
    // What became of the calls is added to the result.
    position = calls === undefined ? { ...position, progress: next, result } : await jobs.resume(term());
  }
  return "continues";
}
