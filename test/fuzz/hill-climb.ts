/**
 * Searches for the message that costs the most CPU time per byte, by hill climbing over long-shapes.ts: every
 * step in one gene is tried, and taken if it leads to a more expensive message, until none does; then it
 * starts elsewhere.
 */
import { mutated, PLAINEST, type Shape, STARTS, stepsIn } from "./long-shapes.ts";
import { Random } from "./random.ts";
import { type Cost, ReadingCost, tooMuch } from "./reading-cost.ts";

/**
 * The search tries small messages first, because it can try many of them. Then it tries large ones, because
 * superlinear cost may not show in small ones. What it found is measured at the large size.
 */
const SMALL = 64 * 1024;
const LARGE = 512 * 1024;
/** Smaller differences are noise. */
const SIGNIFICANT = 1.05;

export interface HillClimb {
  readonly tried: number;
  readonly worst: Cost;
  readonly plain: Cost;
  /** Set if the work for a message is not linear in its bytes; the search ends with the first one. */
  readonly complaint: string | null;
}
export interface HillClimbLimits {
  readonly tries: number;
  readonly cpuSeconds: number;
}

export async function hillClimb(seed: number, most: HillClimbLimits): Promise<HillClimb> {
  const random = new Random(seed);
  const reading = new ReadingCost();
  const before = process.cpuUsage();
  const plain = await reading.of(PLAINEST, LARGE);
  let complaint: string | null = null;
  let worst = plain;
  let tried = 0;
  const isOver = (): boolean => {
    const { user, system } = process.cpuUsage(before);
    return complaint !== null || tried >= most.tries || (user + system) / 1e6 > most.cpuSeconds;
  };
  const isTooExpensive = (msPerMib: number): boolean =>
    tooMuch({ shape: "", msPerMib, growth: 0 }, plain.msPerMib) !== null;

  const summitFrom = async (start: Shape, size: number): Promise<Shape> => {
    let best = start;
    let cost = await reading.least(best, size, 2);
    let isHigher = true;
    while (isHigher) {
      isHigher = false;
      for (const step of stepsIn(random)) {
        const next = step(best);
        if (next === best) continue;
        // Going on would only make each measurement slower.
        if (isOver() || isTooExpensive(cost)) return best;
        tried += 1;
        // Measures again what seems more expensive: the machine may have been busy.
        const found = await reading.least(next, size, 2, SIGNIFICANT * cost);
        if (found <= SIGNIFICANT * cost) continue;
        [best, cost, isHigher] = [next, found, true];
      }
    }
    return best;
  };

  for (let round = 0; !isOver(); round += 1) {
    const known = STARTS[round % STARTS.length] ?? PLAINEST;
    const lap = Math.floor(round / STARTS.length);
    const start = lap < 2 ? known : mutated(random, known, 4);
    const summit = await reading.of(await summitFrom(start, lap % 2 === 0 ? SMALL : LARGE), LARGE);
    complaint = tooMuch(summit, plain.msPerMib);
    if (summit.msPerMib > worst.msPerMib) worst = summit;
  }
  return { tried, worst, plain, complaint };
}
