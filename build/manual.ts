/** The page of `man mailroll`, from the declared commands and settings. */
import { commands } from "#cli/commands.ts";
import type { CompleteCommand, Option } from "#cli/kit/command.ts";
import { commonOptionsOf, ownOptions, usage } from "#cli/kit/help.ts";
import manifest from "../package.json" with { type: "json" };

/** As text of troff: a line that begins with a dot or a quote would be a request. */
const text = (plain: string): string =>
  plain
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^(?=[.'])/gm, "\\&");

const options = (declared: Readonly<Record<string, Option>>): readonly string[] =>
  Object.entries(declared).flatMap(([name, { value, doc }]) => [
    ".TP",
    `.B ${text(`--${name}`)}${value === undefined ? "" : ` \\fI${text(value)}\\fR`}`,
    text(doc),
  ]);

/** A line that begins with a space is shown as it is. */
const paragraphs = (details: string): readonly string[] => [
  ".PP",
  ...details.split("\n").map((line) => {
    if (line === "") return ".PP";
    return line.startsWith(" ") ? `.nf\n${text(line)}\n.fi` : text(line);
  }),
];

const section = (command: CompleteCommand): readonly string[] => [
  `.SS ${text(`mailroll ${command.name}`)}`,
  text(command.doc),
  ...(command.details === undefined ? [] : paragraphs(command.details)),
  ".PP",
  `Usage: ${text(usage(command))}`,
  ".br",
  `Example: ${text(`mailroll ${command.example}`)}`,
  ...options(command.name === "serve" ? {} : ownOptions(command)),
];

export function manual(): string {
  const [serve, ...others] = commands;
  if (serve === undefined || others[0] === undefined) throw new Error("there are no commands");
  return `${[
    `.TH MAILROLL 1 "" "Mailroll ${manifest.version}"`,
    ".SH NAME",
    "mailroll \\- subscriber lists and campaigns, with a SOAP interface",
    ".SH SYNOPSIS",
    ".B mailroll\n.I COMMAND\n[\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]",
    ".SH COMMANDS",
    ...commands.flatMap(section),
    ".SH COMMON OPTIONS",
    ...options(commonOptionsOf(others[0])),
    ".SH SETTINGS",
    "Options of",
    ".BR serve ,",
    "environment variables, or members of",
    ".I mailroll.config.json",
    "in the current folder.",
    ...options(ownOptions(serve)),
  ].join("\n")}\n`;
}
