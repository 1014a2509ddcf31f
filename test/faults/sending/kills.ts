/** Kills the program with SIGKILL while it sends campaigns: one process, or one of two nodes. */
import { SMTP_CONNECTIONS } from "#domain/sending/relay.ts";
import { Random } from "../random.ts";
import { type SendingFigures, withSite } from "./site.ts";

const SIZE = 400;
const LONGEST_MS = 300;

/**
 * Each round begins a campaign and ends in the middle of it. The campaigns of earlier rounds are taken over
 * when their leases have expired, also during later rounds.
 */
export const killWhileSending = (
  database: string | null,
  rounds: number,
  seed: number,
): Promise<SendingFigures> =>
  withSite(database, async (site) => {
    let served = await site.serve();
    for (let round = 0; round < rounds; round += 1) {
      const random = new Random(seed + round);
      const campaign = await site.start(SIZE);
      await served.kill(random.below(LONGEST_MS));
      await site.checkSending(campaign);
      served = await site.serve();
    }
    return await site.verify(rounds, rounds * SMTP_CONNECTIONS);
  });

/** Two nodes share the campaigns; one of them is killed and started again. */
export const killNodeWhileSending = (
  database: string,
  rounds: number,
  seed: number,
): Promise<SendingFigures> =>
  withSite(database, async (site) => {
    const nodes = [await site.serve(), await site.serve()];
    for (let round = 0; round < rounds; round += 1) {
      const random = new Random(seed + round);
      const campaign = await site.start(5 * SIZE);
      const which = random.below(nodes.length);
      await nodes[which]?.kill(random.below(LONGEST_MS));
      await site.checkSending(campaign, nodes.length);
      nodes[which] = await site.serve();
    }
    return await site.verify(rounds, rounds * SMTP_CONNECTIONS);
  });
