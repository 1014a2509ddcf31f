/**
 * `npm run bench:budget`: what a call costs now against what it cost at the commit that the budget counts
 * from. Both versions are measured alternately in one run: only then a difference of a few percent means
 * something.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Bench, usualTiming } from "../bench.ts";
import { Databases } from "../data/databases.ts";
import { empty } from "../data/dataset.ts";
import { PostgresDatabases } from "../data/postgres.ts";
import { membersIn } from "../data/sqlite.ts";
import { measureCalls } from "../measure/calls.ts";
import { measureCustoms } from "../measure/customs.ts";
import type { Sample } from "../measure/sample.ts";
import { messages } from "../messages.ts";
import { stopWhenSignalled } from "../processes.ts";
import { RunFolder } from "../run-folder.ts";
import { startMailroll } from "../servers/mailroll.ts";
import type { Server } from "../servers/server.ts";
import { BASE, unpackCommit } from "./base.ts";
import { budgetReport, isKept, type Spent } from "./report.ts";

const ROUNDS = 6;

type Measure = (bench: Bench, server: Server, round: number) => Promise<Sample>;
const calls: readonly (readonly [title: string, measure: Measure])[] = [
  [
    "Subscriber.Add",
    (bench, server, round) => measureCalls(bench, server, round, { message: messages.add(), isAdding: true }),
  ],
  ["Subscriber.AddwithBasicandCustoms, 5 fields", measureCustoms],
];

type Start = (bench: Bench, name: string, checkout?: string) => Promise<Server>;
const stores: readonly (readonly [title: string, start: Start])[] = [
  [
    "SQLite",
    ({ folder }, name, checkout) => {
      const file = folder.file(`${name}.db`);
      const options = { name, database: `sqlite:${file}`, members: () => membersIn(file) };
      return startMailroll(folder, checkout === undefined ? options : { ...options, checkout });
    },
  ],
  [
    "PostgreSQL",
    async ({ folder, postgres }, name, checkout) => {
      const { url, pid, members } = await postgres.database(empty, checkout);
      const options = { name, database: url, databasePid: pid, members };
      return startMailroll(folder, checkout === undefined ? options : { ...options, checkout });
    },
  ],
];

async function cpuOf(measured: Promise<Sample>): Promise<number> {
  const { cpuMs } = await measured;
  if (cpuMs === null) throw new Error("the CPU time could not be read");
  return cpuMs;
}

/** Each version begins every other round, so that neither always finds the warmer machine. */
async function compare(
  bench: Bench,
  base: Server,
  now: Server,
  measure: Measure,
): Promise<Omit<Spent, "title">> {
  const spent = { base: [] as number[], now: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const versions = [
      { server: base, into: spent.base },
      { server: now, into: spent.now },
    ];
    for (const { server, into } of round % 2 === 0 ? versions : versions.reverse())
      into.push(await cpuOf(measure(bench, server, round)));
  }
  return spent;
}

async function main(): Promise<boolean> {
  const folder = new RunFolder();
  const postgres = new PostgresDatabases(folder);
  const all: Spent[] = [];
  try {
    const checkout = await unpackCommit(folder, BASE);
    const bench = { folder, postgres, timing: usualTiming, databases: await Databases.prepare(folder) };
    for (const [store, start] of stores) {
      const base = await start(bench, `base-${store}`, checkout);
      const now = await start(bench, `now-${store}`);
      for (const [call, measure] of calls) {
        const title = `${call}, ${store}`;
        process.stdout.write(`${title}\n`);
        all.push({ title, ...(await compare(bench, base, now, measure)) });
      }
      await Promise.all([base.stop(), now.stop()]);
    }
  } finally {
    await postgres.close();
    folder.close();
  }
  const report = budgetReport(all, new Date());
  writeFileSync(join(import.meta.dirname, "../results/budget.md"), report);
  process.stdout.write(`\n${report}`);
  return all.every(isKept);
}

const signalled = stopWhenSignalled();
try {
  if (!(await main())) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`bench: ${signalled() ?? (error as Error).message}\n`);
  process.exitCode = 1;
}
