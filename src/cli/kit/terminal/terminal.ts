/** What a command runs in: streams, environment and user of the process, or a substitute for them. */
import { createInterface } from "node:readline/promises";
import type { openStore } from "#app/database.ts";
import type { Context, Failure } from "../command.ts";
import type { Streams } from "./output.ts";
import { askSecret } from "./secret.ts";
import { outputFailure, standardOutput } from "./standard-output.ts";
import { oneLine } from "./terminal-text.ts";

export interface Terminal extends Streams {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly confirm: Context["confirm"];
  readonly askSecret?: Context["askSecret"];
  /** Width of the terminal that `out` is; null if it is not a terminal. */
  readonly outColumns?: () => number | null;
  /** Resolves when all of `out` is written, with the error if it failed. */
  readonly written?: () => Promise<Failure | null>;
  /** Opens the database; by default a new store, which the command closes. */
  readonly openStore?: typeof openStore;
}

export function processTerminal(): Terminal {
  const stdout = standardOutput();
  let failure: Failure | null = null;
  const onError = (error: Error | null | undefined): void => {
    if (error !== null && error !== undefined) failure ??= outputFailure(error);
  };
  stdout.on("error", onError);
  // The startup banner of a server is written there directly.
  if (stdout !== process.stdout)
    process.stdout.on("error", (error) => {
      process.stderr.write(`mailroll: ${oneLine(outputFailure(error)?.message ?? error.message)}\n`);
      process.exit(1);
    });
  return {
    out: (text) => void stdout.write(text, onError),
    written: async () => {
      // A failed stream buffers what is written, and never calls back.
      if (stdout.errored === null) await new Promise((resolve) => void stdout.write("", resolve));
      onError(stdout.errored);
      return failure;
    },
    err: (text) => void process.stderr.write(text),
    outColumns: () => (process.stdout.isTTY ? process.stdout.columns : null),
    errColumns: () => (process.stderr.isTTY ? process.stderr.columns : null),
    env: process.env,
    folder: process.cwd(),
    confirm,
    askSecret,
  };
}

async function confirm(question: string, answer?: string): Promise<boolean | null> {
  if (!process.stdin.isTTY) return null;
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    prompt.setPrompt(`${oneLine(question)} ${answer === undefined ? "[y/N] " : ""}`);
    prompt.prompt();
    for await (const line of prompt)
      return answer === undefined ? /^y(es)?$/i.test(line.trim()) : line.trim() === answer;
    // The end of the input, as by Ctrl-D, counts as no.
    return false;
  } finally {
    // An open terminal would keep the program from ending.
    prompt.close();
  }
}
