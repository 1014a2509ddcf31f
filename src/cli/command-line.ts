/**
 * The command line: prints help, or runs the requested command. An error becomes one line, or JSON,
 * and an exit code: 1 for a failure, 2 for invalid usage, 78 for an invalid setting.
 */
import { loadConfig } from "#app/settings/load-config.ts";
import { asTyped, PROGRAM } from "#shipped.ts";
import { commands } from "./commands.ts";
import { type CompleteCommand, Failure, type Output, UsageError } from "./kit/command.ts";
import { type Explained, explain } from "./kit/errors.ts";
import { execute } from "./kit/execute.ts";
import { commandHelp, familyOverview, overview } from "./kit/help.ts";
import { parseRequest, wantsJson } from "./kit/request.ts";
import { output } from "./kit/terminal/output.ts";
import { processTerminal, type Terminal } from "./kit/terminal/terminal.ts";
import { helpWidth, oneLine } from "./kit/terminal/text.ts";

const EXIT = { failure: 1, usage: 2 } as const;

/** Returns the exit code. A defect is thrown, or reported as JSON with --json. */
export async function runCommandLine(
  words: readonly string[],
  terminal: Terminal = processTerminal(),
): Promise<number> {
  const asJson = wantsJson(words);
  const printer = output(terminal, asJson);
  let exitCode: number;
  let ifNotShown: string | undefined;
  let isReported = false;
  try {
    ({ exitCode, ifNotShown } = await run(words, terminal, printer, asJson));
    printer.finish(null);
  } catch (error) {
    const explained = explain(error) ?? (asJson ? defect(error) : null);
    if (explained === null) throw error;
    exitCode = explained.exitCode;
    // With --json the error would go to standard output, too.
    isReported = explained.code === "OutputFailed" && !asJson;
    printer.finish(explained);
  }
  const unwritten = await terminal.written?.();
  if (isReported || !(unwritten instanceof Failure)) return exitCode;
  const advice = ifNotShown === undefined ? "" : `. ${asTyped(ifNotShown)}`;
  terminal.err(`mailroll: ${oneLine(unwritten.message + advice)}\n`);
  return exitCode === 0 ? EXIT.failure : exitCode;
}

interface Ran {
  readonly exitCode: number;
  /** What to do if the command succeeded but its result could not be printed. */
  readonly ifNotShown?: string | undefined;
}

async function run(words: readonly string[], terminal: Terminal, out: Output, asJson: boolean): Promise<Ran> {
  const request = parseRequest(commands, words);
  // In a clone, commands are longer than in the texts.
  const longer = PROGRAM.length - "mailroll".length;
  const width = helpWidth(terminal.env.COLUMNS, terminal.outColumns?.() ?? null) - longer;
  if (request.kind === "help") {
    terminal.out(`${asTyped(commandHelp(request.command, width))}\n`);
    return { exitCode: 0 };
  }
  if (request.kind === "overview") {
    const { family, isMissing, commands: offered } = request;
    if (isMissing && asJson) throw missingCommand(family, offered);
    const text = asTyped(family === null ? overview(offered, width) : familyOverview(family, offered, width));
    // A script that omitted the command must not mistake the help for a result.
    if (isMissing) terminal.err(`${text}\n`);
    else terminal.out(`${text}\n`);
    return { exitCode: isMissing ? EXIT.usage : 0 };
  }
  const { call } = request;
  const flags = Object.fromEntries(
    Object.entries(call.values).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
  const confirm = asJson ? async () => null : terminal.confirm;
  await execute(call, loadConfig({ flags, ...terminal }), { ...terminal, confirm }, out);
  return { exitCode: 0, ifNotShown: call.command.ifNotShown };
}

function missingCommand(family: string | null, offered: readonly CompleteCommand[]): UsageError {
  const names = offered.map(({ name }) => name).join(", ");
  const what = family === null ? "no command was given" : `'${family}' is not a whole command`;
  return new UsageError(`${what}; there are: ${names}`, "MissingCommand");
}

function defect(error: unknown): Explained {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { exitCode: EXIT.failure, code: "InternalError", message };
}
