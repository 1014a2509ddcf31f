import { quoted } from "../../../html/names.ts";

export const title = "New list";
export const name = "Name";
export const namePlaceholder = "e.g. Newsletter";
export const id = "ID";
export const idHint =
  "Only if your programs already use a certain ID for this list. Otherwise leave it empty.";
export const notAnId = "Must be a whole number.";
export const create = "Create the list";
export const created = (list: string): string => `The list ${quoted(list)} was created.`;
