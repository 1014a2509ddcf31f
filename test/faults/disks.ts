/** A disk that is full or turns read-only under load: callers are told to come again, and nothing acknowledged is lost. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Served } from "../cli/program.ts";
import { KEY } from "../service.ts";
import type { Run } from "./callers.ts";
import type { Figures } from "./figures.ts";
import { originOf, Site } from "./site.ts";
import { SmallDisk } from "./small-disk.ts";

const CONNECTIONS = 16;
/** A write that needs no new room still works, so it takes a while until nobody gets through. */
const TURNED_AWAY_MS = 60_000;
const ENOUGH_TURNED_AWAY = 100;

async function on(use: (disk: SmallDisk, site: Site) => Promise<Figures>): Promise<Figures> {
  const disk = SmallDisk.make();
  try {
    const site = await Site.make(`sqlite:${join(disk.path, "m.db")}`, CONNECTIONS);
    try {
      return await use(disk, site);
    } finally {
      await site.remove();
    }
  } finally {
    disk.remove();
  }
}

/** Nobody can write any more, but the lists can be read. */
async function turnedAway(served: Served, calls: Run): Promise<void> {
  const before = calls.tally.unanswered;
  const since = performance.now();
  while (calls.tally.unanswered - before < ENOUGH_TURNED_AWAY && performance.now() - since < TURNED_AWAY_MS)
    await delay(20);
  assert.ok(calls.tally.unanswered - before >= ENOUGH_TURNED_AWAY, "callers are told that it is unavailable");
  await assertReadable(served);
}
async function assertReadable(served: Served): Promise<void> {
  const lists = await served.call("Client.GetSubscribersLists", { APIKey: KEY });
  assert.equal([...lists.matchAll(/<SubscribersListID>/g)].length, 2, lists);
}

export function fillDisk(rounds: number, seed: number): Promise<Figures> {
  return on(async (disk, site) => {
    let served = await site.serve();
    for (let round = 0; round < rounds; round += 1) {
      const calls = site.callers.start(seed + round, [originOf(served)]);
      await delay(200);
      disk.fill();
      await turnedAway(served, calls);
      if (round % 2 === 1) {
        await served.kill();
        await calls.stop();
        // It starts on a full disk too, so that what is there can be read.
        served = await site.serve();
        await assertReadable(served);
      } else await calls.stop();
      disk.free();
      await site.serves(seed + 1000 + round, [originOf(served)]);
      await site.verify();
    }
    const more = "every second time also killed while it was full";
    return { rounds, more, ...site.callers.tally };
  });
}

export function turnDiskReadOnly(rounds: number, seed: number): Promise<Figures> {
  return on(async (disk, site) => {
    for (let round = 0; round < rounds; round += 1) {
      const served = await site.serve();
      const before = site.callers.start(seed + round, [originOf(served)]);
      await delay(300);
      // Nobody is calling in the moment itself: a flush that meets it is sometimes said to be done by the kernel (seen with 6.18, one
      // in thirteen, with a program that does nothing but write and flush) and is not on the disk.
      await before.stop();
      disk.turnReadOnly();
      const calls = site.callers.start(seed + 500 + round, [originOf(served)]);
      await turnedAway(served, calls);
      await calls.stop();
      await served.stop();
      const refused = await site.run("serve", "--port", "0");
      assert.equal(refused.code, 1, "a start is refused");
      assert.match(refused.err, /^mailroll: the database .* cannot be opened: .*read-?only.*\n$/);
      disk.repair();
      const again = await site.serve();
      await site.serves(seed + 1000 + round, [originOf(again)]);
      await again.stop();
      await site.verify();
    }
    const more =
      "the file system failed with `errors=remount-ro`, between two calls: in the very moment some kernels acknowledge a flush that they did not make, which no program can see";
    return { rounds, more, ...site.callers.tally };
  });
}
