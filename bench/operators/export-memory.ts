/**
 * The memory of the service during exports of a short list, and twice of a long one. The first long export
 * lets the heaps of its threads grow to the size at which their garbage is collected. The second one must
 * need no more: nothing is kept of the rows that were sent.
 */
import { PeakMemory } from "../measure/proc.ts";
import { table } from "../report/table.ts";
import { LIST, METRICS_TOKEN, type Service, SHORTER, SHORTER_LIST, SUBSCRIBERS } from "./service.ts";

/** By how much the second long export may exceed what the service uses: the noise of garbage collection. */
const NOISE_MIB = 64;

interface Exported {
  readonly rows: number;
  readonly seconds: number;
  readonly idleMiB: number;
  readonly peakMiB: number;
  readonly heapMiB: readonly [before: number, after: number];
}

async function heapMiB({ server }: Service): Promise<number> {
  const headers = { Authorization: `Bearer ${METRICS_TOKEN}` };
  const text = await (await fetch(new URL("/metrics", server.url), { headers })).text();
  const bytes = Number(/^mailroll_heap_bytes(?:\{[^}]*\})? (\S+)$/m.exec(text)?.[1]);
  if (!Number.isFinite(bytes)) throw new Error("the metrics do not contain the heap");
  return bytes / 2 ** 20;
}

async function measure(service: Service, list: number, expected: number): Promise<Exported> {
  const before = await heapMiB(service);
  const memory = new PeakMemory(service.server.own);
  const began = performance.now();
  const headers = { Authorization: `Bearer ${service.tokens[0]}` };
  const response = await fetch(`${service.api}/lists/${list}/export?state=all`, { headers });
  if (response.status !== 200 || response.body === null) throw new Error(`HTTP ${response.status}`);
  let lines = 0;
  for await (const chunk of response.body) for (const byte of chunk) if (byte === 10) lines += 1;
  const seconds = (performance.now() - began) / 1000;
  // One line is the head.
  if (lines - 1 < expected) throw new Error(`the export has ${lines - 1} rows, not ${expected}`);
  const peakMiB = memory.overIdleMiB();
  const heap = [before, await heapMiB(service)] as const;
  return { rows: lines - 1, seconds, idleMiB: memory.idleMiB, peakMiB, heapMiB: heap };
}

export async function exportMemory(
  name: string,
  service: Service,
): Promise<{ readonly text: string; readonly isFlat: boolean }> {
  // The first export starts what exports need.
  await measure(service, SHORTER_LIST, SHORTER);
  const short = await measure(service, SHORTER_LIST, SHORTER);
  const long = await measure(service, LIST, SUBSCRIBERS);
  const again = await measure(service, LIST, SUBSCRIBERS);
  const rows = [short, long, again].map((one) => [
    `export of ${one.rows} rows`,
    one.seconds.toFixed(1),
    ...[one.idleMiB, one.peakMiB, ...one.heapMiB].map((mib) => mib.toFixed(0)),
  ]);
  const head = [name, "seconds", "idle MiB", "peak over idle", "heap before", "heap after"];
  return { text: `${table(head, rows)}\n\n`, isFlat: again.peakMiB < NOISE_MIB };
}
