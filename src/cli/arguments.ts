/** Arguments as people write them; a wrong one is said in one line. */
import { MAX_NAME_LENGTH, parseName } from "../domain/name.ts";
import { UsageError } from "./command.ts";

/** A whole number from 1 as people write ids. */
export function parseId(text: string | undefined, what: string): number {
  if (text !== undefined && /^\d{1,15}$/.test(text) && Number(text) > 0) return Number(text);
  throw new UsageError(`${what} must be a number; '${text ?? ""}' is none`);
}

export function requireName(text: string | undefined): string {
  const name = parseName(text ?? null);
  if (name === null)
    throw new UsageError(`a name has 1 to ${MAX_NAME_LENGTH} characters and no control characters`);
  return name;
}
