/** Parses arguments of the command line; an invalid one is a UsageError of one line. */
import { UsageError } from "../command.ts";

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

/** NAME=VALUE; the value may contain further equals signs. */
export function parsePair(text: string, what: string): readonly [name: string, value: string] {
  const at = text.indexOf("=");
  if (at < 1) throw new UsageError(`${what} takes NAME=VALUE; '${text}' is not of that form`);
  return [text.slice(0, at).trim(), text.slice(at + 1)];
}
