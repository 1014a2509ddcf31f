import type { DataType } from "#domain/field/field.ts";

export const none = "no value";
export const yes = "Yes";
export const no = "No";
export const female = "Female";
export const male = "Male";
export const other = "Other";
/** What a type takes, where a name of the field does not say it. */
export const hints: Readonly<Partial<Record<DataType, string>>> = {
  REAL: "A number such as 4.5",
  SCORE: "A number such as 4.5",
  COUNTRY: "A country such as AR, ARG or 32",
  PHONE: "A telephone number such as +541143210000",
};
