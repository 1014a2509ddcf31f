/**
 * A relay that fails in every way while campaigns are sent: it is away, says 421, and drops connections
 * before and after the end of a message.
 */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Behaviour, Step } from "../../delivery/smtp/faulty-relay.ts";
import { Random } from "../random.ts";
import { type SendingFigures, withSite } from "./site.ts";

const SIZE = 400;
const AWAY_MS = 1500;
/** One message of so many is dropped at each of the two moments. */
const DROPS = 60;

export async function failingRelay(rounds: number, seed: number): Promise<SendingFigures> {
  const random = new Random(seed);
  let isAway = false;
  let dropsAfter = 0;
  const at = (step: Step): Behaviour | undefined => {
    if (isAway && step === "greeting") return "drop";
    if (isAway && step === "mail") return { bye: "421 4.3.2 Going away" };
    if (step === "data" && random.below(DROPS) === 0) return "drop";
    if (step === "dot" && random.below(DROPS) === 0) {
      dropsAfter += 1;
      return "drop";
    }
    return undefined;
  };
  return await withSite(
    null,
    async (site) => {
      const served = await site.serve();
      for (let round = 0; round < rounds; round += 1) {
        await site.start(SIZE);
        isAway = true;
        await delay(AWAY_MS);
        isAway = false;
      }
      const figures = await site.verify(rounds, Number.POSITIVE_INFINITY);
      // The relay has taken them, and no reply was sent.
      assert.equal(figures.unknown, dropsAfter);
      await served.stop();
      return figures;
    },
    { at },
  );
}
