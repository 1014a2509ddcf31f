/**
 * The correction of a subscriber by an operator. Unlike a call, it can clear values and change the address.
 */
import { dateOf, parseDate } from "../../domain/calendar.ts";
import type { CorrectionOutcome } from "../../domain/correction.ts";
import { parseCountry } from "../../domain/country.ts";
import { expectedValue, MAX_TEXT_LENGTH, parseText } from "../../domain/custom-value.ts";
import type { FieldId } from "../../domain/field.ts";
import { parseGender } from "../../domain/gender.ts";
import { collect } from "../../domain/pages.ts";
import type { Store } from "../../domain/ports/store.ts";
import type { BasicData } from "../../domain/subscriber.ts";
import { refusalByState } from "../../domain/subscriber-rules.ts";
import { basicNames, noBasics } from "../../domain/value-rules.ts";
import { action } from "../action.ts";
import { AlreadyExists, InvalidInput, NotFound, Refused } from "../errors.ts";
import { requireAddress } from "../inputs.ts";
import { type FieldValue, fieldNamed, findField, type NamedValue, normalized } from "./field-values.ts";
import { nameReplaced } from "./replaced.ts";
import type { OneSubscriber } from "./subscribers.ts";

/** null: the value stays. */
export interface SetSubscriber
  extends OneSubscriber,
    Readonly<Record<keyof BasicData | "newEmail", string | null>> {
  readonly values: readonly NamedValue[];
  /** Values to clear: the names of basic values, and the names or ids of fields. */
  readonly clear: readonly (keyof BasicData)[];
  readonly clearFields: readonly string[];
}

/** `replaced` contains the values that changed; it is empty if all of them were already as given. */
export const setSubscriber = action(
  "subscriber.set",
  "editor",
  "history",
  async ({ store, clock, actor: { origin }, ifVersion }, args: SetSubscriber) => {
    const { account, newEmail } = args;
    const [address, at] = [requireAddress(args.email), clock()];
    const moved = newEmail === null ? null : requireAddress(newEmail, "newEmail");
    const data = readBasics(args, at);
    const named = await readValues(store, args);
    const values = named.map(({ field, value }) => ({ field: field.id, value }));
    if (moved === null && values.length === 0 && Object.keys(data).length === 0)
      throw new InvalidInput("values", "there is nothing to set; give a value to set or to clear");
    const correction = { address: moved, data, values };
    const command = { account, address, correction, at, origin, ifVersion };
    const result = await store.subscribers.correct(command);
    if (result.outcome === "Done") {
      const names = new Map(named.map(({ field }) => [field.id, field.name]));
      return { address: (moved ?? address).text, replaced: nameReplaced(result.replaced, names) };
    }
    throw refusal(result, address.text, moved?.text ?? "", values);
  },
);

function readBasics(given: SetSubscriber, now: number): Partial<BasicData> {
  const parsers: Readonly<Record<keyof BasicData, (text: string) => string | null>> = {
    firstName: parseText,
    lastName: parseText,
    gender: parseGender,
    birthday: parseDate,
    country: parseCountry,
  };
  const data: { -readonly [K in keyof BasicData]?: string | null } = {};
  for (const name of basicNames) {
    const text = given[name];
    if (given.clear.includes(name)) {
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

/** Each field once: of several values the last one counts. An empty value clears the field. */
async function readValues(
  store: Store,
  { account, values, clearFields }: SetSubscriber,
): Promise<readonly FieldValue[]> {
  if (values.length === 0 && clearFields.length === 0) return [];
  const empty = values.find(({ value }) => value.trim() === "");
  if (empty !== undefined)
    throw new InvalidInput("values", `${empty.field} has no value; to remove the stored one, clear it`);
  const fields = await collect(store.fields.all.pages({ account }));
  const given = values.map((one) => findField(one, fields));
  const byField = new Map((await normalized(store, account, given)).map((one) => [one.field.id, one]));
  for (const name of clearFields) {
    const field = fieldNamed(name, fields, "clearFields");
    if (given.some((one) => one.field.id === field.id))
      throw new InvalidInput("clearFields", `${field.name} is both set and cleared; do only one of them`);
    byField.set(field.id, { field, value: "" });
  }
  return [...byField.values()];
}

function refusal(
  result: Exclude<CorrectionOutcome, { readonly outcome: "Done" }>,
  address: string,
  moved: string,
  values: readonly { readonly field: FieldId }[],
): Error {
  switch (result.outcome) {
    case "UnknownSubscriber":
      return new NotFound("subscriber", address);
    // Found above, and deleted since.
    case "UnknownField":
      return new NotFound("field", values.map(({ field }) => field).join(", "));
    case "AddressTaken":
      return new AlreadyExists(
        `${moved} is already a subscriber of this account; if both are the same person, correct that one and erase ${address}`,
      );
    case "Suppressed":
      return new Refused(
        refusalByState[result.state],
        `${address} is ${result.state}. After a change of address, the old one could be added and mailed again. If the person asked for mails at the new address, ${result.state === "blocked" ? "remove the block" : "reactivate the subscriber with that reason"} first`,
      );
    case "AddressSuppressed":
      return new Refused(
        refusalByState[result.state],
        `${moved} is ${result.state}: it is on the block list, or its subscriber was erased while suppressed. A change of address does not end that; give another address`,
      );
  }
}
