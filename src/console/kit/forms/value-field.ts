/** The field of a form for a value of a custom field, by its type. */
import type { DataType, Field, FieldId } from "#domain/field/field.ts";
import { type Option, selectField, type TextField, textField } from "#html/components/fields.ts";
import type { Html } from "#html/html.ts";
import type { Form, ShownForm } from "./form.ts";
import * as texts from "./value-field.texts.ts";

export const valueFieldName = (id: FieldId): string => `value-${id}`;

const nothing: Option = { value: "", label: texts.none };
const yesNo: readonly Option[] = [
  nothing,
  { value: "true", label: texts.yes },
  { value: "false", label: texts.no },
];
const options: Readonly<Partial<Record<DataType, readonly Option[]>>> = {
  BOOLEAN: yesNo,
  CONSENT: yesNo,
  PERMISSION: yesNo,
  GDPR: yesNo,
  GENDER: [
    nothing,
    { value: "F", label: texts.female },
    { value: "M", label: texts.male },
    { value: "X", label: texts.other },
  ],
};
const inputs: Readonly<Partial<Record<DataType, Pick<TextField, "type" | "inputMode" | "width">>>> = {
  REAL: { inputMode: "decimal", width: "medium" },
  SCORE: { inputMode: "decimal", width: "medium" },
  DATE: { type: "date", width: "medium" },
  EMAIL: { inputMode: "email" },
  COUNTRY: { width: "medium" },
  PHONE: { type: "tel", width: "medium" },
};

/** `stored`: the value that the subscriber has. */
export function valueField({ id, name, type }: Field, form: ShownForm, stored = ""): Html {
  const field = {
    name: valueFieldName(id),
    label: name,
    hint: texts.hints[type] ?? null,
    value: form.value(valueFieldName(id), stored),
    error: form.problem(valueFieldName(id)),
    isOptional: true,
  };
  const choices = options[type];
  return choices === undefined
    ? textField({ ...field, ...inputs[type] })
    : selectField({ ...field, options: choices, width: "medium" });
}

/** The values that were given; those that are empty are left out. */
export const valuesIn = (
  form: Form,
  fields: readonly Field[],
): readonly { readonly field: FieldId; readonly value: string }[] =>
  fields
    .map(({ id }) => ({ field: id, value: form.text(valueFieldName(id)) }))
    .filter(({ value }) => value.trim() !== "");
