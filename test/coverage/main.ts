/**
 * `npm run coverage`: runs the tests and prints the lines of `src/` that none of them reaches, in any of
 * their processes and threads. A process that is killed reports nothing, so a line that runs only before a
 * kill is listed too. Words after the command name test files.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { asRanges, parseReport, Reached } from "./reached.ts";

const root = resolve(import.meta.dirname, "../..");
const files = process.argv.length > 2 ? process.argv.slice(2) : ["test/**/*.{test,slow}.ts"];
const folder = mkdtempSync(join(tmpdir(), "mailroll-coverage-"));

const setup = "--test-global-setup=test/start-shared-postgres.ts";
const runner = spawn(
  process.execPath,
  ["--test", "--test-timeout=120000", "--test-concurrency=4", "--test-reporter=dot", setup, ...files],
  // Code from the compile cache is reported less exactly.
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, NODE_V8_COVERAGE: folder, NODE_DISABLE_COMPILE_CACHE: "1" },
  },
);
const [code] = (await once(runner, "exit")) as [number | null];

const sources = globSync("src/**/*.ts", { cwd: root }).toSorted();
const reached = new Map(
  sources.map((file) => [
    pathToFileURL(join(root, file)).href,
    { file, isLoaded: false, lines: new Reached(readFileSync(join(root, file), "utf8")) },
  ]),
);
for (const name of readdirSync(folder)) {
  const report = parseReport(readFileSync(join(folder, name), "utf8"));
  for (const script of report?.result ?? []) {
    const source = reached.get(script.url);
    if (source === undefined) continue;
    source.isLoaded = true;
    source.lines.add(script);
  }
}
rmSync(folder, { recursive: true });

/** A module of types only is never loaded. */
function hasCode(file: string): boolean {
  const code = stripTypeScriptTypes(readFileSync(join(root, file), "utf8"));
  return code.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "").replace(/[\s;]/g, "") !== "";
}

let count = 0;
for (const { file, isLoaded, lines } of reached.values()) {
  const unreached = lines.unreached();
  if (!isLoaded && hasCode(file)) console.log(`${file}: not loaded`);
  if (!isLoaded || unreached.length === 0) continue;
  count += unreached.length;
  console.log(`${file}: ${asRanges(unreached)}`);
}
console.log(`${count} lines are not reached`);
process.exitCode = code ?? 1;
