/**
 * The data that comes with an add: names, gender, birthday, country, custom values. A value that is absent
 * or empty never erases a stored one, because callers send partial forms.
 */
import { dateOf } from "../calendar.ts";
import { countryOfNumber } from "../country.ts";
import { parseCustomValue, parseText } from "../field/custom-value.ts";
import type { DataType, FieldId } from "../field/field.ts";
import type { GivenValues } from "../field/value-rules.ts";
import type { BasicData } from "./subscriber.ts";
import { parseGender } from "./subscriber.ts";

export interface GivenData {
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly gender: string | null;
  /** `yyyy-mm-dd` */
  readonly birthday: string | null;
  /** ISO 3166-1 numeric */
  readonly countryNumber: number | null;
  readonly values: readonly GivenCustomValue[];
}
/** `field` is null if the caller gave none. */
export interface GivenCustomValue {
  readonly field: FieldId | null;
  readonly value: string | null;
}
export interface PersonState {
  /** The types of the account's fields among them. */
  readonly fieldTypes: { get(field: FieldId): DataType | undefined };
  /** The account's default country. */
  readonly country: string | null;
}

const isGiven = (text: string | null): text is string => text !== null && text.trim() !== "";

/**
 * Each field once, with its last value; values without a field once, and only if not empty: all that the
 * decision depends on. So the work of a call is bounded by the number of fields, however often it repeats
 * them.
 */
export function lastOfEach(values: readonly GivenCustomValue[]): readonly GivenCustomValue[] {
  if (values.length < 2) return values;
  const last = new Map<FieldId | null, GivenCustomValue>();
  for (const given of values) if (given.field !== null || isGiven(given.value)) last.set(given.field, given);
  return [...last.values()];
}

/** The normalized values, or the outcome that rejects them. */
export function readData(
  given: GivenData,
  state: PersonState,
  now: number,
): GivenValues | "UnknownField" | "InvalidValue" {
  const named = lastOfEach(given.values);
  if (named.some((one) => isOfUnknownField(one, state))) return "UnknownField";
  const data = readBasics(given, now);
  if (data === null) return "InvalidValue";
  const values: { field: FieldId; value: string }[] = [];
  for (const { field, value } of named) {
    const type = field === null ? undefined : state.fieldTypes.get(field);
    if (field === null || type === undefined || !isGiven(value)) continue;
    const kept = parseCustomValue(type, value, state.country);
    if (kept === null) return "InvalidValue";
    values.push({ field, value: kept });
  }
  return { data, values };
}

const isOfUnknownField = ({ field, value }: GivenCustomValue, { fieldTypes }: PersonState): boolean =>
  field === null ? isGiven(value) : fieldTypes.get(field) === undefined;

function readBasics(given: GivenData, now: number): Partial<BasicData> | null {
  const data: { -readonly [K in keyof BasicData]?: BasicData[K] } = {};
  for (const name of ["firstName", "lastName"] as const) {
    const value = given[name];
    if (!isGiven(value)) continue;
    const kept = parseText(value);
    if (kept === null) return null;
    data[name] = kept;
  }
  if (isGiven(given.gender)) {
    data.gender = parseGender(given.gender);
    if (data.gender === null) return null;
  }
  if (given.birthday !== null) {
    if (given.birthday > dateOf(now)) return null;
    data.birthday = given.birthday;
  }
  if (given.countryNumber !== null) {
    data.country = countryOfNumber(given.countryNumber);
    if (data.country === null) return null;
  }
  return data;
}
