/** Child processes of the benchmark: none outlives it. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";

type Environment = Readonly<Record<string, string>>;

const running = new Set<ChildProcess>();
const stopAll = (): void => {
  for (const child of running) child.kill("SIGTERM");
};
process.once("exit", stopAll);

/**
 * A signal ends what is running, and so whatever waits for it. Gives what to say about it, null where there
 * was none.
 */
export function stopWhenSignalled(): () => string | null {
  let signal: string | null = null;
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.on(name, () => {
      signal = name;
      stopAll();
    });
  return () => (signal === null ? null : `stopped by ${signal}; nothing was written`);
}

/** A program that does not end by itself within this time is ended. */
const END_WITHIN_MS = 5000;

function watched(child: ChildProcess): ChildProcess {
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

export class RunningProgram {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #log: string;

  private constructor(child: ChildProcess, pid: number, log: string) {
    this.pid = pid;
    this.#child = child;
    this.#log = log;
  }

  /** All that it says goes to the file `log`. */
  static async start(
    command: string,
    args: readonly string[],
    { env = {}, log, cwd }: { env?: Environment; log: string; cwd: string },
  ): Promise<RunningProgram> {
    const out = openSync(log, "a");
    const child = watched(
      spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", out, out] }),
    );
    closeSync(out);
    await once(child, "spawn");
    if (child.pid === undefined) throw new Error(`${command} has no process`);
    return new RunningProgram(child, child.pid, log);
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
  /** The end of what it said. */
  get lastWords(): string {
    return readFileSync(this.#log, "utf8").trim().slice(-500);
  }
  async stop(): Promise<void> {
    if (this.hasEnded) return;
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), END_WITHIN_MS);
    await exited;
    clearTimeout(timer);
  }
}

/** Runs a program to its end and gives what it printed. */
export function runToEnd(command: string, args: readonly string[], env: Environment = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...process.env, ...env }, maxBuffer: 64 * 1024 ** 2 };
    watched(
      execFile(command, args, options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`${command} failed: ${stderr.trim() || error.message}`));
      }),
    );
  });
}
