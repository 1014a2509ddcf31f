/** The texts of --help, wrapped at a width. */
import type { Command, Option } from "../command.ts";
import { wrap, wrapColumns, wrapParagraphs } from "../terminal/wrap.ts";
import { commonOptions, commonOptionsOf, ownOptions } from "./common-options.ts";

export const usage = ({ name, args, options }: Command): string =>
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
const commandColumns = (commands: readonly Command[], width: number): string =>
  wrapColumns(
    commands.map((command) => [[command.name, ...command.args].join(" "), command.doc]),
    width,
  );

export function overview(commands: readonly Command[], width: number): string {
  return [
    wrap("Mailroll is a subscriber-list service with a SOAP interface.", width),
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
export function familyOverview(family: string, commands: readonly Command[], width: number): string {
  return [
    wrap(`Usage: mailroll ${family} COMMAND [ARGUMENTS] [OPTIONS]`, width, "  "),
    "",
    commandColumns(commands, width),
    "",
    wrap(`For one command: 'mailroll ${family} COMMAND --help'. Common options: 'mailroll --help'.`, width),
  ].join("\n");
}

export function commandHelp(command: Command, width: number): string {
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
