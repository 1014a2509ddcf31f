/** What other products know of a person, as a JSON object. */
import { parseDate } from "#domain/calendar.ts";
import { parseCustomValue } from "#domain/field/custom-value.ts";
import type { DataType } from "#domain/field/field.ts";

export interface Attribute {
  readonly name: string;
  readonly value: string;
  readonly type: DataType;
}

function typeOf(value: unknown): DataType {
  if (typeof value === "boolean") return "BOOLEAN";
  // Not 1e+21.
  if (typeof value === "number")
    return parseCustomValue("REAL", String(value), null) === null ? "STRING" : "REAL";
  // Not a number in quotes, which may be a postal code, and not a date with a time, which would be lost.
  const isDate =
    typeof value === "string" && value.length === "2026-11-14".length && parseDate(value) !== null;
  return isDate ? "DATE" : "STRING";
}

const isPlain = (value: unknown): boolean => typeof value !== "object" || value === null;
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null) return "";
  if (Array.isArray(value) && value.every(isPlain)) return value.map(textOf).join(", ");
  return JSON.stringify(value);
}

/** Those that have a value; null if they are nested too deeply to be those of a person. */
export function attributesOf(
  all: Iterable<readonly [name: string, value: unknown]>,
): readonly Attribute[] | null {
  try {
    return [...all]
      .map(([name, value]) => ({ name, value: textOf(value), type: typeOf(value) }))
      .filter(({ value }) => value.trim() !== "");
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** null if the text is no JSON object. */
export function attributesIn(text: string): readonly Attribute[] | null {
  try {
    const found = JSON.parse(text) as unknown;
    if (found === null) return [];
    if (typeof found !== "object" || Array.isArray(found)) return null;
    return attributesOf(Object.entries(found));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
