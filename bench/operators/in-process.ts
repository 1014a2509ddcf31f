/**
 * `npm run bench:operators -- --in-process`: what operators cost integrations in the store alone, without
 * HTTP. Ten operators each run the worst search once a second, in an account of 1,000,000 subscribers: for a
 * name that nobody has. Windows with and without them alternate in one run, so that whatever else the machine
 * does meets both. For comparison, operators also search on the readers of callers.
 */
import { setTimeout as delay } from "node:timers/promises";
import { parseAddress } from "#domain/address.ts";
import type { Store } from "#domain/ports/store.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { Databases } from "../data/databases.ts";
import { withMembers } from "../data/dataset.ts";
import { PostgresDatabases } from "../data/postgres.ts";
import { table } from "../report/table.ts";
import { RunFolder } from "../run-folder.ts";
import { median } from "../statistics.ts";

const SUBSCRIBERS = 1_000_000;
const OPERATORS = 10;
const ROUNDS = 8;
const WINDOW_MS = 4000;
const IN_FLIGHT = 64;
/** Between two lists that an integration reads. */
const LIST_EVERY_MS = 20;
const KEPT = 0.9;

const [account, list] = [1, 1];
const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };
const anybody = { address: null, state: null, list: null, filter: [] };

interface Window {
  /** Per second. */
  readonly adds: number;
  /** How long an integration waited for its lists, in milliseconds. */
  readonly lists: readonly number[];
  readonly searches: readonly number[];
}

let addresses = 0;
function add(store: Store) {
  addresses += 1;
  const address = parseAddress(`add-${process.pid}-${addresses}@example.org`);
  const origin = { kind: "operator" } as const;
  return store.subscribers.add({ account, list, address, at: Date.now(), origin, recordedCall: null });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** One window; `operators` is null without operators. */
async function measure(store: Store, operators: Store | null): Promise<Window> {
  const [lists, searches]: [number[], number[]] = [[], []];
  const began = performance.now();
  const isOpen = (): boolean => performance.now() - began < WINDOW_MS;
  let added = 0;
  const adding = async (): Promise<void> => {
    while (isOpen()) {
      await add(store);
      added += 1;
    }
  };
  const reading = async (): Promise<void> => {
    while (isOpen()) {
      lists.push(await timed(() => store.lists.all.page({ account }, { after: null, limit: 500 })));
      await delay(LIST_EVERY_MS);
    }
  };
  const searching = async (on: Store, operator: number): Promise<void> => {
    await delay((operator * 1000) / OPERATORS);
    while (isOpen()) {
      const args = { account, ...anybody, name: `Nobody ${operator}` };
      const ms = await timed(() => on.subscribers.search.page(args, { after: null, limit: 500 }));
      searches.push(ms);
      await delay(Math.max(1000 - ms, 0));
    }
  };
  let addedMs = 0;
  const addAll = async (): Promise<void> => {
    await Promise.all(Array.from({ length: IN_FLIGHT }, adding));
    addedMs = performance.now() - began;
  };
  const ten = operators === null ? [] : Array.from({ length: OPERATORS }, (_, n) => searching(operators, n));
  await Promise.all([addAll(), reading(), ...ten]);
  return { adds: (added * 1000) / addedMs, lists, searches };
}

const ways = ["no operators", "operators", "operators among callers"] as const;
type Way = (typeof ways)[number];

async function compare(store: Store): Promise<Readonly<Record<Way, Window[]>>> {
  const readers: Readonly<Record<Way, Store | null>> = {
    "no operators": null,
    operators: store.forOperators,
    "operators among callers": store,
  };
  for (const way of ways) await measure(store, readers[way]);
  const windows: Record<Way, Window[]> = {
    "no operators": [],
    operators: [],
    "operators among callers": [],
  };
  for (let round = 0; round < ROUNDS; round += 1)
    for (const way of round % 2 === 0 ? ways : ways.toReversed())
      windows[way].push(await measure(store, readers[way]));
  return windows;
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(share * (values.length - 1))] ?? 0;

/** Of the windows of each round: those are next to each other. */
function keptOf(windows: Readonly<Record<Way, Window[]>>, way: Way): number {
  return median(windows[way].map(({ adds }, round) => adds / (windows["no operators"][round]?.adds ?? adds)));
}

function report(name: string, windows: Readonly<Record<Way, Window[]>>): string {
  const rows = ways.map((way) => {
    const lists = windows[way].flatMap((window) => window.lists);
    const searches = windows[way].flatMap((window) => window.searches);
    return [
      way,
      median(windows[way].map(({ adds }) => adds)).toFixed(0),
      keptOf(windows, way).toFixed(2),
      ...[percentile(lists, 0.5), percentile(lists, 0.99)].map((ms) => ms.toFixed(1)),
      searches.length === 0 ? "–" : percentile(searches, 0.5).toFixed(0),
    ];
  });
  const head = [name, "adds per s", "kept", "list: median ms", "99 % ms", "search: median ms"];
  return `${table(head, rows)}\n\n`;
}

/** Whether adds keep enough of their rate. */
export async function compareInProcess(): Promise<boolean> {
  const folder = new RunFolder();
  const postgres = new PostgresDatabases(folder);
  const data = withMembers(SUBSCRIBERS);
  const open: Readonly<Record<string, () => Promise<Store>>> = {
    SQLite: async () => SqliteStore.open((await Databases.prepare(folder)).mailroll(data), retention),
    PostgreSQL: async () => PostgresStore.open((await postgres.database(data)).url, retention),
  };
  const kept: number[] = [];
  try {
    for (const [name, openStore] of Object.entries(open)) {
      const store = await openStore();
      try {
        const windows = await compare(store);
        process.stdout.write(report(name, windows));
        kept.push(keptOf(windows, "operators"));
      } finally {
        await store.close();
      }
    }
  } finally {
    await postgres.close();
    folder.close();
  }
  return kept.every((share) => share >= KEPT);
}
