/**
 * `npm run bench:weight`: what the program weighs before it does anything: its files, its start, its memory,
 * a command and the call that does least. A commit from before the program was bundled, this clone and the
 * package are measured alternately in one run, on SQLite.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, globSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../../test/free-port.ts";
import { type Bench, usualTiming } from "../bench.ts";
import { unpackCommit } from "../budget/base.ts";
import { Databases } from "../data/databases.ts";
import { PostgresDatabases } from "../data/postgres.ts";
import { membersIn } from "../data/sqlite.ts";
import { measureCalls } from "../measure/calls.ts";
import { PeakMemory } from "../measure/proc.ts";
import { KEY, messages, NAMESPACE } from "../messages.ts";
import { RunningProgram, runToEnd, stopWhenSignalled } from "../processes.ts";
import { amount, percent } from "../report/numbers.ts";
import { RunFolder } from "../run-folder.ts";
import { startBare } from "../servers/bare.ts";
import { endOf, endpointAt, type Server } from "../servers/server.ts";
import { median, spread } from "../statistics.ts";

/** The last commit of which there was no package. */
const BEFORE = "c3eef506";
const ROUNDS = 5;
const timing = { ...usualTiming, freshWarmUp: 3, firstWarmUp: 0 };
/** After a start and after a load: memory settles. */
const SETTLES_MS = 2000;
const READY_WITHIN_MS = 20_000;

const figures = {
  readyMs: { title: "ready to answer, ms", target: 500 },
  idleMiB: { title: "idle before the first call, MiB", target: 110 },
  loadedMiB: { title: "after the load, MiB", target: 170 },
  commandMs: { title: "`mailroll list list`, ms of CPU", target: 300 },
  callMicros: { title: "`Client.TestApiConnection`, µs of CPU", target: 95 },
};
type Name = keyof typeof figures;
const names = Object.keys(figures) as Name[];
type Weights = Record<Name, number[]>;

const root = resolve(import.meta.dirname, "../..");

/** Starts the program in `checkout` on an own database, and tells how long it takes to be ready. */
async function start(folder: RunFolder, name: string, checkout: string) {
  const port = await freePort();
  const env = {
    MAILROLL_PORT: String(port),
    MAILROLL_DATABASE: `sqlite:${folder.file(`${name}.db`)}`,
    MAILROLL_BASE_URL: NAMESPACE,
    MAILROLL_API_KEY: KEY,
    XDG_CACHE_HOME: folder.path,
  };
  const program = resolve(checkout, "bin/mailroll");
  const started = performance.now();
  const running = await RunningProgram.start(program, ["serve"], {
    cwd: folder.path,
    log: folder.file(`mailroll-${port}.log`),
    env,
  });
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      async (response) => {
        await response.text();
        return response.ok;
      },
      () => false,
    );
  while (!(await isReady())) {
    if (running.hasEnded || performance.now() - started > READY_WITHIN_MS)
      throw new Error(`${name} is not ready: ${running.lastWords}`);
    await delay(5);
  }
  const server: Server = {
    name,
    url: endpointAt(port),
    working: [running.pid],
    own: [running.pid],
    members: () => membersIn(folder.file(`${name}.db`)),
    ...endOf(running),
  };
  return { server, program, env, readyMs: performance.now() - started };
}

const memoryOf = async ({ own }: Server): Promise<number> => {
  await delay(SETTLES_MS);
  return new PeakMemory(own).idleMiB;
};

/** User and system time of a command, from the shell that ran it. */
async function cpuMsOf(program: string, args: readonly string[], env: Record<string, string>) {
  const script = '"$@" > /dev/null && times';
  const [, ofCommand = ""] = (await runToEnd("sh", ["-c", script, "sh", program, ...args], env)).split("\n");
  const seconds = [...ofCommand.matchAll(/(\d+)m([\d.]+)s/g)].map(([, m, s]) => Number(m) * 60 + Number(s));
  if (seconds.length !== 2) throw new Error(`times says ${ofCommand}`);
  return (seconds[0] ?? 0) * 1000 + (seconds[1] ?? 0) * 1000;
}

const microsOf = async (bench: Bench, server: Server): Promise<number> =>
  ((await measureCalls(bench, server, 0, { message: messages.probe })).cpuMs ?? Number.NaN) * 1000;

