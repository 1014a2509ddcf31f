/** Two nodes over one PostgreSQL: callers use both, while one after the other is killed and restarted. */
import { setTimeout as delay } from "node:timers/promises";
import type { Figures } from "./figures.ts";
import { Random } from "./random.ts";
import { originOf, SystemUnderTest } from "./system-under-test.ts";

const CONNECTIONS = 48;

export async function killNodes(database: string, ms: number, seed: number): Promise<Figures> {
  const site = await SystemUnderTest.make(database, CONNECTIONS);
  try {
    const nodes = [await site.serve(), await site.serve()];
    const origins = nodes.map(originOf);
    const random = new Random(seed);
    const calls = site.callers.start(seed, origins);
    let rounds = 0;
    for (const until = performance.now() + ms; performance.now() < until; rounds += 1) {
      const which = random.below(nodes.length);
      await nodes[which]?.kill(random.between(100, 1500));
      await delay(random.below(500));
      const node = await site.serve();
      nodes[which] = node;
      origins[which] = originOf(node);
    }
    await calls.stop();
    await site.serves(seed + 1, origins);
    await site.verify();
    return { rounds, more: `for ${ms / 1000} s`, ...site.callers.tally };
  } finally {
    await site.remove();
  }
}
