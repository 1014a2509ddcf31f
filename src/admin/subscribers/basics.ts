/** Names, gender, birthday and country as an operator gives them. */
import { dateOf, parseDate } from "#domain/calendar.ts";
import { parseCountry } from "#domain/country.ts";
import { expectedValue, MAX_TEXT_LENGTH, parseText } from "#domain/field/custom-value.ts";
import { basicNames, noBasics } from "#domain/field/value-rules.ts";
import { parseGender } from "#domain/subscriber/gender.ts";
import type { BasicData } from "#domain/subscriber/subscriber.ts";
import { InvalidInput } from "../kit/errors.ts";

/** null or absent: not given. */
export type GivenBasics = { readonly [Name in keyof BasicData]?: string | null };

/** `clear`: the values to clear. */
export function readBasics(
  given: GivenBasics,
  now: number,
  clear: readonly (keyof BasicData)[] = [],
): Partial<BasicData> {
  const parsers: Readonly<Record<keyof BasicData, (text: string) => string | null>> = {
    firstName: parseText,
    lastName: parseText,
    gender: parseGender,
    birthday: parseDate,
    country: parseCountry,
  };
  const data: { -readonly [K in keyof BasicData]?: string | null } = {};
  for (const name of basicNames) {
    const text = given[name] ?? null;
    if (clear.includes(name)) {
      if (text !== null) throw new InvalidInput(name, "is given, but it is also to be cleared");
      data[name] = noBasics[name];
    } else if (text !== null) {
      if (text.trim() === "") throw new InvalidInput(name, "is empty; to remove the stored value, clear it");
      const value = parsers[name](text);
      if (value === null) throw new InvalidInput(name, `must be ${expected[name]}`);
      if (name === "birthday" && value > dateOf(now))
        throw new InvalidInput(name, "must not be in the future");
      data[name] = value;
    }
  }
  // Each parser returns a value of the type that its name has.
  return data as Partial<BasicData>;
}
const NAME = `at most ${MAX_TEXT_LENGTH} characters long, without control characters`;
const expected: Readonly<Record<keyof BasicData, string>> = {
  firstName: NAME,
  lastName: NAME,
  gender: expectedValue.GENDER,
  birthday: expectedValue.DATE,
  country: expectedValue.COUNTRY,
};
