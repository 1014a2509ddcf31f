/** The program under test: started on an empty database, observed, and stopped. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { memoryOf } from "../process-memory.ts";
import type { Seen } from "./watch.ts";

export const KEY = "0123456789ABCDEF0123456789ABCDEF";

/** Part of every message. If it depended on the port, no run could be repeated. */
export const NAMESPACE = "urn:mailroll:fuzz";

export interface Program {
  readonly port: number;
  readonly origin: string;
  /** Log lines at level error, and all output that is not a log line. */
  readonly errors: readonly string[];
  hasEnded(): boolean;
  residentMiB(): number;
  look(): Promise<Seen>;
  /** Returns the exit code. */
  stop(): Promise<number | null>;
}

export async function startProgram(): Promise<Program> {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-fuzz-"));
  const child = spawn(resolve(import.meta.dirname, "../../bin/mailroll"), ["serve"], {
    cwd: folder,
    env: {
      ...process.env,
      MAILROLL_PORT: "0",
      MAILROLL_DATABASE: "sqlite:./m.db",
      MAILROLL_API_KEY: KEY,
      MAILROLL_NAMESPACES: NAMESPACE,
      MAILROLL_LOG: "warn",
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --import=${import.meta.resolve("./watch.ts")}`,
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("its output cannot be read");
  const errors: string[] = [];
  createInterface({ input: stderr }).on("line", (line) => {
    if (!/"level":"(?:warn|info)"/.test(line)) errors.push(line);
  });
  let code: number | null | undefined;
  const exited = new Promise<number | null>((done) => {
    child.on("exit", (given) => {
      code = given;
      done(given);
    });
  });
  const origin = await new Promise<string>((done, fail) => {
    createInterface({ input: stdout }).on("line", (line) => {
      const found = /serving (http:\S+)\/default\.asmx/.exec(line)?.[1];
      if (found !== undefined) done(found);
    });
    child.on("exit", (given) => fail(new Error(`it ended with ${given}: ${errors.join("\n")}`)));
  });
  return {
    origin,
    port: Number(new URL(origin).port),
    errors,
    hasEnded: () => code !== undefined,
    residentMiB: () => memoryOf(child.pid ?? 0).now,
    look: () =>
      new Promise((done, fail) => {
        child.once("message", (seen) => done(seen as Seen));
        child.send("look", (error) => {
          if (error !== null) fail(error);
        });
      }),
    stop: async () => {
      child.kill();
      const given = await exited;
      rmSync(folder, { recursive: true });
      return given;
    },
  };
}
