/** Long lists over one connection. */
import type { Bench } from "../bench.ts";
import { campaigns, SMALL_BOUNCES } from "../data/dataset.ts";
import { messages } from "../messages.ts";
import type { Server } from "../servers/server.ts";
import { median } from "../statistics.ts";
import { type Download, download } from "./download.ts";
import { observed } from "./observed.ts";
import { type Sample, sampleOf } from "./sample.ts";
import { warmUp } from "./warm-up.ts";

export const MIDDLE = 10_000;
export const MILLION = 1_000_000;

const SHORTEST_SERIES = 3;

/** Lists one after the other, for so many seconds and at least a few. */
async function series(bench: Bench, server: Server, seconds: number): Promise<readonly Download[]> {
  const message = messages.bounces(campaigns.tenThousand);
  const done: Download[] = [];
  const passed = (): number => done.reduce((sum, one) => sum + one.seconds, 0);
  while (passed() < seconds || done.length < SHORTEST_SERIES)
    done.push(await download(bench.folder, server.url, message));
  return done;
}

/** Lists of ten thousand: how many a second. */
export async function measureMiddleList(bench: Bench, server: Server, round: number): Promise<Sample> {
  await warmUp(server, bench.timing, round, (seconds) => series(bench, server, seconds));
  const [done, cost] = await observed(server, () => series(bench, server, bench.timing.measure));
  const seconds = done.reduce((sum, one) => sum + one.seconds, 0);
  return sampleOf(done.length / seconds, {
    ...cost.memory,
    cpuMs: (cost.cpuSeconds * 1000) / done.length,
    firstByteMs: median(done.map(({ firstByteMs }) => firstByteMs)),
  });
}

/** Bytes of a list by its rows: all are equally long, so two lists tell the size of any other. */
export const expectedBytes = (small: number, middle: number, rows: number): number =>
  middle + ((middle - small) / (MIDDLE - SMALL_BOUNCES)) * (rows - MIDDLE);

/** One list of a million: seconds until its last byte. */
export async function measureLongList(bench: Bench, server: Server): Promise<Sample> {
  const read = (campaign: number) => download(bench.folder, server.url, messages.bounces(campaign));
  const [small, middle] = [await read(campaigns.small), await read(campaigns.tenThousand)];
  const [long, cost] = await observed(server, () => read(campaigns.million));
  const expected = expectedBytes(small.bytes, middle.bytes, MILLION);
  if (long.bytes !== expected)
    throw new Error(`${server.name} sent ${long.bytes} bytes for a million rows, not ${expected}`);
  return sampleOf(long.seconds, {
    ...cost.memory,
    cpuMs: cost.cpuSeconds * 1000,
    firstByteMs: long.firstByteMs,
  });
}
