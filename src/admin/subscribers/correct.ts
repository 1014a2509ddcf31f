/**
 * The correction of a subscriber by an operator. Unlike a call, it can clear values and change the address.
 */

import { dateOf, parseDate } from "#domain/calendar.ts";
import { parseCountry } from "#domain/country.ts";
import { expectedValue, MAX_TEXT_LENGTH, parseText } from "#domain/field/custom-value.ts";
import type { FieldId } from "#domain/field/field.ts";
import { basicNames, noBasics } from "#domain/field/value-rules.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import type { CorrectionOutcome } from "#domain/subscriber/correction.ts";
import type { ReplacedValue } from "#domain/subscriber/history.ts";
import { refusalByState } from "#domain/subscriber/rules.ts";
import { type BasicData, parseGender } from "#domain/subscriber/subscriber.ts";
import { action } from "../kit/action.ts";
import { AlreadyExists, InvalidInput, NotFound, Refused } from "../kit/errors.ts";
import { requireAddress } from "../kit/inputs.ts";
import {
  clearedField,
  type FieldValue,
  findField,
  type NamedField,
  type NamedValue,
  normalized,
} from "./field-values.ts";
import { afterwards, type OneSubscriber, onValidSubscriber } from "./person.ts";

/** Replaced values under the names that their fields have today. */
export interface NamedReplacement {
  /** The name of a custom field, or of a basic value. */
  readonly field: string;
  /** Of a custom field; null for a basic value. */
  readonly fieldId: FieldId | null;
  readonly old: string;
  readonly new: string;
}

export const nameReplaced = (
  replaced: readonly ReplacedValue[],
  fieldNames: ReadonlyMap<FieldId, string>,
): readonly NamedReplacement[] =>
  replaced.map(({ field, ...values }) =>
    typeof field === "bigint"
      ? { field: fieldNames.get(field) ?? `field ${field}`, fieldId: field, ...values }
      : { field, fieldId: null, ...values },
  );

// Names, gender, birthday and country as an operator gives them.

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

/** null: the value stays. */
type SetSubscriber = OneSubscriber &
  Readonly<Record<keyof BasicData | "newEmail", string | null>> & {
    readonly values: readonly NamedValue[];
    /** Values to clear: the names of basic values, and the names or ids of fields. */
    readonly clear: readonly (keyof BasicData)[];
    readonly clearFields: readonly NamedField[];
  };

/** As a document has them: what is absent stays, null clears. */
export type Changes = { readonly [Name in keyof BasicData]?: string | null | undefined } & {
  readonly values?: readonly { readonly field: NamedField; readonly value: string | null }[] | undefined;
};
export function correctionOf({ values = [], ...given }: Changes) {
  const { firstName = null, lastName = null, gender = null, birthday = null, country = null } = given;
  return {
    firstName,
    lastName,
    gender,
    birthday,
    country,
    clear: basicNames.filter((name) => given[name] === null),
    values: values.flatMap(({ field, value }) => (value === null ? [] : [{ field, value }])),
    clearFields: values.flatMap(({ field, value }) => (value === null ? [field] : [])),
  };
}

/** `replaced` contains the values that changed; it is empty if all of them were already as given. */
export const setSubscriber = action(
  "subscriber.set",
  "editor",
  "history",
  async ({ store, clock, actor: { origin }, ifVersion }, args: SetSubscriber) => {
    const { account, newEmail } = args;
    const at = clock();
    if ("email" in args) requireAddress(args.email);
    const moved = newEmail === null ? null : requireAddress(newEmail, "newEmail");
    const data = readBasics(args, at, args.clear);
    const named = await readValues(store, args);
    const values = named.map(({ field, value }) => ({ field: field.id, value }));
    if (moved === null && values.length === 0 && Object.keys(data).length === 0)
      throw new InvalidInput("values", "there is nothing to set; give a value to set or to clear");
    const correction = { address: moved, data, values };
    const { result, target } = await onValidSubscriber(store, args, (who) =>
      store.subscribers.correct({ account, ...who, correction, at, origin, ifVersion }),
    );
    const { address } = target;
    if (result.outcome === "Done") {
      const names = new Map(named.map(({ field }) => [field.id, field.name]));
      const found = await afterwards(store, args, { ...target, address: moved ?? address });
      return {
        id: found?.id ?? null,
        address: (moved ?? address).text,
        replaced: nameReplaced(result.replaced, names),
      };
    }
    throw refusal(result, address.text, moved?.text ?? "", values);
  },
);

/** Each field once: of several values the last one counts. An empty value clears the field. */
async function readValues(
  store: Store,
  { account, values, clearFields }: SetSubscriber,
): Promise<readonly FieldValue[]> {
  if (values.length === 0 && clearFields.length === 0) return [];
  const empty = values.find(({ value }) => value.trim() === "");
  if (empty !== undefined)
    throw new InvalidInput(
      "values",
      `the value of ${empty.field} is empty; to remove the stored value, clear it`,
    );
  const fields = await collect(store.fields.all.pages({ account }));
  const given = values.map((one) => findField(one, fields));
  const byField = new Map((await normalized(store, account, given)).map((one) => [one.field.id, one]));
  for (const name of clearFields) {
    const field = clearedField(name, fields, given);
    byField.set(field.id, { field, value: "" });
  }
  return [...byField.values()];
}

export function refusal(
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
        "newEmail",
      );
    case "Suppressed":
      return new Refused(
        refusalByState[result.state],
        `${address} is ${result.state}. After a change of address, the old one could be added and mailed again. If the person asked for mails at the new address, ${result.state === "blocked" ? "remove the block" : "reactivate the subscriber with that reason"} first`,
      );
    case "AddressSuppressed":
      return new Refused(
        refusalByState[result.state],
        `the new address ${moved} is ${result.state}: it is on the block list, or its subscriber was erased while suppressed. A change of address does not clear that; give another address`,
      );
  }
}
