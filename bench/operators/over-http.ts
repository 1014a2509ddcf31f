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
const ROUNDS = 8;
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
const ways = { "ten operators search": searches, "batches of 1,000": inBatches } as const;
type Way = keyof typeof ways;
const names = Object.keys(ways) as Way[];
interface Pair {
  readonly alone: Window;
  readonly beside: Window;
}
export type Pairs = Readonly<Record<Way, readonly Pair[]>>;

async function measure(folder: RunFolder, service: Service, work: Beside): Promise<Window> {
  const signal = { isOpen: true };
  const beside = work(service, signal);
  try {
    const load = { url: service.server.url, message: messages.add(), connections: CONNECTIONS };
    const { perSecond, p99Ms } = await runLoad(folder, { ...load, seconds: WINDOW_SECONDS });
    signal.isOpen = false;
    return { adds: perSecond, p99Ms, besideMs: await beside };
  } finally {
    signal.isOpen = false;
  }
}

/**
 * Pairs of windows next to each other, each order in turn. No window follows one with other work beside it: a
 * batch leaves the database something to do.
 */
export async function compare(folder: RunFolder, service: Service): Promise<Pairs> {
  const compareWith = async (way: Way): Promise<readonly Pair[]> => {
    await measure(folder, service, ways[way]);
    await measure(folder, service, nothing);
    const pairs: Pair[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const isFirst = round % 2 === 0;
      const one = await measure(folder, service, isFirst ? nothing : ways[way]);
      const other = await measure(folder, service, isFirst ? ways[way] : nothing);
      pairs.push(isFirst ? { alone: one, beside: other } : { alone: other, beside: one });
    }
    return pairs;
  };
  return {
    "ten operators search": await compareWith("ten operators search"),
    "batches of 1,000": await compareWith("batches of 1,000"),
  };
}

/** The share of their rate that adds keep, in each pair. */
export const keptOf = (pairs: Pairs, way: Way): readonly number[] =>
  pairs[way].map(({ alone, beside }) => beside.adds / alone.adds);

export function report(name: string, pairs: Pairs): string {
  const rows = names.map((way) => {
    const kept = keptOf(pairs, way);
    return [
      way,
      median(pairs[way].map(({ alone }) => alone.adds)).toFixed(0),
      median(pairs[way].map(({ beside }) => beside.adds)).toFixed(0),
      median(kept).toFixed(2),
      Math.min(...kept).toFixed(2),
      median(pairs[way].map(({ beside }) => beside.p99Ms)).toFixed(0),
      median(pairs[way].flatMap(({ beside }) => beside.besideMs)).toFixed(0),
    ];
  });
  const head = [name, "adds alone/s", "beside/s", "kept: median", "lowest", "99 % ms", "beside: median ms"];
  return `${table(head, rows)}\n\n`;
}
