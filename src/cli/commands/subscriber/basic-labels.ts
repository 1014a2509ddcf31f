/** What people read in place of the names of basic data, and replaced values in words. */
import type { BasicData } from "#domain/subscriber/subscriber.ts";
import type { Replaced } from "./person-document.ts";

export const basicLabels: Readonly<Record<keyof BasicData | "email", string>> = {
  email: "E-mail address",
  firstName: "First name",
  lastName: "Last name",
  gender: "Gender",
  birthday: "Birthday",
  country: "Country",
};

/** A custom field has its own name already, even if it is that of a basic value. */
export const labelOf = ({ id, name }: Replaced["field"]): string =>
  id === null && name in basicLabels ? basicLabels[name as keyof typeof basicLabels] : name;

const NONE = "(none)";
export const replacementText = (one: Replaced): string =>
  `${labelOf(one.field)}: ${one.old ?? NONE} → ${one.new ?? NONE}`;
