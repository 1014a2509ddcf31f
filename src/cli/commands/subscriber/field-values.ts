/** `--field NAME=VALUE`: finds the field, and reports a value that its type rejects. */
import { expectedValue, MAX_TEXT_LENGTH, parseCustomValue } from "../../../domain/custom-value.ts";
import type { Field } from "../../../domain/field.ts";
import { nameKey } from "../../../domain/name.ts";
import { parsePair } from "../../kit/arguments/arguments.ts";
import { UsageError } from "../../kit/command.ts";

export interface FieldValue {
  readonly field: Field;
  readonly value: string;
}

const OPTION = "--field";

export function parseFieldValue(text: string, fields: readonly Field[]): FieldValue {
  const [name, value] = parsePair(text, OPTION);
  const field =
    fields.find((one) => nameKey(one.name) === nameKey(name)) ?? fields.find(({ id }) => String(id) === name);
  if (field === undefined) {
    const known = fields.map((one) => one.name).join(", ");
    throw new UsageError(
      `there is no field '${name}'; ${known === "" ? "create one with 'mailroll field create'" : `there are: ${known}`}`,
    );
  }
  // SOAP callers send partial forms, so an empty value erases nothing there; here a user would expect that it
  // does.
  if (value.trim() === "")
    throw new UsageError(`${OPTION} ${name}= has no value, and an empty value erases nothing; give a value`);
  return { field, value };
}

/** Explains which value its field rejects; if none does, a name was invalid. */
export function explainInvalid(values: readonly FieldValue[], country: string | null): string {
  const bad = values.find(({ field, value }) => parseCustomValue(field.type, value, country) === null);
  if (bad === undefined) return `a name has at most ${MAX_TEXT_LENGTH} characters and no control characters`;
  const { field, value } = bad;
  return `'${value}' is not valid for the field ${field.name} (${field.type}), which takes ${expectedValue[field.type]}`;
}
