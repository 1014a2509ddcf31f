/**
 * Searches for the message that costs the most processor time per byte, by hill climbing over long-shapes.ts: from a
 * message to one that differs in a few genes and is dearer, until none is found; then from elsewhere.
 */
import { mutated, neighbours, PLAINEST, type Shape, STARTS } from "./long-shapes.ts";
import { Random } from "./random.ts";
import { type Cost, ReadingCost, tooMuch } from "./reading-cost.ts";

/** What the search looks at, and what is measured in the end. */
const SMALL = 64 * 1024;
const LARGE = 512 * 1024;

export interface Climb {
  readonly tried: number;
  readonly dearest: Cost;
  readonly plain: Cost;
  /** Of a message whose work is not linear in its bytes: the search ends with the first. */
  readonly complaint: string | null;
}
export interface Bounds {
  /** So many attempts without a dearer message end a climb. */
  readonly patience: number;
  readonly tries: number;
  readonly ms: number;
}

export async function climb(seed: number, most: Bounds): Promise<Climb> {
  const random = new Random(seed);
  const reading = new ReadingCost();
  const until = performance.now() + most.ms;
  const plain = await reading.of(PLAINEST, LARGE);
  let complaint: string | null = null;
  let dearest = plain;
  let tried = 0;
  const isOver = (): boolean => tried >= most.tries || performance.now() > until || complaint !== null;

  const summitFrom = async (start: Shape): Promise<Shape> => {
    let best = start;
    let cost = await reading.least(best, SMALL, 2);
    let near = neighbours(random, best);
    for (let failed = 0; failed < most.patience && !isOver(); failed += 1) {
      const next = (failed % 2 === 0 ? near.pop() : null) ?? mutated(random, best, 2 + random.below(2));
      tried += 1;
      // A second look, at what seems dearer only: the machine may have been busy.
      const found = await reading.least(next, SMALL, 2, cost);
      if (found <= cost) continue;
      [best, cost, near, failed] = [next, found, neighbours(random, next), 0];
      // Further up each look would only take longer.
      if (tooMuch({ shape: "", msPerMib: found, growth: 0 }, plain.msPerMib) !== null) break;
    }
    return best;
  };

  for (let round = 0; !isOver(); round += 1) {
    const start = STARTS[round] ?? mutated(random, random.pick(STARTS), 4);
    const summit = await reading.of(await summitFrom(start), LARGE);
    complaint = tooMuch(summit, plain.msPerMib);
    if (summit.msPerMib > dearest.msPerMib) dearest = summit;
  }
  return { tried, dearest, plain, complaint };
}
