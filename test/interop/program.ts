/**
 * Makes and runs the program of a client, in a folder of its own and with nothing of the tester's but the
 * PATH.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Command } from "./clients.ts";
import type { Outcome } from "./outcome.ts";
import type { Step } from "./scenario.ts";

/** Far from UTC, so that a date that is taken for a local one shows. */
const TZ = "America/Argentina/Buenos_Aires";
const environment = (folder: string): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: folder,
  TMPDIR: folder,
  LC_ALL: "C.UTF-8",
  TZ,
});

/** Runs a command to its end, which must be a good one. */
export function build([program = "", ...words]: Command, folder: string): Promise<void> {
  const child = spawn(program, words, {
    cwd: folder,
    env: environment(folder),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (piece: string) => {
      output += piece;
    });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${program} ${words.join(" ")} ended with ${code}:\n${output.slice(-4000)}`));
    });
  });
}

/** Hands the steps to a client's program and gives back what it says of each. */
export function run(
  [program = "", ...words]: Command,
  folder: string,
  steps: readonly Step[],
): Promise<readonly Outcome[]> {
  const child = spawn(program, words, { cwd: folder, env: environment(folder), stdio: "pipe" });
  const lines: string[] = [];
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    errors += piece;
  });
  child.stdin.on("error", () => {}); // It ended before it had read all steps, and says why below.
  for (const { operation, key, parameters } of steps) {
    const cells = Object.entries({ APIKey: key, ...parameters }).map(([name, value]) => `${name}=${value}`);
    child.stdin.write(`${[operation, ...cells].join("\t")}\n`);
  }
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(line);
      // With its last line a client has done its work. Mono would abort now and then while it ends by itself.
      if (lines.length === steps.length) child.kill("SIGKILL");
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (lines.length === steps.length) resolve(lines.map((line) => JSON.parse(line) as Outcome));
      else
        reject(
          new Error(`${program} ended with ${code} after ${lines.length} steps:\n${errors.slice(-4000)}`),
        );
    });
  });
}
