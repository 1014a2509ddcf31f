/** Stops a node with SIGSTOP for longer than its lease, while another one continues. */
import { setTimeout as delay } from "node:timers/promises";
import { LEASE_MS } from "#delivery/runner/batch.ts";
import type { Served } from "../../cli/program.ts";
import { until, untilState } from "../../delivery/runner/sending.ts";
import { type SendingFigures, withSite } from "./site.ts";

/** Enough for the node to be in the middle of it when it is stopped. */
const SIZE = 4000;

/**
 * The other node starts when the first one is stopped, so that this one was sending. When it continues, it
 * finds that it has lost its lease. What it learns late corrects what the other node has recorded as unknown:
 * messages whose end was written have a result, and all others are sent again.
 */
export const stopNodeWhileSending = (database: string, rounds: number): Promise<SendingFigures> =>
  withSite(database, async (site) => {
    for (let round = 0; round < rounds; round += 1) {
      const stopped = await site.serve();
      const campaign = await site.start(SIZE);
      process.kill(stopped.pid, "SIGSTOP");
      let other: Served;
      try {
        other = await site.serve();
        await delay(LEASE_MS + 1000);
        await untilState(site.store, campaign, "finished");
        await site.checkUnknown(campaign);
      } finally {
        process.kill(stopped.pid, "SIGCONT");
      }
      await until(site.store, campaign, ({ state, counts }) => state === "finished" && counts.unknown === 0);
      await Promise.all([stopped.stop(), other.stop()]);
    }
    return await site.verify(rounds, 0);
  });
