/** Warms a server up before it is measured: JIT compilers need seconds. */
import type { Timing } from "../bench.ts";
import type { Server } from "../servers/server.ts";

const measuredBefore = new WeakSet<Server>();

function secondsFor(
  server: Server,
  { freshWarmUp, firstWarmUp, laterWarmUp }: Timing,
  round: number,
): number {
  const isFresh = !measuredBefore.has(server);
  measuredBefore.add(server);
  if (isFresh) return freshWarmUp;
  return round === 0 ? firstWarmUp : laterWarmUp;
}

/** `work` is what will be measured, for so many seconds. */
export async function warmUp(
  server: Server,
  timing: Timing,
  round: number,
  work: (seconds: number) => Promise<unknown>,
): Promise<void> {
  const seconds = secondsFor(server, timing, round);
  if (seconds > 0) await work(seconds);
}
