/** A disk that becomes full while a campaign is sent: nothing is sent that could not be marked before. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { SmallDisk } from "../small-disk.ts";
import { type SendingFigures, withSite } from "./site.ts";

const SIZE = 500;
const FULL_MS = 2000;

export async function fillDiskWhileSending(rounds: number): Promise<SendingFigures> {
  const disk = SmallDisk.make(64);
  try {
    return await withSite(`sqlite:${join(disk.path, "m.db")}`, async (site) => {
      const served = await site.serve();
      for (let round = 0; round < rounds; round += 1) {
        const campaign = await site.start(SIZE);
        const { domain } = campaign;
        disk.fill();
        await delay(FULL_MS);
        const received = site.received(domain);
        await delay(FULL_MS / 2);
        assert.equal(site.received(domain), received, "nothing is sent while the disk is full");
        await site.checkSending(campaign);
        disk.free();
      }
      // The program was there all the time, so it knows every result.
      const figures = await site.verify(rounds, 0);
      await served.stop();
      return figures;
    });
  } finally {
    disk.remove();
  }
}
