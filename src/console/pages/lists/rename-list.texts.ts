import { quoted } from "#html/names.ts";

export const title = (list: string): string => `Rename ${quoted(list)}`;
export const name = "Name";
export const hint = "The ID stays the same. Earlier campaigns keep the old name of the list.";
export const save = "Save";
export const renamed = (list: string): string => `The list is now called ${quoted(list)}.`;
