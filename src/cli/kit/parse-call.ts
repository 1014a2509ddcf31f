/**
 * Parses a command line into a command with arguments and options; an invalid one is a UsageError of one
 * line.
 */

import { parseArgs } from "node:util";
import { nearest } from "#domain/text.ts";
import { asTyped } from "#shipped.ts";
import { type CompleteCommand, type Option, UsageError } from "./command.ts";
import { commonOptionsOf, findCommand, ownOptions, usage } from "./help.ts";

// Parses arguments of the command line; an invalid one is a UsageError of one line.

const typedUsage = (command: CompleteCommand): string => asTyped(usage(command));

/** An id: a whole number from 1. */
export function parseId(text: string | undefined, what: string): number {
  if (text !== undefined && /^\d{1,15}$/.test(text) && Number(text) > 0) return Number(text);
  throw new UsageError(`${what} must be a number from 1; '${text ?? ""}' is not`);
}

/** One of the given words, ignoring case. */
export function parseChoice<const Word extends string>(
  text: string | undefined,
  what: string,
  words: readonly Word[],
): Word {
  const found = words.find((word) => word.toLowerCase() === text?.trim().toLowerCase());
  if (found === undefined)
    throw new UsageError(`${what} must be one of ${words.join(", ")}; '${text ?? ""}' is none of them`);
  return found;
}

export const choiceOf =
  <const Word extends string>(words: readonly Word[]) =>
  (text: string, what: string): Word =>
    parseChoice(text, what, words);

/** NAME=VALUE; the value may contain further equals signs. */
export function parsePair(text: string, what: string): readonly [name: string, value: string] {
  const at = text.indexOf("=");
  if (at < 1) throw new UsageError(`${what} takes NAME=VALUE; '${text}' is not of that form`);
  return [text.slice(0, at).trim(), text.slice(at + 1)];
}

/**
 * Commands that create a thing and commands that change it share options. Only commands that create have
 * defaults: the others keep the stored value of an option that is not given.
 */
export const withDefaults = <Name extends string>(
  options: Readonly<Record<Name, Option>>,
  defaults: Readonly<Partial<Record<NoInfer<Name>, string>>>,
): Readonly<Record<string, Option>> =>
  Object.fromEntries(
    Object.entries<Option>(options).map(([name, option]) => {
      const value = defaults[name as Name];
      if (value === undefined) return [name, option];
      return [name, { ...option, doc: option.doc.replace(/\.$/, ` (default: ${value}).`) }];
    }),
  );

export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
export interface Call {
  readonly command: CompleteCommand;
  readonly args: readonly string[];
  readonly values: Values;
}

/** If help is requested, arguments and options may be missing. */
export function parseCall(
  commands: readonly CompleteCommand[],
  words: readonly string[],
  leading: readonly string[] = [],
): Call {
  const command = findCommand(commands, words);
  const rest = [...leading, ...words.slice(command.name.split(" ").length)];
  const { values, positionals: args } = parseOptions(command, rest);
  if (values.help !== true) {
    checkArguments(command, args);
    checkOptions(command, values);
  }
  return { command, args, values };
}

function parseOptions(command: CompleteCommand, words: readonly string[]) {
  const options = Object.entries({ ...ownOptions(command), ...commonOptionsOf(command) });
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
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = (message.split(/[.\n]/, 1)[0] ?? "").replace(
      /^Option '.*(--[^ ']+).*' argument is ambiguous$/,
      "$1 has no value; write a value that begins with a dash as $1=VALUE",
    );
    if (code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
      const [, given = ""] = /'([^']*)'/.exec(message) ?? [];
      const names = options.map(([name]) => name);
      throw unknownOption(given, names, typedUsage(command));
    }
    throw new UsageError(`${reason}. Usage: ${typedUsage(command)}`);
  }
}

function checkArguments(command: CompleteCommand, given: readonly string[]): void {
  const missing = command.args.slice(given.length).find((name) => !name.startsWith("["));
  if (missing !== undefined) throw new UsageError(`${missing} is missing. Usage: ${typedUsage(command)}`);
  if (command.args.some((name, index) => name === "FILE" && given[index] === ""))
    throw new UsageError(`FILE is empty. Usage: ${typedUsage(command)}`);
  const extra = given[command.args.length];
  if (extra !== undefined)
    throw new UsageError(`'${extra}' is an unexpected argument. Usage: ${typedUsage(command)}`);
}

function checkOptions(command: CompleteCommand, values: Values): void {
  const missing = Object.entries(command.options).find(
    ([name, { required }]) => required === true && values[name] === undefined,
  );
  if (missing !== undefined)
    throw new UsageError(`--${missing[0]} is missing. Usage: ${typedUsage(command)}`);
  const empty = Object.entries(command.options).find(
    ([name, { value }]) => value === "FILE" && values[name] === "",
  );
  if (empty !== undefined)
    throw new UsageError(`--${empty[0]} needs a file name. Usage: ${typedUsage(command)}`);
}

export function unknownOption(given: string, known: readonly string[], how: string): UsageError {
  const meant = nearest(given.replace(/^-+/, ""), known);
  const advice = meant === null ? "" : `; did you mean --${meant}?`;
  return new UsageError(
    `there is no option ${given}${advice}${advice === "" ? "." : ""} Usage: ${how}`,
    "UnknownOption",
  );
}