async function weigh(bench: Bench, name: string, checkout: string): Promise<Record<Name, number>> {
  const { server, program, env, readyMs } = await start(bench.folder, name, checkout);
  try {
    const idleMiB = await memoryOf(server);
    const commandMs = await cpuMsOf(program, ["list", "list"], env);
    const callMicros = await microsOf(bench, server);
    await measureCalls(bench, server, 0, { message: messages.add(), isAdding: true });
    await measureCalls(bench, server, 0, { message: messages.lists });
    await measureCalls(bench, server, 0, { query: "?wsdl" });
    return { readyMs, idleMiB, commandMs, callMicros, loadedMiB: await memoryOf(server) };
  } finally {
    await server.stop();
  }
}

/** Node's own HTTP server, with the same answer: no service can weigh less. */
async function weighBare(bench: Bench): Promise<Partial<Record<Name, number>>> {
  const bare = await startBare(bench.folder, "node:http", bench.databases.description.probe);
  try {
    return { idleMiB: await memoryOf(bare), callMicros: await microsOf(bench, bare) };
  } finally {
    await bare.stop();
  }
}

/** Builds the package, and a folder from which it starts like a clone. */
function makePackage(folder: RunFolder): { checkout: string; packed: number; installed: number } {
  const dist = folder.file("dist");
  execFileSync("npm", ["run", "--silent", "build", "--", dist], { cwd: root, stdio: "ignore" });
  const checkout = folder.file("package");
  mkdirSync(join(checkout, "bin"), { recursive: true });
  const program = join(checkout, "bin/mailroll");
  // The Node of this run, wherever another one is found first.
  const path = `"${dirname(process.execPath)}:$PATH"`;
  writeFileSync(program, `#!/bin/sh\nPATH=${path} exec "${dist}/package/bin/mailroll.cjs" "$@"\n`);
  chmodSync(program, 0o755);
  const bytes = (files: readonly string[]) => files.reduce((sum, file) => sum + lstatSync(file).size, 0);
  return {
    checkout,
    packed: bytes(globSync(join(dist, "*.tgz"))),
    installed: bytes(globSync(join(dist, "package/**/*"))),
  };
}

const MB = 1e6;
function reportOf(
  all: Readonly<Record<string, Weights>>,
  bare: Partial<Record<Name, number>>,
  sizes: { packed: number; installed: number },
): string {
  const line = (row: readonly string[]): string => `| ${row.join(" | ")} |`;
  const head = ["", ...Object.keys(all), "its spread", "target", "met", "node:http alone"];
  const rows = names.map((name) => [
    figures[name].title,
    ...Object.values(all).map((weights) => amount(median(weights[name]))),
    percent(spread(all["the package"]?.[name] ?? [])),
    amount(figures[name].target),
    median(all["the package"]?.[name] ?? []) <= figures[name].target ? "yes" : "no",
    bare[name] === undefined ? "" : amount(bare[name]),
  ]);
  return `# The weight of the program

Measured on ${new Date().toISOString().slice(0, 10)} on SQLite: the median of ${ROUNDS} alternating rounds. What is measured:
[bench/README.md](../README.md#the-weight).

${[line(head), line(head.map((_, i) => (i === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n")}

The package is ${amount(sizes.packed / MB)} MB packed and ${amount(sizes.installed / MB)} MB installed, without Node.
`;
}

async function main(): Promise<void> {
  const folder = new RunFolder();
  const postgres = new PostgresDatabases(folder);
  try {
    const bench = { folder, postgres, timing, databases: await Databases.prepare(folder) };
    const { checkout, ...sizes } = makePackage(folder);
    const subjects = {
      [`commit ${BEFORE}`]: await unpackCommit(folder, BEFORE),
      "a clone": root,
      "the package": checkout,
    };
    const all = Object.fromEntries(
      Object.keys(subjects).map((name): [string, Weights] => [
        name,
        { readyMs: [], idleMiB: [], loadedMiB: [], commandMs: [], callMicros: [] },
      ]),
    );
    // The first start makes the database, and fills the cache of compiled code.
    for (const [name, from] of Object.entries(subjects))
      await (await start(folder, name, from)).server.stop();
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [name, from] of Object.entries(subjects)) {
        process.stdout.write(`round ${round + 1}, ${name}\n`);
        const weights = await weigh(bench, name, from);
        for (const figure of names) all[name]?.[figure].push(weights[figure]);
      }
    const report = reportOf(all, await weighBare(bench), sizes);
    writeFileSync(join(import.meta.dirname, "../results/weight.md"), report);
    process.stdout.write(`\n${report}`);
  } finally {
    await postgres.close();
    folder.close();
  }
}

const signalled = stopWhenSignalled();
try {
  await main();
} catch (error) {
  process.stderr.write(`bench: ${signalled() ?? (error as Error).message}\n`);
  process.exitCode = 1;
}
