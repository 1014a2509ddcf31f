/** From the words of a call to a command with its arguments and options; a wrong call is said in one line. */
import { parseArgs } from "node:util";
import type { SettingName } from "../config.ts";
import { type Command, type Option, UsageError } from "./command.ts";
import { settingOptions, usage } from "./help.ts";

export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
export interface Call {
  readonly command: Command;
  readonly args: readonly string[];
  readonly values: Values;
}

const accountOption: Readonly<Record<string, Option>> = {
  account: { value: "ID", doc: "The account, by id or name; needed where there is more than one." },
};
/** What most commands need to know is where the data is. */
const usual: readonly SettingName[] = ["database"];

/** The options that a command has besides its own. */
export const commonOptions = (command: Command): Readonly<Record<string, Option>> => ({
  ...(command.inAccount ? accountOption : {}),
  ...(command.name === "serve" ? {} : { json: { doc: "Print one JSON document." } }),
  ...settingOptions(command.settings ?? usual),
  help: { doc: "Print this." },
});

/** The command that the words begin with. */
export function findCommand(commands: readonly Command[], words: readonly string[]): Command {
  const found = commands.find(({ name }) => name.split(" ").every((word, index) => words[index] === word));
  if (found !== undefined) return found;
  const family = familyOf(commands, words[0]);
  const known =
    family.length > 0 ? family.map(({ name }) => name) : new Set(commands.map(({ name }) => firstWord(name)));
  throw new UsageError(
    `there is no command '${words.slice(0, 2).join(" ")}'; there are: ${[...known].join(", ")}. See 'mailroll --help'`,
  );
}

const firstWord = (name: string): string => name.split(" ", 1)[0] ?? name;
export const familyOf = (commands: readonly Command[], word: string | undefined): readonly Command[] =>
  commands.filter(({ name }) => firstWord(name) === word);

/** Where help is asked for, arguments and options may still be missing. */
export function parseCall(commands: readonly Command[], words: readonly string[]): Call {
  const command = findCommand(commands, words);
  const rest = words.slice(command.name.split(" ").length);
  const { values, positionals: args } = parseOptions(command, rest);
  if (values.help !== true) {
    checkArguments(command, args);
    checkOptions(command, values);
  }
  return { command, args, values };
}

function parseOptions(command: Command, words: readonly string[]) {
  const options = Object.entries({ ...command.options, ...commonOptions(command) });
  const declared = options.map(([name, { value, repeated }]) => [
    name,
    {
      type: value === undefined ? ("boolean" as const) : ("string" as const),
      multiple: repeated === true,
      ...(name === "help" ? { short: "h" } : {}),
    },
  ]);
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: Object.fromEntries(declared),
    }) as { readonly values: Values; readonly positionals: readonly string[] };
  } catch (error) {
    const reason = (error as Error).message.split(/[.\n]/, 1)[0] ?? "";
    throw new UsageError(`${reason}. Usage: ${usage(command)}`);
  }
}

function checkArguments(command: Command, given: readonly string[]): void {
  const missing = command.args.slice(given.length).find((name) => !name.startsWith("["));
  if (missing !== undefined) throw new UsageError(`${missing} is missing. Usage: ${usage(command)}`);
  if (command.args.some((name, index) => name === "FILE" && given[index] === ""))
    throw new UsageError(`FILE is empty. Usage: ${usage(command)}`);
  const extra = given[command.args.length];
  if (extra !== undefined)
    throw new UsageError(`'${extra}' is one argument too many. Usage: ${usage(command)}`);
}

function checkOptions(command: Command, values: Values): void {
  const missing = Object.entries(command.options).find(
    ([name, { required }]) => required === true && values[name] === undefined,
  );
  if (missing !== undefined) throw new UsageError(`--${missing[0]} is missing. Usage: ${usage(command)}`);
  const empty = Object.entries(command.options).find(
    ([name, { value }]) => value === "FILE" && values[name] === "",
  );
  if (empty !== undefined) throw new UsageError(`--${empty[0]} needs a file name. Usage: ${usage(command)}`);
}
