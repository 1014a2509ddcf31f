/** Values of a subscriber as they are shown, and the inputs that fit their types. */
import type { Formats } from "#console/kit/formats.ts";
import { countries } from "#domain/country.ts";
import type { DataType } from "#domain/field/field.ts";
import { genders } from "#domain/subscriber/gender.ts";
import { type Option, selectField, type TextField, textField } from "#html/components/fields.ts";
import type { Html } from "#html/html.ts";
import * as texts from "./values.texts.ts";

// English, as the sentences around them.
const regions = new Intl.DisplayNames("en", { type: "region" });
const countryName = (code: string): string => regions.of(code) ?? code;
const genderNames: Readonly<Record<string, string | undefined>> = texts.genders;
const genderName = (gender: string): string => genderNames[gender] ?? gender;
const yesNo = (value: string): string => (value === "true" ? texts.yes : texts.no);

export type ValueType = Exclude<DataType, "CONSENT" | "PERMISSION" | "GDPR" | "SCORE" | "ORIGIN">;
const kinds: Readonly<Record<DataType, ValueType>> = {
  BOOLEAN: "BOOLEAN",
  CONSENT: "BOOLEAN",
  PERMISSION: "BOOLEAN",
  GDPR: "BOOLEAN",
  REAL: "REAL",
  SCORE: "REAL",
  STRING: "STRING",
  ORIGIN: "STRING",
  DATE: "DATE",
  EMAIL: "EMAIL",
  GENDER: "GENDER",
  COUNTRY: "COUNTRY",
  PHONE: "PHONE",
};

/** Of a value as it is stored; empty for none. */
export function shownValue(type: DataType, value: string, formats: Formats): string {
  if (value === "") return "";
  switch (kinds[type]) {
    case "BOOLEAN":
      return yesNo(value);
    case "DATE":
      return formats.day(value);
    case "GENDER":
      return genderName(value);
    case "COUNTRY":
      return countryName(value);
    default:
      return value;
  }
}

const none = { value: "", label: texts.notGiven };
const options: Partial<Record<ValueType, readonly Option[]>> = {
  BOOLEAN: [none, { value: "true", label: texts.yes }, { value: "false", label: texts.no }],
  GENDER: [none, ...genders.map((value) => ({ value, label: genderName(value) }))],
  COUNTRY: [
    none,
    ...countries
      .map((value) => ({ value, label: countryName(value) }))
      .sort((one, other) => one.label.localeCompare(other.label, "en")),
  ],
};
const inputs: Partial<Record<ValueType, Pick<TextField, "type" | "inputMode" | "width">>> = {
  REAL: { inputMode: "decimal", width: "medium" },
  DATE: { type: "date", width: "medium" },
  EMAIL: { type: "email" },
  PHONE: { type: "tel", width: "medium" },
};

export interface ValueField {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly error: string | null;
  readonly hint?: string;
}

export function valueField(type: DataType, field: ValueField): Html {
  const kind = kinds[type];
  const choices = options[kind];
  const given = { ...field, isOptional: true };
  return choices === undefined
    ? textField({ ...given, ...inputs[kind] })
    : selectField({ ...given, options: choices, width: "medium" });
}
