/** Rules for inputs that several actions take. */
import { MAX_NAME_LENGTH, parseName } from "../domain/name.ts";
import { InvalidInput } from "./errors.ts";

export function requireName(given: string, input = "name"): string {
  const name = parseName(given);
  if (name === null)
    throw new InvalidInput(input, `must have 1 to ${MAX_NAME_LENGTH} characters and no control characters`);
  return name;
}
