/**
 * Rewrites the database after erasures. One piece, because nothing of it can be saved before the end; the
 * lease of this kind is long enough. If it is done twice, the second time changes nothing.
 */
import { StoreRefused } from "#domain/ports/errors.ts";
import type { JobWork } from "#jobs/do-job.ts";
import type { Services } from "#operations/caller.ts";

export const rewriteDatabase =
  ({ store }: Pick<Services, "store">): JobWork<"rewrite-database"> =>
  async (_job, signal) => {
    const piece = { next: {}, done: 0, result: {} };
    try {
      return (await store.rewrite(signal)) ? { ...piece, ending: "finished" } : piece;
    } catch (error) {
      // A right is missing: an operator must act, and repeating it would not help.
      if (error instanceof StoreRefused) return { ...piece, ending: { failed: error.message } };
      throw error;
    }
  };
