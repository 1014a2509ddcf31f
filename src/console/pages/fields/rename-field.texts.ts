import { quoted } from "#html/names.ts";

export const title = (field: string): string => `Rename ${quoted(field)}`;
export const name = "Name";
export const hint =
  "The ID, the type and all values stay the same. Files that you import must use the new name.";
export const save = "Save";
export const renamed = (field: string): string => `The field is now called ${quoted(field)}.`;
