/** Runs wrk, the load generator. A run with any failed request is an error. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runToEnd } from "../processes.ts";
import type { RunFolder } from "../run-folder.ts";

export interface Load {
  readonly url: string;
  /** Sent by POST; without one, the address is fetched. */
  readonly message?: string;
  readonly connections: number;
  readonly seconds: number;
  /** Waits so long before each request. */
  readonly pauseMs?: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface Written {
  readonly requests: number;
  readonly microseconds: number;
  readonly failed: Readonly<Record<string, number>>;
  readonly p50: number;
  readonly p99: number;
}

/** What the script wrote. Anything that went wrong is an error: a run that measures failures is worthless. */
export function readLoadResult(text: string): LoadResult {
  const { requests, microseconds, failed, p50, p99 } = JSON.parse(text) as Written;
  const failures = Object.entries(failed).filter(([, count]) => count > 0);
  if (failures.length > 0)
    throw new Error(
      `of ${requests} requests failed: ${failures.map(([kind, n]) => `${n} (${kind})`).join(", ")}`,
    );
  if (requests === 0) throw new Error("no request was answered");
  const seconds = microseconds / 1e6;
  return { requests, seconds, perSecond: requests / seconds, p50Ms: p50 / 1000, p99Ms: p99 / 1000 };
}

const script = join(import.meta.dirname, "soap.lua");
let runs = 0;

export async function runLoad(folder: RunFolder, load: Load): Promise<LoadResult> {
  runs += 1;
  const result = folder.file(`wrk-${runs}.json`);
  const args = [
    "-t1",
    `-c${load.connections}`,
    `-d${load.seconds}s`,
    "--timeout",
    "30s",
    "-s",
    script,
    load.url,
  ];
  await runToEnd("wrk", args, {
    BENCH_RESULT: result,
    BENCH_TAG: `r${runs}`,
    ...(load.message === undefined
      ? {}
      : { BENCH_MESSAGE: folder.write(`message-${runs}.xml`, load.message) }),
    ...(load.pauseMs === undefined ? {} : { BENCH_PAUSE_MS: String(load.pauseMs) }),
  });
  return readLoadResult(readFileSync(result, "utf8"));
}
