/** Measures CPU time and peak memory of the server during a job. */
import type { Server } from "../servers/server.ts";
import { cpuSeconds, PeakMemory } from "./proc.ts";
import type { Sample } from "./sample.ts";

export interface Cost {
  readonly cpuSeconds: number;
  readonly memory: Pick<Sample, "idleMiB" | "overIdleMiB">;
}

export async function observed<T>(server: Server, work: () => Promise<T>): Promise<readonly [T, Cost]> {
  const peak = new PeakMemory(server.own);
  const before = cpuSeconds(server.working);
  const result = await work();
  const cost = {
    cpuSeconds: cpuSeconds(server.working) - before,
    memory: { idleMiB: peak.idleMiB, overIdleMiB: peak.overIdleMiB() },
  };
  return [result, cost];
}
