/** The texts of --help. */
import { flagOf, type SettingName, settings, variableOf } from "../config.ts";
import type { Command, Option } from "./command.ts";

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

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}

export function overview(commands: readonly Command[]): string {
  return [
    "Mailroll keeps subscriber lists and answers SOAP calls about them.",
    "",
    "Usage: mailroll COMMAND [ARGUMENTS] [OPTIONS]",
    "",
    columns(commands.map((command) => [[command.name, ...command.args].join(" "), command.doc])),
    "",
    "'mailroll COMMAND --help' says more about one. Settings: 'mailroll serve --help'.",
  ].join("\n");
}

export function commandHelp(command: Command, common: Readonly<Record<string, Option>>): string {
  const options = Object.entries({ ...command.options, ...common });
  return [
    command.doc,
    "",
    `Usage: ${usage(command)}`,
    `Example: mailroll ${command.example}`,
    "",
    columns(options.map(([name, option]) => [optionUsage(name, option), option.doc])),
    ...(command.details === undefined ? [] : ["", command.details]),
  ].join("\n");
}

/** Every setting as an option. */
export const settingOptions = (names: readonly SettingName[]): Readonly<Record<string, Option>> =>
  Object.fromEntries(
    names.map((name) => {
      const { doc, default: fallback } = settings[name];
      const origin = `${variableOf(name)}${fallback === "" ? "" : `; ${fallback}`}`;
      return [flagOf(name), { value: "VALUE", doc: `${doc} (${origin})` }];
    }),
  );
