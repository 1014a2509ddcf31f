/**
 * Values of custom fields, genders and countries with their stored form: listed by hand, so that the model
 * trusts no parser.
 */
import type { DataType } from "#domain/field/field.ts";

type Kept = Readonly<Record<string, string | null>>;
const yesNo: Kept = { Yes: "true", "0": "false", TRUE: "true", maybe: null };

/** null: refused. */
export const valuesOf: Readonly<Partial<Record<DataType, Kept>>> = {
  BOOLEAN: yesNo,
  GDPR: yesNo,
  REAL: { "007.50": "7.5", "-0": "0", "1e5": null, "9007199254740993.1": "9007199254740993.1" },
  STRING: { "two words ": "two words ", "'; --": "'; --", "x\u0000": null },
  DATE: { "2024-02-29": "2024-02-29", "2023-02-29": null, "2026-01-02T23:59:59Z": "2026-01-02" },
  COUNTRY: { ARG: "AR", "32": "AR", de: "DE", Utopia: null },
  GENDER: { male: "M", x: "X", "?": null },
};
export const types = Object.keys(valuesOf) as DataType[];
/** Values that fit one type and so perhaps not another; and values that leave a field unchanged. */
export const givenValues: readonly (string | null)[] = [
  null,
  "",
  " ",
  ...Object.values(valuesOf).flatMap((kept) => Object.keys(kept)),
];

const texts = new Set(["STRING"]);
/** null: refused. A value of another type's list is text for types that accept any text. */
export function keptValue(type: DataType, given: string): string | null {
  const listed = valuesOf[type]?.[given];
  if (listed !== undefined) return listed;
  return texts.has(type) ? given : (elsewhere[type]?.[given] ?? null);
}
/** Values of other types' lists that fit by chance. */
const elsewhere: typeof valuesOf = {
  REAL: { "0": "0", "32": "32" },
  COUNTRY: { "0": null },
};

export const genders: Kept = { m: "M", FEMALE: "F", " X ": "X", other: null };
export const countries: ReadonlyMap<number, string | null> = new Map([
  [32, "AR"],
  [276, "DE"],
  [999, null],
]);
