/** Long lists over one connection. */
import type { Bench } from "../bench.ts";
import { campaigns, SMALL_BOUNCES } from "../data/dataset.ts";
import { messages } from "../messages.ts";
import type { Server } from "../servers/server.ts";
import { measureCalls } from "./calls.ts";
import { download } from "./download.ts";
import { observed } from "./observed.ts";
import { type Sample, sampleOf } from "./sample.ts";

export const MIDDLE = 10_000;
export const MILLION = 1_000_000;

/** Lists of ten thousand, one after the other: how many a second. */
export async function measureMiddleList(bench: Bench, server: Server, round: number): Promise<Sample> {
  const message = messages.bounces(campaigns.tenThousand);
  const sample = await measureCalls(bench, server, round, { message, connections: 1 });
  const { firstByteMs } = await download(bench.place, server.url, message);
  return { ...sample, firstByteMs };
}

/** Bytes of a list by its rows: all are equally long, so two lists tell the size of any other. */
export const expectedBytes = (small: number, middle: number, rows: number): number =>
  middle + ((middle - small) / (MIDDLE - SMALL_BOUNCES)) * (rows - MIDDLE);

/** One list of a million: seconds until its last byte. */
export async function measureLongList(bench: Bench, server: Server): Promise<Sample> {
  const read = (campaign: number) => download(bench.place, server.url, messages.bounces(campaign));
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
