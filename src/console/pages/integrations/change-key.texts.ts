import { quoted } from "#html/names.ts";

export const title = (key: string): string => `Change ${key}`;
export const save = "Save";
export const changed = (key: string): string => `The key ${quoted(key)} is changed.`;
