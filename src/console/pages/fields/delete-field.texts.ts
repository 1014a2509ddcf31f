import { quoted } from "#html/names.ts";

export const title = (field: string): string => `Delete ${quoted(field)}`;
export const question = (field: string): string => `Delete the field ${quoted(field)}?`;
export const nobody = "Nobody has a value";
export const one = "1 value is deleted";
export const values = (count: string): string => `${count} values are deleted`;
export const share = (percent: string): string => `The values of about ${percent} of all people are deleted`;
export const sample = (counted: string): string => `The share is estimated from ${counted} people.`;
export const valuesGo = "All its values are deleted, for every person.";
export const historyStays =
  "The people stay. Their history stays too, and shows earlier changes of the field.";
export const calls = (id: string): string =>
  `Calls from programs that still set the field (ID ${id}) will be refused.`;
export const noWayBack = "This cannot be undone. An export of your lists keeps a copy of the values.";
export const confirm = "Delete the field";
export const keep = "Keep it";
export const deleted = (field: string): string => `The field ${quoted(field)} was deleted.`;
export const begun = (field: string): string =>
  `The field ${quoted(field)} is being deleted. It cannot be used any more.`;
