/** The real program as a child with an empty database of its own, and where it answers. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const KEY = "0123456789ABCDEF0123456789ABCDEF";
const START_MS = 20_000;

export interface Program {
  readonly endpoint: string;
  stop(): Promise<void>;
}

export async function startProgram(): Promise<Program> {
  const directory = mkdtempSync(join(tmpdir(), "mailroll-browser-"));
  const program = fileURLToPath(new URL("../../bin/mailroll", import.meta.url));
  const child = spawn(program, ["serve", "--port", "0", "--database", `sqlite:${join(directory, "m.db")}`], {
    env: { ...process.env, MAILROLL_API_KEY: KEY },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  let output = "";
  const endpoint = new Promise<string>((resolve, reject) => {
    const listen = (piece: Buffer): void => {
      output += piece.toString();
      const found = /http:\/\/localhost:\d+\/default\.asmx/.exec(output);
      if (found !== null) resolve(found[0]);
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", (piece: Buffer) => {
      output += piece.toString();
    });
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`the program ended before it named its endpoint:\n${output}`)));
    setTimeout(() => reject(new Error(`no endpoint was named:\n${output}`)), START_MS).unref();
  });
  try {
    return { endpoint: await endpoint, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
