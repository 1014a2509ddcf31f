/**
 * The command line: runs the command that is asked for, opens what it needs and turns what went wrong into one
 * line and an exit code: 1 for what could not be done, 2 for a wrong call, 78 for a wrong setting.
 */
import { statSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import type { Config } from "../config.ts";
import { openStore } from "../database.ts";
import type { Account } from "../domain/account.ts";
import { type Store, StoreRefused, StoreUnavailable } from "../domain/ports.ts";
import { ConfigError, loadConfig } from "../load-config.ts";
import { type Context, Failure, UsageError } from "./command.ts";
import { commands } from "./commands.ts";
import { commandHelp, overview } from "./help.ts";
import { output, type Streams } from "./output.ts";
import { type Call, commonOptions, familyOf, parseCall, type Values } from "./parse-call.ts";
import { outputFailure, standardOutput } from "./standard-output.ts";
import { oneLine } from "./terminal-text.ts";

const EXIT = { failure: 1, usage: 2, config: 78 } as const;

/** What a call runs in: the process, or a host program's stand-in. */
export interface Terminal extends Streams {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly confirm: Context["confirm"];
  /** When all of `out` is written, or could not be: then why. */
  readonly written?: () => Promise<Failure | null>;
}

function processTerminal(): Terminal {
  const stdout = standardOutput();
  let failure: Failure | null = null;
  const onError = (error: Error | null | undefined): void => {
    if (error !== null && error !== undefined) failure ??= outputFailure(error);
  };
  stdout.on("error", onError);
  // What a server prints when it starts goes there directly.
  if (stdout !== process.stdout)
    process.stdout.on("error", (error) => {
      process.stderr.write(`mailroll: ${oneLine(outputFailure(error)?.message ?? error.message)}\n`);
      process.exit(EXIT.failure);
    });
  return {
    out: (text) => void stdout.write(text, onError),
    written: async () => {
      // A stream that has failed keeps what it is given, and never calls back.
      if (stdout.errored === null) await new Promise((resolve) => void stdout.write("", resolve));
      onError(stdout.errored);
      return failure;
    },
    err: (text) => void process.stderr.write(text),
    errColumns: () => (process.stderr.isTTY ? process.stderr.columns : null),
    env: process.env,
    folder: process.cwd(),
    confirm,
  };
}

/** Gives back the exit code; a defect is thrown. */
export async function runCommandLine(
  words: readonly string[],
  terminal: Terminal = processTerminal(),
): Promise<number> {
  try {
    const code = await run(words, terminal);
    await requireWritten(terminal);
    return code;
  } catch (error) {
    const code = exitCodeOf(error);
    if (code === null) throw error;
    terminal.err(`mailroll: ${oneLine((error as Error).message)}\n`);
    return code;
  }
}

function exitCodeOf(error: unknown): number | null {
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof ConfigError) return EXIT.config;
  const isExpected =
    error instanceof Failure || error instanceof StoreRefused || error instanceof StoreUnavailable;
  return isExpected ? EXIT.failure : null;
}

async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  const [first] = words;
  if (first === undefined || first === "--help" || first === "-h" || first === "help") {
    terminal.out(`${overview(commands)}\n`);
    return first === undefined ? EXIT.usage : 0;
  }
  const family = familyOf(commands, first);
  if (family.length > 1 && (words[1] === "--help" || words[1] === "-h")) {
    terminal.out(`${overview(family)}\n`);
    return 0;
  }
  const call = parseCall(commands, first === "--version" ? ["version", ...words.slice(1)] : words);
  if (call.values.help === true) {
    terminal.out(`${commandHelp(call.command, commonOptions(call.command))}\n`);
    return 0;
  }
  const flags = Object.fromEntries(
    Object.entries(call.values).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
  await execute(call, loadConfig({ flags, ...terminal }), terminal);
  await requireWritten(terminal, call.command.ifNotShown);
  return 0;
}

async function requireWritten({ written }: Terminal, advice?: string): Promise<void> {
  const failure = await written?.();
  if (failure instanceof Failure)
    throw advice === undefined ? failure : new Failure(`${failure.message}. ${advice}`);
}

async function execute({ command, args, values }: Call, config: Config, terminal: Terminal): Promise<void> {
  let opened: Store | null = null;
  const store = async (): Promise<Store> => {
    const { database } = config;
    // A typing error in a file's name would make a new one; a server says itself that it has no such database.
    const isMissing = database.kind === "sqlite" && !isThere(database.file);
    if (opened === null && isMissing && command.makesDatabase !== true)
      throw new Failure(
        `there is no database ${database.file}; start the server once, make an account with 'mailroll account create NAME', or set MAILROLL_DATABASE`,
      );
    opened ??= await openStore(config, null, { mayMigrate: false });
    return opened;
  };
  const context: Context = {
    args,
    config,
    option: (name) => (typeof values[name] === "string" ? values[name] : undefined),
    options: (name) => {
      const given = values[name];
      return Array.isArray(given) ? given.map(String) : [];
    },
    has: (name) => values[name] === true,
    store,
    account: async () => findAccount(await store(), values.account),
    out: output(terminal, values.json === true),
    now: Date.now(),
    env: terminal.env,
    folder: terminal.folder,
    confirm: terminal.confirm,
  };
  try {
    await command.run(context);
  } finally {
    await (opened as Store | null)?.close();
  }
}

/** A file that may not even be looked at is there, and is another problem. */
function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw new Failure(`the database ${file} may not be read by this user: ${(error as Error).message}`);
  }
}

async function findAccount(store: Store, named: Values[string]): Promise<Account> {
  const accounts = await store.read("accounts", {});
  const list = accounts.map(({ id, name }) => `${id} ${name}`).join(", ");
  if (named !== undefined) {
    const [found, another] = [
      ...accounts.filter(({ id }) => String(id) === named),
      ...accounts.filter(({ id, name }) => name === named && String(id) !== named),
    ];
    if (found === undefined)
      throw new Failure(`there is no account ${String(named)}; there are: ${list || "none"}`);
    if (another !== undefined && String(found.id) !== named)
      throw new UsageError(`more than one account is named ${String(named)}; give the id: ${list}`);
    return found;
  }
  const [only] = accounts;
  if (only === undefined)
    throw new Failure("there is no account yet; start the server once, or 'mailroll account create NAME'");
  if (accounts.length > 1) throw new UsageError(`name one of the accounts with --account: ${list}`);
  return only;
}

async function confirm(question: string): Promise<boolean | null> {
  if (!process.stdin.isTTY) return null;
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    prompt.setPrompt(`${oneLine(question)} [y/N] `);
    prompt.prompt();
    for await (const line of prompt) return /^y(es)?$/i.test(line.trim());
    // The end of the input, as by Ctrl-D, is no answer and so a no.
    return false;
  } finally {
    // An open terminal would keep the program from ending.
    prompt.close();
  }
}
