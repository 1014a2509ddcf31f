/**
 * The result byte of the writing operations. 0: after the call things are as the caller asked. Any other value:
 * nothing was changed. Where several apply, the first in the order of this table is answered.
 */
import type { Outcomes } from "./service.ts";

export const outcomes = {
  Done: { byte: 0, text: "Success. Also if nothing had to be changed." },
  InvalidEmail: { byte: 1, text: "The e-mail address is missing, malformed or longer than 254 characters." },
  UnknownList: { byte: 101, text: "The account has no list with that id." },
  InvalidFieldName: {
    byte: 254,
    text: "The name is empty, longer than 100 characters, or contains control characters.",
  },
  FieldExists: {
    byte: 255,
    text: "The account already has a field with that name, ignoring case.",
  },
  UnknownField: { byte: 252, text: "The account has no custom field with that id." },
  InvalidValue: {
    byte: 253,
    text: "A custom value does not match its field's DataType, a name is longer than 1,000 characters, the Gender is unknown, the Birthday is in the future, or the CountryID is not in ISO 3166-1.",
  },
  Blocked: {
    byte: 204,
    text: "The address or its domain is on the block list, or its owner reported spam.",
  },
  Unsubscribed: { byte: 206, text: "The address was unsubscribed earlier." },
  Bounced: { byte: 207, text: "The address bounced earlier." },
  LimitReached: { byte: 103, text: "The account's limit of subscribers or fields is reached." },
  NotOnList: { byte: 202, text: "The address is not on that list." },
} as const satisfies Outcomes;

export type OutcomeName = keyof typeof outcomes;

/** The outcomes of one operation, by name; `Done` is one of each. */
export function outcomesOf<const N extends OutcomeName>(
  ...names: readonly N[]
): Pick<typeof outcomes, N | "Done"> {
  const chosen = new Set<string>(["Done", ...names]);
  return Object.fromEntries(Object.entries(outcomes).filter(([name]) => chosen.has(name))) as Pick<
    typeof outcomes,
    N | "Done"
  >;
}
