/** What a command runs in: streams, environment and user of the process, or a substitute for them. */

import { createWriteStream, fstatSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { openStore } from "#app/database.ts";
import { writeFailure } from "#files/partial-folder.ts";
import { type Context, Failure, UsageError } from "../command.ts";
import { firstLine } from "../files.ts";
import type { Streams } from "./output.ts";
import { oneLine } from "./text.ts";

// A secret that a user types: never an argument, which other users of the machine could see.

/** Asks twice, without showing it. Without a terminal it is the first line of standard input. */
export async function readNewSecret({ askSecret }: Context, question: string): Promise<string> {
  const given = await askSecret(question);
  if (given === null) return await firstLine();
  if (given === "") throw new Failure("nothing was changed", "Declined");
  if ((await askSecret("Type it again:")) !== given)
    throw new UsageError("the two were not the same; nothing was changed");
  return given;
}

/** null if there is no terminal; empty at the end of the input, as by Ctrl-C or Ctrl-D. */
async function askSecret(question: string): Promise<string | null> {
  if (!process.stdin.isTTY) return null;
  process.stderr.write(`${oneLine(question)} `);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  // A terminal interface, so that the terminal itself does not show what is typed.
  const prompt = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    for await (const line of prompt) return line;
    return "";
  } finally {
    prompt.close();
    process.stderr.write("\n");
  }
}

/** Standard output of the process, and the error if it cannot be written. */
let opened: Writable | null = null;

/**
 * If a full disk accepts only part of a write, `process.stdout` loses the rest without an error; so a file
 * gets a stream of its own.
 */
export function standardOutput(): Writable {
  const { fd } = process.stdout;
  opened ??= fstatSync(fd).isFile() ? createWriteStream("", { fd, autoClose: false }) : process.stdout;
  return opened;
}

/** A reader that stopped early, such as `head`, or writes after a failed one. */
const HARMLESS: ReadonlySet<string> = new Set([
  "EPIPE",
  "ERR_STREAM_PREMATURE_CLOSE",
  "ERR_STREAM_DESTROYED",
]);

/** Null if it is harmless. */
export function outputFailure(error: NodeJS.ErrnoException): Failure | null {
  if (HARMLESS.has(error.code ?? "")) return null;
  return new Failure(`standard output cannot be written: ${writeFailure(error)}`, "OutputFailed");
}

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
