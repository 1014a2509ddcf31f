/**
 * Runs test files: many in one process, because loading modules takes longer than most tests, and a few
 * processes side by side. The arguments are patterns of files. With `--retry`, files of a process that failed
 * run once more, with nothing beside them, and must then pass: a shared machine can stand still for seconds.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, sep } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { PostgresServer } from "./postgres-server.ts";
import { share } from "./shared-postgres.ts";

/** With more, the last process runs longer than the others; with fewer, modules are loaded more often. */
const FILES_OF_A_PROCESS = 16;
/** Where more fail, the machine is not the reason. */
const MAX_RETRIED = 5;
const root = join(import.meta.dirname, "..");

/** Files of one folder load the same modules. A slow test starts programs, or measures: it runs by itself. */
function groupsOf(files: readonly string[]): string[][] {
  const folderOf = (file: string): string => file.split(sep).slice(0, -1)[1] ?? "";
  const groups: string[][] = [];
  for (const file of files.toSorted((a, b) => (folderOf(a) < folderOf(b) ? -1 : 1))) {
    const last = groups.at(-1);
    const [first = ""] = last ?? [];
    const isSame = folderOf(first) === folderOf(file) && !file.endsWith(".slow.ts");
    if (last !== undefined && isSame && last.length < FILES_OF_A_PROCESS) last.push(file);
    else groups.push([file]);
  }
  return groups;
}

let tests = 0;
async function isGreen(files: readonly string[]): Promise<boolean> {
  const began = performance.now();
  const options = ["--test", "--test-isolation=none", "--test-timeout=60000", "--test-reporter=spec"];
  const child = spawn(process.execPath, [...process.execArgv, ...options, ...files], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [printed, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit") as Promise<[number | null]>,
  ]);
  const count = Number(/^ℹ tests (\d+)$/m.exec(printed)?.[1] ?? 0);
  const isPassed = code === 0 && count > 0;
  const name = files.length === 1 ? files[0] : `${files[0]} and ${files.length - 1} more`;
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  if (isPassed) console.log(`✔ ${name}: ${count} tests, ${seconds} s`);
  else console.log(`✖ ${name}\n${printed.slice(Math.max(0, printed.indexOf("✖ failing tests:")))}${errors}`);
  if (isPassed) tests += count;
  return isPassed;
}

const { values, positionals } = parseArgs({
  options: { retry: { type: "boolean", default: false } },
  allowPositionals: true,
});
const files = globSync(positionals, { cwd: root }).filter((file) => !file.includes("node_modules"));
const waiting = groupsOf(files);
const failed: string[][] = [];
async function runWaiting(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
    if (!(await isGreen(next))) failed.push(next);
}

const server = await PostgresServer.start({ keepsPrepared: true });
await share(server);
await Promise.all(Array.from({ length: availableParallelism() + 1 }, runWaiting));
const isRetried = values.retry && failed.length <= MAX_RETRIED;
for (const again of isRetried ? failed.splice(0) : []) {
  console.log(`Again: ${again.join(" ")}`);
  if (!(await isGreen(again))) failed.push(again);
}
await server.stop();
const seconds = Math.round(performance.now() / 1000);
if (failed.length === 0 && tests > 0) console.log(`All ${tests} tests passed, in ${seconds} s.`);
else {
  console.log(`Tests failed in: ${failed.flat().join(" ") || "no test file was found"}`);
  process.exitCode = 1;
}
