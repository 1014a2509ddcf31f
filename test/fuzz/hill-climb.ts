/**
 * Searches for the message that costs the most CPU time per byte, by hill climbing over long-shapes.ts: every
 * step in one gene is tried, and taken if it leads to a more expensive message, until none does; then it
 * starts elsewhere.
 */
import { mutated, PLAINEST, type Shape, STARTS, stepsIn } from "./long-shapes.ts";
import { Random } from "./random.ts";
import { type Cost, ReadingCost, tooMuch } from "./reading-cost.ts";

/**
 * What the search looks at: first small messages, of which many can be tried; then large ones, whose cost may
 * grow with their size from so little that in small ones it does not show. What was found is measured large.
 */
const SMALL = 64 * 1024;
const LARGE = 512 * 1024;
/** Less than that is chance. */
const DEARER = 1.05;

export interface HillClimb {
  readonly tried: number;
  readonly dearest: Cost;
  readonly plain: Cost;
  /** Of a message whose work is not linear in its bytes: the search ends with the first. */
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
  let dearest = plain;
  let tried = 0;
  const isOver = (): boolean => {
    const { user, system } = process.cpuUsage(before);
    return complaint !== null || tried >= most.tries || (user + system) / 1e6 > most.cpuSeconds;
  };
  const isTooDear = (msPerMib: number): boolean =>
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
        // Further up each look would only take longer.
        if (isOver() || isTooDear(cost)) return best;
        tried += 1;
        // A second look, at what seems dearer only: the machine may have been busy.
        const found = await reading.least(next, size, 2, DEARER * cost);
        if (found <= DEARER * cost) continue;
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
    if (summit.msPerMib > dearest.msPerMib) dearest = summit;
  }
  return { tried, dearest, plain, complaint };
}
