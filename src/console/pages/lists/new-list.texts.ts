import { quoted } from "#html/names.ts";

export const title = "New list";
export const name = "Name";
export const namePlaceholder = "e.g. Newsletter";
export const create = "Create the list";
export const created = (list: string): string => `The list ${quoted(list)} was created.`;
