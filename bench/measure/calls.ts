/** Requests per second: many connections, each of which calls again as soon as it is answered. */
import type { Bench } from "../bench.ts";
import { runLoad } from "../load/wrk.ts";
import type { Server } from "../servers/server.ts";
import { observed } from "./observed.ts";
import { type Sample, sampleOf } from "./sample.ts";
import { warmUp } from "./warm-up.ts";

export const CONNECTIONS = 64;

export interface Calls {
  /** Sent by POST; without one, `query` is fetched. */
  readonly message?: string;
  readonly query?: string;
  readonly connections?: number;
  /** Whether each request adds a member: then the database must say so too. */
  readonly isAdding?: boolean;
}

export async function measureCalls(
  bench: Bench,
  server: Server,
  round: number,
  calls: Calls,
): Promise<Sample> {
  const { message, query = "", connections = CONNECTIONS, isAdding = false } = calls;
  const load = { url: server.url + query, connections, ...(message === undefined ? {} : { message }) };
  const { folder, timing } = bench;
  await warmUp(server, timing, round, (seconds) => runLoad(folder, { ...load, seconds }));
  const before = isAdding ? await server.members() : null;
  const [result, cost] = await observed(server, () => runLoad(folder, { ...load, seconds: timing.measure }));
  if (isAdding) checkMembers(server.name, before, await server.members(), result.requests, connections);
  return sampleOf(result.perSecond, {
    ...cost.memory,
    cpuMs: (cost.cpuSeconds * 1000) / result.requests,
    p99Ms: result.p99Ms,
  });
}

/**
 * Each answered add is a row; requests whose answer came after the end may have added one too, also those of
 * the warm-up.
 */
export function checkMembers(
  name: string,
  before: number | null,
  after: number | null,
  requests: number,
  connections: number,
): void {
  const added = (after ?? 0) - (before ?? 0);
  if (before === null || added < requests || added > requests + 2 * connections)
    throw new Error(`${name} answered ${requests} adds, but its database has ${added} more members`);
}
