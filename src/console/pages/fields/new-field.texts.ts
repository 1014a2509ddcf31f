import { quoted } from "../../../html/names.ts";

export const title = "New field";
export const name = "Name";
export const namePlaceholder = "e.g. Town";
export const type = "Type";
export const typeHint = "It cannot be changed later.";
export const isPrivate = "Private";
export const isPrivateHint = "Subscribers should not see it, such as a score.";
export const id = "ID";
export const idHint =
  "Only if your programs already use a certain ID for this field. Otherwise leave it empty.";
export const notAnId = "Must be a whole number.";
export const create = "Create the field";
export const created = (field: string): string => `The field ${quoted(field)} was created.`;
