/**
 * Runs test files: many in one process, because loading modules takes longer than most tests, and a few
 * processes side by side. The arguments are patterns of files; without any, all fast tests run. With
 * `--retry`, files that failed run once more, with nothing beside them, and must then pass: a shared machine
 * can stand still for seconds.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { SqliteStore } from "#store/sqlite/store.ts";
import { PostgresServer } from "./postgres-server.ts";
import { TEMPLATE } from "./reused-threads.ts";
import { share } from "./shared-postgres.ts";

/** All of them share the connections of one PostgreSQL server. */
const PROCESSES = Math.min(availableParallelism() + 1, 8);
/** If more files fail, none is retried: the machine is not the reason. */
const MAX_RETRIED = 10;
/** Ends a process whose tests do not end. */
const PROCESS_TIMEOUT_MS = 20 * 60_000;
const OPTIONS = [
  "--import=./test/reused-threads.ts",
  "--import=./test/cheap-passwords.ts",
  "--test-timeout=60000",
  "--test-reporter=spec",
];
/** For processes that run many files, none of which looks at memory. */
const OPTIONS_OF_MANY = [
  ...OPTIONS,
  "--import=./test/cheap-hooks.ts",
  // Most of what a test makes is garbage at once: this saves a twelfth of the processor time.
  "--max-semi-space-size=64",
];
const root = join(import.meta.dirname, "..");

/** What a process gets when it asks for its next file: none if there is no more. */
export interface Next {
  readonly file?: string | undefined;
}

const total = { tests: 0, skipped: 0 };
/**
 * Starts a process that takes one waiting file after the other. Returns those of its files that failed, or
 * all if none says so.
 */
async function failedOf(waiting: string[], options = OPTIONS): Promise<readonly string[]> {
  const began = performance.now();
  const files: string[] = [];
  const child = spawn(process.execPath, [...process.execArgv, ...options, "test/run-files.ts"], {
    cwd: root,
    env: { ...process.env, FORCE_COLOR: "0" },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    timeout: PROCESS_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  child.on("message", () => {
    const file = waiting.shift();
    if (file !== undefined) files.push(file);
    child.send({ file } satisfies Next);
  });
  const [printed, errors, [code, signal]] = await Promise.all([
    text(child.stdout as Readable),
    text(child.stderr as Readable),
    once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>,
  ]);
  const count = (what: string): number =>
    Number(new RegExp(`^ℹ ${what} (\\d+)$`, "m").exec(printed)?.[1] ?? 0);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  if (files.length === 0 && code === 0) return [];
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
const patterns = positionals.length > 0 ? positionals : ["test/**/*.test.ts"];
const files = patterns.flatMap((pattern) => {
  const found = globSync(pattern, { cwd: root }).filter((file) => !file.includes("node_modules"));
  if (found.length === 0) throw new Error(`no test file matches ${pattern}`);
  // Those of the stores take longest: if they came last, the other processes would wait for the end of one.
  return found.toSorted().toReversed();
});
const isSlow = (file: string): boolean => file.endsWith(".slow.ts");
/** A slow test gets a process of its own. */
const shares = files.filter(isSlow).map((file) => [file]);
const fast = files.filter((file) => !isSlow(file));
const failed: string[] = [];
async function runWaiting(): Promise<void> {
  if (fast.length > 0) failed.push(...(await failedOf(fast, OPTIONS_OF_MANY)));
  for (let next = shares.shift(); next !== undefined; next = shares.shift())
    failed.push(...(await failedOf(next)));
}

const server = await PostgresServer.start({ keepsPrepared: true });
await share(server);
const folder = mkdtempSync(join(tmpdir(), "mailroll-tests-"));
const template = join(folder, "migrated.db");
await (await SqliteStore.open(template, { days: 1, rows: 1, bytes: 1 })).close();
process.env[TEMPLATE] = template;
await Promise.all(Array.from({ length: PROCESSES }, runWaiting));
// No process was left to run them.
failed.push(...fast);
const isRetried = values.retry && failed.length <= MAX_RETRIED;
for (const again of isRetried ? failed.splice(0) : []) {
  console.log(`Again: ${again}`);
  failed.push(...(await failedOf([again])));
}
// It ends with this process. Removing its databases takes several seconds, for which nobody waits.
server.unref();
rmSync(folder, { recursive: true });
const seconds = Math.round(performance.now() / 1000);
if (failed.length === 0)
  console.log(`${total.tests - total.skipped} tests passed, ${total.skipped} skipped, in ${seconds} s.`);
else {
  console.log(`Tests failed in: ${failed.join(" ")}`);
  process.exitCode = 1;
}
