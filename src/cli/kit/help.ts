/** The texts of --help, wrapped at a width. */
import { flagOf, type SettingName, settings, variableOf } from "#app/settings/config.ts";
import { nearest } from "#domain/text.ts";
import { PROGRAM } from "#shipped.ts";
import { type CompleteCommand, type Option, UsageError } from "./command.ts";
import { wrap, wrapColumns, wrapParagraphs } from "./terminal/text.ts";

/** The options that commands share; the help describes them once. */
type Options = Readonly<Record<string, Option>>;

/** Settings as options. */
const settingOptions = (names: readonly SettingName[]): Options =>
  Object.fromEntries(
    names.map((name) => {
      const { doc, default: fallback } = settings[name];
      const origin = `${variableOf(name)}${fallback ? `; default: ${fallback}` : ""}`;
      return [flagOf(name), { value: "VALUE", doc: `${doc} (${origin})` }];
    }),
  );

/** The account of commands that are given none. */
export const ACCOUNT_VARIABLE = "MAILROLL_ACCOUNT";

const commonOptions = {
  account: {
    value: "ID",
    doc: `The account, by id or name; required if there is more than one (${ACCOUNT_VARIABLE}).`,
  },
  ...settingOptions(["database"]),
  json: { doc: "Print one JSON document on standard output, also for errors, and nothing else." },
  help: { doc: "Print help." },
};

/** The common options that a command takes. */
export function commonOptionsOf({ name, inAccount, settings: own }: CompleteCommand): Options {
  const { account, json, help, ...database } = commonOptions;
  return {
    ...(inAccount ? { account } : {}),
    ...(own === undefined ? database : {}),
    ...(name === "serve" ? {} : { json }),
    help,
  };
}

/** A command's own options, and the settings that it takes as options. */
export const ownOptions = ({ options, settings: own }: CompleteCommand): Options => ({
  ...options,
  ...settingOptions(own ?? []),
});

/** Finds the command that a command line names, or suggests the most similar one. */
const firstWord = (name: string): string => name.split(" ", 1)[0] ?? name;
export const familyOf = (
  commands: readonly CompleteCommand[],
  word: string | undefined,
): readonly CompleteCommand[] => commands.filter(({ name }) => firstWord(name) === word);

/** The command whose name the words begin with; `backup prune` is declared after `backup`. */
export function findCommand(commands: readonly CompleteCommand[], words: readonly string[]): CompleteCommand {
  const found = commands.findLast(({ name }) =>
    name.split(" ").every((word, index) => words[index] === word),
  );
  if (found !== undefined) return found;
  const given = words.slice(0, 2).filter((word) => !word.startsWith("-"));
  const meant = meantCommand(commands, given);
  const family = familyOf(commands, words[0]);
  const known =
    family.length > 0 ? family.map(({ name }) => name) : new Set(commands.map(({ name }) => firstWord(name)));
  const advice =
    meant === null
      ? `there are: ${[...known].join(", ")}. See '${PROGRAM} --help'`
      : `did you mean '${PROGRAM} ${meant}'?`;
  throw new UsageError(`there is no command '${given.join(" ")}'; ${advice}`, "UnknownCommand");
}

/** Verbs that users confuse. */
const synonyms: readonly (readonly string[])[] = [
  ["create", "add", "new", "make", "record"],
  ["delete", "remove", "rm", "revoke", "dismiss", "erase", "unsubscribe"],
  ["list", "ls", "show", "get", "view"],
];

/** A whole name, or the first word of several; null if nothing is similar. */
function meantCommand(commands: readonly CompleteCommand[], given: readonly string[]): string | null {
  const [first = "", second] = given.map((word) => word.toLowerCase());
  const names = commands.map(({ name }) => name);
  const families = [...new Set(names.map(firstWord))];
  const family = families.includes(first) ? first : nearest(first, families);
  if (second === undefined) return family;
  const swapped = nearest(`${second} ${first}`, names);
  if (family === null || swapped === `${second} ${first}`) return swapped;
  const ofFamily = names.filter((name) => firstWord(name) === family);
  const verbs = ofFamily.map((name) => name.slice(family.length + 1));
  const synonym = synonyms.find((group) => group.includes(second)) ?? [];
  const verb = nearest(second, verbs) ?? verbs.find((one) => synonym.includes(one));
  if (verb !== undefined) return `${family} ${verb}`.trimEnd();
  return swapped ?? (family === first ? null : family);
}

export const usage = ({ name, args, options }: CompleteCommand): string =>
  [
    "mailroll",
    name,
    ...args,
    ...Object.entries(options).map(([key, option]) => {
      const text = optionUsage(key, option);
      return option.required === true ? text : `[${text}]`;
    }),
  ].join(" ");

const optionUsage = (name: string, { value, repeated }: Option): string =>
  `--${name}${value === undefined ? "" : ` ${value}`}${repeated === true ? " …" : ""}`;

const optionColumns = (options: Readonly<Record<string, Option>>, width: number): string =>
  wrapColumns(
    Object.entries(options).map(([name, option]) => [optionUsage(name, option), option.doc]),
    width,
  );
const commandColumns = (commands: readonly CompleteCommand[], width: number): string =>
  wrapColumns(
    commands.map((command) => [[command.name, ...command.args].join(" "), command.doc]),
    width,
  );

export function overview(commands: readonly CompleteCommand[], width: number): string {
  return [
    wrap(
      "Mailroll manages subscriber lists and sends campaigns; programs call it over SOAP and a JSON API.",
      width,
    ),
    "",
    wrap("Usage: mailroll COMMAND [ARGUMENTS] [OPTIONS]", width, "  "),
    "",
    commandColumns(commands, width),
    "",
    wrap("Common options, before or after the command:", width),
    optionColumns(commonOptions, width),
    "",
    wrap("For one command: 'mailroll COMMAND --help'. For the settings: 'mailroll serve --help'.", width),
  ].join("\n");
}

/** The commands that begin with the same word. */
export function familyOverview(family: string, commands: readonly CompleteCommand[], width: number): string {
  return [
    wrap(`Usage: mailroll ${family} COMMAND [ARGUMENTS] [OPTIONS]`, width, "  "),
    "",
    commandColumns(commands, width),
    "",
    ...commands
      .flatMap(({ familyDetails = [] }) => familyDetails)
      .map(({ heading, lines }) =>
        [wrap(heading, width), ...lines.map((line) => `  ${wrap(line, width - 2, "    ")}`), ""].join("\n"),
      ),
    wrap(`For one command: 'mailroll ${family} COMMAND --help'. Common options: 'mailroll --help'.`, width),
  ].join("\n");
}

export function commandHelp(command: CompleteCommand, width: number): string {
  const own = ownOptions(command);
  const common = Object.keys(commonOptionsOf(command)).map((name) => `--${name}`);
  return [
    wrap(command.doc, width),
    "",
    wrap(`Usage: ${usage(command)}`, width, "  "),
    `Example: mailroll ${command.example}`,
    "",
    ...(Object.keys(own).length === 0 ? [] : [optionColumns(own, width), ""]),
    ...(command.details === undefined ? [] : [wrapParagraphs(command.details, width), ""]),
    wrap(`Common options: ${common.join(", ")} (see 'mailroll --help').`, width),
  ].join("\n");
}
