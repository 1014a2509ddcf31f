/**
 * Executes a group of refused calls again, one after the other, in the order in which they were made: a later
 * call about a subscriber must not be overtaken by an earlier one. A call that succeeds is removed from the
 * refused calls. If the process is killed between the two, the call is executed again: it then succeeds again
 * or is a no-op, and is removed. So the group is replayed once in effect; only the numbers may be too small.
 */
import { contract, type Operations } from "../../contract/operations.ts";
import type { JobResult } from "../../domain/job.ts";
import { isNoOp, type Refusal } from "../../domain/refusal.ts";
import type { JobWork } from "../../jobs/work.ts";
import type { Services } from "../../operations/caller.ts";
import { performerFor } from "../../operations/handlers.ts";
import { BadArgument } from "../../refusals/recorded-call.ts";
import { NotReplayable, replay } from "../../refusals/replay.ts";

/** Each call is a transaction of its own, and a slow disk needs some tenths of a second for it. */
const MOST_CALLS = 50;

/** How many calls succeeded; how many were refused again, by outcome. */
interface Replayed extends JobResult {
  readonly succeeded: number;
  /** Their arguments were cut or do not fit the operation, or this version has no such operation. */
  readonly notReplayable: number;
  readonly refused: Readonly<Record<string, number>>;
}

export function replayRefusals({ store, clock }: Services): JobWork<"replay-refusals"> {
  const perform = performerFor({ store, clock });

  return async ({ account, args: { origin, ...range }, progress, result }, signal) => {
    const after = progress?.after ?? 0;
    const { refusals, next } = await store.refusals.nextOfGroup({
      ...{ account, ...range, after },
      limit: MOST_CALLS,
    });
    let tally = (result ?? { succeeded: 0, notReplayable: 0, refused: {} }) as Replayed;
    let [done, last] = [0, after];
    for (const refusal of refusals) {
      if (signal.aborted) return { next: { after: last }, done, result: tally };
      tally = counted(tally, await replayOne(refusal));
      done += 1;
      last = refusal.id;
    }
    if (next === null) return { next: { after: range.upTo }, done, result: tally, ending: "finished" };
    return { next: { after: next }, done, result: tally };

    async function replayOne(refusal: Refusal): Promise<string | null> {
      if (!Object.hasOwn(contract.operations, refusal.operation as keyof Operations)) return null;
      try {
        const { outcome, byte } = await replay(
          { store, perform },
          account,
          refusal,
          {},
          { at: clock(), origin },
        );
        if (byte === 0) return "Done";
        if (!isNoOp(outcome)) return outcome;
        await store.refusals.dismiss({ account, id: refusal.id });
        return "Done";
      } catch (error) {
        if (error instanceof BadArgument || error instanceof NotReplayable) return null;
        throw error;
      }
    }
  };
}

function counted(tally: Replayed, outcome: string | null): Replayed {
  if (outcome === null) return { ...tally, notReplayable: tally.notReplayable + 1 };
  if (outcome === "Done") return { ...tally, succeeded: tally.succeeded + 1 };
  const refused = { ...tally.refused, [outcome]: (tally.refused[outcome] ?? 0) + 1 };
  return { ...tally, refused };
}
