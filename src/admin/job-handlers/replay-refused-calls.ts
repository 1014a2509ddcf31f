/**
 * Executes a group of refused calls again, in the order in which they were made: a later call about a
 * subscriber must not be overtaken by an earlier one. Calls that succeed are removed from the refused calls.
 * If the process is killed between the two, they are executed again: they then succeed again or are no-ops,
 * and are removed. So the group is replayed once in effect; only the numbers may be too small.
 */
import { contract } from "#contract/operations.ts";
import type { JobResult } from "#domain/job/result.ts";
import { isNoOp, type Refusal } from "#domain/refused-call.ts";
import type { JobWork } from "#jobs/do-job.ts";
import type { Services } from "#operations/caller.ts";
import { performerFor } from "#operations/handlers.ts";
import { BadArgument } from "#refused-calls/recorded-call.ts";
import { execute, NotReplayable } from "#refused-calls/replay.ts";

/** They are committed together, and calls of others wait for them. */
const MAX_CALLS = 50;

/** How many calls succeeded; how many were refused again, by outcome. */
interface Replayed extends JobResult {
  readonly succeeded: number;
  /** Their arguments were cut or do not fit the operation, or this version has no such operation. */
  readonly notReplayable: number;
  readonly refused: Readonly<Record<string, number>>;
}
const NOT_REPLAYABLE = Symbol("not replayable");

export function replayRefusals({ store, clock }: Services): JobWork<"replay-refusals"> {
  const perform = performerFor({ store, clock });

  return async ({ account, args: { origin, ...range }, progress, result }) => {
    const { refusals, next } = await store.refusals.nextOfGroup({
      ...{ account, ...range, after: progress?.after ?? 0 },
      limit: MAX_CALLS,
    });
    // All are begun in order. None is under way any more when the piece ends, whatever the others did.
    const settled = await Promise.allSettled(refusals.map(replayOne));
    const outcomes = settled.map((one) => {
      if (one.status === "rejected") throw one.reason;
      return one.value;
    });
    const ids = refusals.filter((_, index) => outcomes[index] === "Done").map(({ id }) => id);
    if (ids.length > 0) await store.refusals.dismissAll({ account, ids });
    const tally = outcomes.reduce(counted, (result ?? nothing) as Replayed);
    return {
      next: { after: next ?? range.upTo },
      done: refusals.length,
      result: tally,
      ...(next === null ? { ending: "finished" } : {}),
    };

    /** `Done` also for a no-op: nothing is left to do. */
    async function replayOne(refusal: Refusal): Promise<string | typeof NOT_REPLAYABLE> {
      if (!Object.hasOwn(contract.operations, refusal.operation)) return NOT_REPLAYABLE;
      try {
        const { outcome, byte } = await execute(perform, account, refusal, {}, { at: clock(), origin });
        return byte === 0 || isNoOp(outcome) ? "Done" : outcome;
      } catch (error) {
        if (error instanceof BadArgument || error instanceof NotReplayable) return NOT_REPLAYABLE;
        throw error;
      }
    }
  };
}

const nothing: Replayed = { succeeded: 0, notReplayable: 0, refused: {} };

function counted(tally: Replayed, outcome: string | typeof NOT_REPLAYABLE): Replayed {
  if (outcome === NOT_REPLAYABLE) return { ...tally, notReplayable: tally.notReplayable + 1 };
  if (outcome === "Done") return { ...tally, succeeded: tally.succeeded + 1 };
  const refused = { ...tally.refused, [outcome]: (tally.refused[outcome] ?? 0) + 1 };
  return { ...tally, refused };
}
