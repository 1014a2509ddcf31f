/**
 * Runs test files: many in one process, because loading modules takes longer than most tests, and a few
 * processes side by side. The arguments are patterns of files. With `--retry`, files that failed run once
 * more, with nothing beside them, and must then pass: a shared machine can stand still for seconds.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { PostgresServer } from "./postgres-server.ts";
import { share } from "./shared-postgres.ts";

/** All of them share the connections of one PostgreSQL server. */
const PROCESSES = Math.min(availableParallelism() + 1, 8);
/** If more files fail, none is retried: the machine is not the reason. */
const MAX_RETRIED = 5;
/** Ends a process that a timer or a socket keeps from ending. */
const PROCESS_TIMEOUT_MS = 20 * 60_000;
const OPTIONS = [
  "--import=./test/reused-threads.ts",
  "--import=./test/cheap-passwords.ts",
  "--test-timeout=60000",
  "--test-reporter=spec",
];
const root = join(import.meta.dirname, "..");

/**
 * A slow test gets a process of its own. The others are dealt out, so that each process gets some of every
 * folder and all take about as long.
 */
function groupsOf(files: readonly string[]): string[][] {
  const isSlow = (file: string): boolean => file.endsWith(".slow.ts");
  const fast = files.filter((file) => !isSlow(file));
  const dealt = Map.groupBy(fast, (_, at) => at % PROCESSES);
  return [...dealt.values(), ...files.filter(isSlow).map((file) => [file])];
}

const total = { tests: 0, skipped: 0 };
/** Returns the files that failed, or all if none says so. */
async function failedOf(files: readonly string[]): Promise<readonly string[]> {
  const began = performance.now();
  const child = spawn(process.execPath, [...process.execArgv, ...OPTIONS, "test/run-files.ts", ...files], {
    cwd: root,
    env: { ...process.env, FORCE_COLOR: "0" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: PROCESS_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  const [printed, errors, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>,
  ]);
  const count = (what: string): number =>
    Number(new RegExp(`^ℹ ${what} (\\d+)$`, "m").exec(printed)?.[1] ?? 0);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  if (code === 0 && count("tests") > 0) {
    const name = files.length === 1 ? files[0] : `${files[0]} and ${files.length - 1} more`;
    console.log(`✔ ${name}: ${count("tests")} tests, ${seconds} s`);
    for (const [skipped] of printed.matchAll(/^\s*﹣ .*$/gm)) console.log(skipped);
    total.tests += count("tests");
    total.skipped += count("skipped");
    return [];
  }
  const failures = printed.slice(Math.max(0, printed.indexOf("✖ failing tests:")));
  const red = files.filter((file) => !printed.includes(`\n✔ ${file} (`));
  const failed = red.length > 0 ? red : files;
  console.log(`✖ ${failed.join(" ")}: ended with ${signal ?? code} after ${seconds} s\n${failures}${errors}`);
  return failed;
}

const { values, positionals } = parseArgs({
  options: { retry: { type: "boolean", default: false } },
  allowPositionals: true,
});
const files = positionals.flatMap((pattern) => {
  const found = globSync(pattern, { cwd: root }).filter((file) => !file.includes("node_modules"));
  if (found.length === 0) throw new Error(`no test file matches ${pattern}`);
  return found.toSorted();
});
const waiting = groupsOf(files);
const failed: string[] = [];
async function runWaiting(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
    failed.push(...(await failedOf(next)));
}

const server = await PostgresServer.start({ keepsPrepared: true });
await share(server);
await Promise.all(Array.from({ length: PROCESSES }, runWaiting));
const isRetried = values.retry && failed.length <= MAX_RETRIED;
for (const again of isRetried ? failed.splice(0) : []) {
  console.log(`Again: ${again}`);
  failed.push(...(await failedOf([again])));
}
await server.stop();
const seconds = Math.round(performance.now() / 1000);
if (failed.length === 0)
  console.log(`${total.tests - total.skipped} tests passed, ${total.skipped} skipped, in ${seconds} s.`);
else {
  console.log(`Tests failed in: ${failed.join(" ")}`);
  process.exitCode = 1;
}
