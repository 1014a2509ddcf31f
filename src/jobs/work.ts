/**
 * Jobs that a process does with several commands of the store, because a step needs what the store does not
 * have. Each kind is a function that does one bounded piece: well under the time of a lease. The piece and
 * its saved progress are not one transaction. So a piece that was done by a process which was killed before
 * it saved the progress is done again, and must then change nothing.
 */
import type { AccountId } from "#domain/account.ts";
import type { JobKinds, WorkedKind } from "#domain/job/kinds.ts";
import type { JobResult } from "#domain/job/result.ts";
import type { JobPosition } from "#domain/ports/work/jobs.ts";

export interface Piece<Kind extends WorkedKind> {
  /** Where the next piece begins. */
  readonly next: JobKinds[Kind]["progress"];
  /** How many this piece has dealt with. */
  readonly done: number;
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

export type JobWorks = { readonly [Kind in WorkedKind]: JobWork<Kind> };
