/**
 * Reads the JSON of a mail provider, which passes on words of any server: a name may occur twice, and a text
 * may contain anything. Nothing in here throws for a value that is not as expected.
 */
import { parseJson } from "#http/body/parse-json.ts";

/** Throws InvalidMessage for what is no JSON, and for what is too deep or too much. */
export const parseForeign = (text: string): unknown => parseJson(text, { isTolerant: true });

/** The member at the end of the path; undefined if there is none. */
export function member(value: unknown, ...path: readonly string[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return at;
}

/** A text that is not empty, or a number as a text. */
export function text(value: unknown, ...path: readonly string[]): string | null {
  const found = member(value, ...path);
  if (typeof found === "number") return String(found);
  return typeof found === "string" && found !== "" ? found : null;
}

export function list(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = member(value, ...path);
  return Array.isArray(found) ? found : [];
}

export const isRecord = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);
