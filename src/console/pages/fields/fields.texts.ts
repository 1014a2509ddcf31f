import type { DataType } from "#domain/field/field.ts";

export const title = "Fields";
export const description =
  "Custom fields hold what you know about people beyond their names, such as a town or a score.";
export const newField = "New field";
export const field = "Field";
export const type = "Type";
export const types: Readonly<Record<DataType, string>> = {
  BOOLEAN: "Yes or no",
  REAL: "Number",
  STRING: "Text",
  DATE: "Date",
  EMAIL: "E-mail address",
  GENDER: "Gender",
  COUNTRY: "Country",
  CONSENT: "Consent",
  ORIGIN: "Origin",
  SCORE: "Score",
  PHONE: "Telephone number",
  PERMISSION: "Permission",
  GDPR: "GDPR",
};
export const people = "People with a value";
export const isPrivate = "Private";
export const created = "Created";
export const id = "ID";
export const rename = "Rename";
export const remove = "Delete";
export const actionsOf = (field: string): string => `Actions for ${field}`;
/** Of an account with more people than are counted. */
export const share = (percent: string): string => `about ${percent}`;
export const sample = (counted: string): string => `The shares are estimated from ${counted} people.`;
export const shown = (count: string): string => (count === "1" ? "1 field" : `${count} fields`);
export const emptyTitle = "No fields yet";
export const empty =
  "Names, gender, birthday and country are always there. Create a field for everything else: imports and programs can then fill it.";
export const emptyViewer =
  "Names, gender, birthday and country are always there. A user with the role editor can create fields for everything else.";
export const createFirst = "Create a field";
