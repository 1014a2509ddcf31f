/** What people read in place of the names of basic data. */
import type { BasicData } from "../../../domain/subscriber.ts";

export const basicLabels: Readonly<Record<keyof BasicData, string>> = {
  firstName: "First name",
  lastName: "Last name",
  gender: "Gender",
  birthday: "Birthday",
  country: "Country",
};

/** A custom field has its own name already. */
export const labelOf = (field: string): string =>
  field in basicLabels ? basicLabels[field as keyof BasicData] : field;
