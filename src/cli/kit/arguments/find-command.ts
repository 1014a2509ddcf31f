/** Finds the command that a command line names, or suggests the most similar one. */
import { nearest } from "#domain/text/nearest.ts";
import { type Command, UsageError } from "../command.ts";

const firstWord = (name: string): string => name.split(" ", 1)[0] ?? name;
export const familyOf = (commands: readonly Command[], word: string | undefined): readonly Command[] =>
  commands.filter(({ name }) => firstWord(name) === word);

/** The command whose name the words begin with. */
export function findCommand(commands: readonly Command[], words: readonly string[]): Command {
  const found = commands.find(({ name }) => name.split(" ").every((word, index) => words[index] === word));
  if (found !== undefined) return found;
  const given = words.slice(0, 2).filter((word) => !word.startsWith("-"));
  const meant = meantCommand(commands, given);
  const family = familyOf(commands, words[0]);
  const known =
    family.length > 0 ? family.map(({ name }) => name) : new Set(commands.map(({ name }) => firstWord(name)));
  const advice =
    meant === null
      ? `there are: ${[...known].join(", ")}. See 'mailroll --help'`
      : `did you mean 'mailroll ${meant}'?`;
  throw new UsageError(`there is no command '${given.join(" ")}'; ${advice}`, "UnknownCommand");
}

/** Verbs that users confuse. */
const synonyms: readonly (readonly string[])[] = [
  ["create", "add", "new", "make", "record"],
  ["delete", "remove", "rm", "revoke", "dismiss", "erase", "unsubscribe"],
  ["list", "ls", "show", "get", "view"],
];

/** A whole name, or the first word of several; null if nothing is similar. */
function meantCommand(commands: readonly Command[], given: readonly string[]): string | null {
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
