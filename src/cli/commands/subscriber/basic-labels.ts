/** What people read in place of the names of basic data, and replaced values in words. */
import type { NamedReplacement } from "../../../admin/subscribers/replaced.ts";
import type { BasicData } from "../../../domain/subscriber/subscriber.ts";

export const basicLabels: Readonly<Record<keyof BasicData | "address", string>> = {
  address: "E-mail address",
  firstName: "First name",
  lastName: "Last name",
  gender: "Gender",
  birthday: "Birthday",
  country: "Country",
};

/** A custom field has its own name already, even if it is that of a basic value. */
export const labelOf = ({ field, fieldId }: Pick<NamedReplacement, "field" | "fieldId">): string =>
  fieldId === null && field in basicLabels ? basicLabels[field as keyof typeof basicLabels] : field;

const NONE = "(none)";
export const replacementText = (one: NamedReplacement): string =>
  `${labelOf(one)}: ${one.old || NONE} → ${one.new || NONE}`;
