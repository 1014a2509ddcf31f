/** Parses a command line into a request: run a command, print its help, or print an overview. */
import { flagOf, type SettingName, settings, variableOf } from "#app/settings/config.ts";
import { nearest } from "#domain/text.ts";
import { PROGRAM } from "#shipped.ts";
import type { CompleteCommand } from "./command.ts";
import { ACCOUNT_VARIABLE, familyOf } from "./help.ts";
import { type Call, parseCall, unknownOption } from "./parse-call.ts";

// Reports MAILROLL_ variables that are not settings: typos that would otherwise be ignored silently.

/** One message for each. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const known = [...(Object.keys(settings) as SettingName[]).map(variableOf), ACCOUNT_VARIABLE];
  const unknown = Object.keys(env).filter((name) => name.startsWith("MAILROLL_") && !known.includes(name));
  return unknown.sort().map((name) => {
    const meant = nearest(name, known);
    const advice = meant === null ? `see '${PROGRAM} serve --help'` : `did you mean ${meant}?`;
    return `${name} is set, but there is no such setting; ${advice}`;
  });
}

/** Options that take a value, anywhere in the command line. */
const withValue: ReadonlySet<string> = new Set([
  "account",
  ...(Object.keys(settings) as SettingName[]).map(flagOf),
]);

/** Whether errors are printed as JSON, even if the command line cannot be parsed. */
export function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return words.slice(0, end < 0 ? undefined : end).some((word) => /^--json(?:=|$)/.test(word));
}

/** Options may precede the command. */
function splitLeading(words: readonly string[]) {
  let at = 0;
  for (;;) {
    const word = words[at] ?? "";
    if (!word.startsWith("-") || word === "--") break;
    at += withValue.has(word.slice("--".length)) ? 2 : 1;
  }
  return { leading: words.slice(0, at), rest: words.slice(at) };
}

const isHelp = (word: string): boolean => word === "--help" || word === "-h";

type Request =
  | { readonly kind: "call"; readonly call: Call }
  | { readonly kind: "help"; readonly command: CompleteCommand }
  /** `family` is the first word that the commands share; `isMissing`: a command was required. */
  | {
      readonly kind: "overview";
      readonly commands: readonly CompleteCommand[];
      readonly family: string | null;
      readonly isMissing: boolean;
    };

export function parseRequest(commands: readonly CompleteCommand[], words: readonly string[]): Request {
  const { leading, rest: given } = splitLeading(words);
  const isHelpWord = given[0] === "help";
  const rest = isHelpWord ? given.slice(1) : given;
  const asksHelp = isHelpWord || words.some(isHelp);
  const [first, second] = rest;
  if (first === undefined) {
    if (leading.includes("--version"))
      return parseRequest(commands, ["version", ...leading.filter((word) => word !== "--version")]);
    requireKnown(leading);
    return { kind: "overview", commands, family: null, isMissing: !asksHelp };
  }
  const family = familyOf(commands, first);
  const isFamilyOnly = second === undefined || second.startsWith("-");
  if (isFamilyOnly && family.length > 0 && !family.some(({ name }) => name === first))
    return { kind: "overview", commands: family, family: first, isMissing: !asksHelp };
  const call = parseCall(commands, rest, isHelpWord ? ["--help"] : leading);
  return call.values.help === true ? { kind: "help", command: call.command } : { kind: "call", call };
}

/** Rejects unknown options if there is no command. */
function requireKnown(leading: readonly string[]): void {
  const known = ["json", "help", "version", ...withValue];
  const unknown = leading
    .filter((word) => word.startsWith("--"))
    .map((word) => word.slice("--".length).replace(/=.*/s, ""))
    .find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw unknownOption(`--${unknown}`, known, `${PROGRAM} COMMAND [ARGUMENTS] [OPTIONS]`);
}
