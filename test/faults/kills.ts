/** Kills the program with SIGKILL at random moments under load, and sometimes while it starts. */
import type { Figures } from "./figures.ts";
import { Random } from "./random.ts";
import { originOf, SystemUnderTest } from "./system-under-test.ts";

const CONNECTIONS = 48;
const LONGEST_MS = 700;
const LONGEST_START_MS = 500;

export async function killAgainAndAgain(
  database: string | null,
  rounds: number,
  seed: number,
): Promise<Figures> {
  const site = await SystemUnderTest.make(database, CONNECTIONS);
  try {
    let starts = 0;
    let served = await site.serve();
    for (let round = 0; round < rounds; round += 1) {
      const random = new Random(seed + round);
      const calls = site.callers.start(seed + round, [originOf(served)]);
      await served.kill(random.below(LONGEST_MS));
      await calls.stop();
      if (random.below(4) === 0) {
        starts += 1;
        await site.serveAndKill(random.below(LONGEST_START_MS));
      }
      served = await site.serve();
      await site.verify();
    }
    return { rounds, more: `${starts} times killed again during the restart`, ...site.callers.tally };
  } finally {
    await site.remove();
  }
}
