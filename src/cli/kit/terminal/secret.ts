/** A secret that a user types: never an argument, which other users of the machine could see. */
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { type Context, Failure, UsageError } from "../command.ts";
import { firstLine } from "../files/input.ts";
import { oneLine } from "./terminal-text.ts";

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
export async function askSecret(question: string): Promise<string | null> {
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
