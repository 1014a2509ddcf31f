/**
 * Executes a group of refused calls again, in the order in which they were made: a later call about a
 * subscriber must not be overtaken by an earlier one. What becomes of each is saved together with the
 * progress. So whichever process is killed or replaced, and whatever somebody else does with one of the calls
 * meanwhile, each call is executed once and counted once.
 */

import { nothingReplayed, type ReplayResult } from "#domain/refused-call.ts";
import type { JobWork } from "#jobs/do-job.ts";
import type { Services } from "#operations/caller.ts";
import { writeOf } from "#operations/handlers.ts";
import { argumentsOf, BadArgument } from "#refused-calls/recorded-call.ts";
import { correctedArguments, NotReplayable, replayedCall } from "#refused-calls/replay.ts";

/** They are committed together, and calls of others wait for them. */
const MAX_CALLS = 50;

export const replayRefusals =
  ({ store, clock }: Services): JobWork<"replay-refusals"> =>
  async ({ account, args: { origin, corrections, ...range }, progress, result }) => {
    const { refusals, next } = await store.refusals.nextOfGroup({
      ...{ account, ...range, after: progress?.after ?? 0 },
      limit: MAX_CALLS,
    });
    const prepared = await Promise.all(
      refusals.map(async (refusal) => {
        const given = argumentsOf(refusal);
        const args = corrections === undefined ? given : correctedArguments(given, corrections);
        const cause = { at: clock(), origin };
        return replayedCall(writeOf, account, refusal, args, cause, true).catch((error: unknown) => {
          if (error instanceof BadArgument || error instanceof NotReplayable) return null;
          throw error;
        });
      }),
    );
    const calls = prepared.filter((call) => call !== null);
    const before = (result ?? nothingReplayed) as ReplayResult;
    const cannot = prepared.length - calls.length;
    return {
      next: { after: next ?? range.upTo },
      done: cannot,
      calls,
      result: { ...before, notReplayable: before.notReplayable + cannot },
      ...(next === null ? { ending: "finished" } : {}),
    };
  };
