/** Latency of a small call while the server is busy: one call every few milliseconds. */
import { setTimeout as delay } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { campaigns } from "../data/dataset.ts";
import { runLoad } from "../load/wrk.ts";
import { messages } from "../messages.ts";
import type { Server } from "../servers/server.ts";
import { CONNECTIONS } from "./calls.ts";
import { download } from "./download.ts";
import { type Sample, sampleOf } from "./sample.ts";
import { warmUp } from "./warm-up.ts";

const PAUSE_MS = 2;
/** Until what goes on meanwhile is under way. */
const RUN_IN_MS = 300;

async function probe({ folder, timing }: Bench, { url }: Server): Promise<Sample> {
  const load = { url, message: messages.probe, connections: 1, seconds: timing.measure, pauseMs: PAUSE_MS };
  return sampleOf((await runLoad(folder, load)).p99Ms);
}

export async function measureIdle(bench: Bench, server: Server, round: number): Promise<Sample> {
  const { folder, timing } = bench;
  await warmUp(server, timing, round, (seconds) =>
    runLoad(folder, { url: server.url, message: messages.probe, connections: CONNECTIONS, seconds }),
  );
  return probe(bench, server);
}

export async function measureWhileStreaming(bench: Bench, server: Server): Promise<Sample> {
  const over = new AbortController();
  const streaming = (async () => {
    while (!over.signal.aborted)
      await download(bench.folder, server.url, messages.bounces(campaigns.million));
  })();
  try {
    await Promise.race([delay(RUN_IN_MS), streaming]);
    return await probe(bench, server);
  } finally {
    over.abort();
    await streaming;
  }
}

export async function measureWhileAdding(bench: Bench, server: Server, round: number): Promise<Sample> {
  const { folder, timing } = bench;
  const add = (seconds: number) =>
    runLoad(folder, { url: server.url, message: messages.add(), connections: CONNECTIONS, seconds });
  await warmUp(server, timing, round, add);
  const adding = add(timing.measure + 1);
  try {
    await Promise.race([delay(RUN_IN_MS), adding]);
    return await probe(bench, server);
  } finally {
    await adding;
  }
}
