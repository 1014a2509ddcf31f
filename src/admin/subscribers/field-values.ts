/** Custom values that an operator gives: finds their fields, and explains a value that a type rejects. */
import type { AccountId } from "#domain/account.ts";
import { expectedValue, MAX_TEXT_LENGTH, parseCustomValue } from "#domain/field/custom-value.ts";
import type { Field, FieldId } from "#domain/field/field.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import { nameKey } from "#domain/text.ts";
import { quoted } from "#transfer/table/read-person.ts";
import { InvalidInput, Refused } from "../kit/errors.ts";

/** The id of a field; or its name or its id as text. */
export type NamedField = FieldId | string;
export interface NamedValue {
  readonly field: NamedField;
  readonly value: string;
}
export interface FieldValue {
  readonly field: Field;
  readonly value: string;
}

export async function findFields(
  store: Store,
  account: AccountId,
  named: readonly NamedValue[],
): Promise<readonly FieldValue[]> {
  if (named.length === 0) return [];
  const fields = await collect(store.fields.all.pages({ account }));
  return named.map((one) => findField(one, fields));
}

/** The fields whose values are to be cleared, and not set. */
export async function findCleared(
  store: Store,
  account: AccountId,
  named: readonly NamedField[],
  given: readonly FieldValue[],
): Promise<readonly Field[]> {
  if (named.length === 0) return [];
  const fields = await collect(store.fields.all.pages({ account }));
  return named.map((one) => clearedField(one, fields, given));
}

export function clearedField(
  name: NamedField,
  fields: readonly Field[],
  given: readonly FieldValue[],
): Field {
  const cleared = fieldNamed(name, fields, "clearFields");
  if (given.some(({ field }) => field.id === cleared.id))
    throw new InvalidInput("clearFields", `${cleared.name} is both set and cleared; do only one of them`);
  return cleared;
}

/** Finds a field by its name or its id. `input`: the argument that names it, for the error. */
export function fieldNamed(name: NamedField, fields: readonly Field[], input: string): Field {
  const byId = fields.find(({ id }) => String(id) === String(name));
  const field =
    typeof name === "bigint" ? byId : (fields.find((one) => nameKey(one.name) === nameKey(name)) ?? byId);
  if (field !== undefined) return field;
  const isById = typeof name === "bigint";
  const known = fields.map((one) => (isById ? `${one.id} (${one.name})` : one.name)).join(", ");
  throw new InvalidInput(
    input,
    `there is no field ${isById ? name : `'${name}'`}; ${known === "" ? "create it first" : `there are: ${known}`}`,
  );
}

export function findField({ field: name, value }: NamedValue, fields: readonly Field[]): FieldValue {
  const field = fieldNamed(name, fields, "values");
  // SOAP callers send partial forms, so an empty value erases nothing there; here a user would expect that it
  // does.
  if (value.trim() === "")
    throw new InvalidInput(
      "values",
      `the value of ${name} is empty; give a value, or leave the field out. To clear a stored value, correct the subscriber`,
    );
  return { field, value };
}

const countryOf = async (store: Store, account: AccountId): Promise<string | null> =>
  (await store.accounts.byId({ id: account }))?.country ?? null;

const explain = ({ field, value }: FieldValue): string =>
  `${quoted(value)} is not valid for the field ${field.name} (${field.type}), which takes ${expectedValue[field.type]}`;

/** Says which value its field rejects; if none does, a name was invalid. */
export async function invalidValue(
  store: Store,
  account: AccountId,
  values: readonly FieldValue[],
): Promise<Refused> {
  const country = await countryOf(store, account);
  const bad = values.find(({ field, value }) => parseCustomValue(field.type, value, country) === null);
  return bad === undefined
    ? new Refused(
        "InvalidValue",
        `a name has at most ${MAX_TEXT_LENGTH} characters and no control characters`,
      )
    : new Refused("InvalidValue", explain(bad), bad.field.id);
}

/** With the values in the form in which they are stored. */
export async function normalized(
  store: Store,
  account: AccountId,
  values: readonly FieldValue[],
): Promise<readonly FieldValue[]> {
  const country = await countryOf(store, account);
  return values.map((one) => {
    const value = parseCustomValue(one.field.type, one.value, country);
    if (value === null) throw new Refused("InvalidValue", explain(one), one.field.id);
    return { ...one, value };
  });
}
