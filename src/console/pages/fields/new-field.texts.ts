import { quoted } from "#html/names.ts";

export const title = "New field";
export const name = "Name";
export const namePlaceholder = "e.g. Town";
export const type = "Type";
export const typeHint = "It cannot be changed later.";
export const isPrivate = "Private";
export const isPrivateHint = "Subscribers should not see it, such as a score.";
export const create = "Create the field";
export const created = (field: string): string => `The field ${quoted(field)} was created.`;
