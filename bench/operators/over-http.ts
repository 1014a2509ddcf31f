/**
 * SOAP adds at full rate: alone, beside ten operators who each run the worst search once a second, and beside
 * batches of 1,000 items. The windows alternate in one run, so that whatever else the machine does meets all.
 */
import { setTimeout as delay } from "node:timers/promises";
import { runLoad } from "../load/wrk.ts";
import { messages } from "../messages.ts";
import { table } from "../report/table.ts";
import type { RunFolder } from "../run-folder.ts";
import { median } from "../statistics.ts";
import { LIST, type Service } from "./service.ts";

export const OPERATORS = 10;
const ROUNDS = 6;
const WINDOW_SECONDS = 3;
const CONNECTIONS = 32;
const BATCH = 1000;
export const KEPT = 0.9;

interface Window {
  /** Per second. */
  readonly adds: number;
  readonly p99Ms: number;
  /** What ran beside the adds: how long each request took. */
  readonly besideMs: readonly number[];
}

/** The time that the request took. A failed one fails the run. */
async function post(url: string, token: string, body: object): Promise<number> {
  const began = performance.now();
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${text.slice(0, 300)}`);
  return performance.now() - began;
}

type Beside = (service: Service, signal: { readonly isOpen: boolean }) => Promise<readonly number[]>;

const searches: Beside = async ({ api, tokens }, signal) => {
  const times = await Promise.all(
    tokens.map(async (token, operator) => {
      const taken: number[] = [];
      await delay((operator * 1000) / OPERATORS);
      while (signal.isOpen) {
        const ms = await post(`${api}/subscribers:search`, token, { name: `Nobody ${operator}`, limit: 500 });
        taken.push(ms);
        await delay(Math.max(1000 - ms, 0));
      }
      return taken;
    }),
  );
  return times.flat();
};

let batches = 0;
const inBatches: Beside = async ({ api, tokens: [token = ""] }, signal) => {
  const taken: number[] = [];
  while (signal.isOpen) {
    batches += 1;
    const items = Array.from({ length: BATCH }, (_, n) => ({
      action: "add",
      listId: String(LIST),
      email: `${((n * 2_654_435_761) % 2 ** 32).toString(16)}-batch-${batches}@example.org`,
    }));
    taken.push(await post(`${api}/subscribers:batch`, token, { items }));
  }
  return taken;
};

const nothing: Beside = async () => [];
const ways = { alone: nothing, "ten operators search": searches, "batches of 1,000": inBatches } as const;
type Way = keyof typeof ways;
export type Windows = Readonly<Record<Way, Window[]>>;
const names = Object.keys(ways) as Way[];

async function measure(folder: RunFolder, service: Service, way: Way): Promise<Window> {
  const signal = { isOpen: true };
  const beside = ways[way](service, signal);
  try {
    const load = { url: service.server.url, message: messages.add(), connections: CONNECTIONS };
    const { perSecond, p99Ms } = await runLoad(folder, { ...load, seconds: WINDOW_SECONDS });
    signal.isOpen = false;
    return { adds: perSecond, p99Ms, besideMs: await beside };
  } finally {
    signal.isOpen = false;
  }
}

export async function compare(folder: RunFolder, service: Service): Promise<Windows> {
  for (const way of names) await measure(folder, service, way);
  const windows: Record<Way, Window[]> = { alone: [], "ten operators search": [], "batches of 1,000": [] };
  for (let round = 0; round < ROUNDS; round += 1)
    for (const way of round % 2 === 0 ? names : names.toReversed())
      windows[way].push(await measure(folder, service, way));
  return windows;
}

/** The share of their rate that adds keep, in each round: its windows are next to each other. */
export const keptOf = (windows: Windows, way: Way): readonly number[] =>
  windows[way].map(({ adds }, round) => adds / (windows.alone[round]?.adds ?? adds));

export function report(name: string, windows: Windows): string {
  const rows = names.map((way) => {
    const [of, kept] = [windows[way], keptOf(windows, way)];
    const beside = of.flatMap(({ besideMs }) => besideMs);
    return [
      way,
      median(of.map(({ adds }) => adds)).toFixed(0),
      median(kept).toFixed(2),
      Math.min(...kept).toFixed(2),
      median(of.map(({ p99Ms }) => p99Ms)).toFixed(0),
      beside.length === 0 ? "–" : median(beside).toFixed(0),
    ];
  });
  const head = [name, "adds per s", "kept: median", "lowest", "99 % ms", "beside: median ms"];
  return `${table(head, rows)}\n\n`;
}
